import { basename } from 'node:path';
import type { Message } from '../../contract/message.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { decodeText } from '../../platform/encodings/text-file.js';
import { bytesAt } from '../../tools/editing/file-ledger.js';
import { linesShown } from '../../tools/editing/lines-shown.js';
import { type LineRange, withoutRanges } from '../../tools/editing/match/line-ranges.js';
import { textLines } from '../../tools/editing/match/text-lines.js';
import { createShownPages } from '../../tools/reading/shown-pages.js';
import type { Session } from '../session.js';
import type { HistoryKeeper } from './conversation-context.js';
import type { ForgottenFile, Showing } from './shown-files.js';

/**
 * To be called when the text of these calls leaves the conversation: lines of files that only they showed count as not
 * seen, in memory and on disk.
 */
export function forgetShown(
  callIds: readonly string[],
  stays: readonly Message[],
  { session, keeper }: { session: Session; keeper?: Pick<HistoryKeeper, 'forgot'> | undefined },
): ForgottenFile[] {
  const files = session.shownFiles.forget(callIds, stays, stillSeen);
  session.own(createShownPages).forget();
  if (files.length > 0) keeper?.forgot(files.map(({ real }) => real));
  return files;
}

/** The lines that were seen and are in one of the texts. */
export function stillSeen({ real, seen }: ForgottenFile, { texts, isWhole }: Showing): SeenFile['lines'] | undefined {
  const bytes = texts.length > 0 ? (seen.bytes ?? bytesAt(real, seen)) : undefined;
  if (!bytes) return undefined;
  const text = textLines(decodeText(Buffer.from(bytes)).text);
  const hasLines = seen.lines === 'all' ? text.raw.trim() !== '' : seen.lines.length > 0;
  if (!hasLines) return isWhole ? seen.lines : undefined; // for example the cells of a notebook, or an empty file
  const shown = linesShown(text, texts.join('\n'), { name: basename(real), isPatch: true });
  if (shown === 'all') return seen.lines;
  const lines = seen.lines === 'all' ? shown : bothOf(seen.lines, shown, text.lineCount);
  return lines.length > 0 ? lines : undefined;
}

const bothOf = (seen: readonly LineRange[], shown: readonly LineRange[], count: number): LineRange[] =>
  withoutRanges(seen, withoutRanges([[1, count]], shown));
