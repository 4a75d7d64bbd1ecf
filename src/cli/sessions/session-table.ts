import { columnCost } from '../../agent/store/export-session.js';
import { redactSecrets, secretsIn } from '../../agent/store/redact-secrets.js';
import type { SessionSummary } from '../../contract/session-summary.js';
import { counted } from '../../platform/text/counted.js';
import { localMinute } from '../../platform/text/local-time.js';
import { table } from '../../platform/text/table.js';
import { visible } from '../../platform/text/visible.js';
import { terminalWidth } from '../terminal-width.js';

export const SHORT_ID_CHARS = 8;

/** A table of sessions, one per line. */
export function sessionTable(found: readonly SessionSummary[], { withRoot = false } = {}): string {
  const rows = found.map(({ id, title, root, updated, turns, costUsd, inUse, fork }) => [
    id.slice(0, SHORT_ID_CHARS),
    localMinute(updated),
    counted(turns, 'turn'),
    columnCost(costUsd),
    ...(withRoot ? [visible(root ?? '?')] : []),
    [
      visible(cleanTitle(title)) || '(no title)',
      ...(fork === undefined ? [] : [`(fork of ${visible(fork.slice(0, SHORT_ID_CHARS))})`]),
      ...(inUse ? ['(in use)'] : []),
    ].join(' '),
  ]);
  return table(rows, { indent: '', width: terminalWidth() }).join('\n');
}

export const cleanTitle = (title: string): string => redactSecrets(title, secretsIn(process.env));
