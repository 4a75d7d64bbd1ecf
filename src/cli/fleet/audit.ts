// `helve fleet audit`: what all sessions of a fleet have done, and for whom.
import { auditRows } from '../../fleet/audit-export.js';
import type { Database } from '../../fleet/postgres.js';
import { PostgresStore } from '../../fleet/store/postgres-store.js';
import type { Seal } from '../../fleet/store/seal.js';
import { jsonLine } from '../../platform/text/json-line.js';
import { visible } from '../../platform/text/visible.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

export interface AuditValues {
  project?: string | undefined;
  since?: string | undefined;
  json?: boolean | undefined;
}

const units = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

export async function audit(database: Database, seal: Seal | undefined, values: AuditValues): Promise<void> {
  const wanted = { project: values.project, since: values.since === undefined ? undefined : timeOf(values.since) };
  for await (const row of auditRows(database, new PostgresStore(database, { seal }), wanted)) {
    await writeLine(process.stdout, values.json ? jsonLine(row) : visible(shownLine(row)));
  }
}

function shownLine({ session, project, at, type, actor, tool, prompt, outcome, behavior, reason, failure, by }: Row) {
  const facts = [tool, behavior, failure, outcome, reason].filter((fact) => typeof fact === 'string');
  const who = typeof by === 'string' ? by : typeof actor === 'string' ? actor : '-';
  const what = type === 'prompt' ? [prompt, ...facts] : facts;
  return [at, project, session.slice(0, 8), who, type, ...what]
    .join('  ')
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

type Row = Parameters<typeof jsonLine>[0] & Readonly<Record<string, unknown>> & { session: string };

/** A time such as 2026-11-01 or 2026-11-01T10:00Z, or how long ago. */
function timeOf(given: string): Date {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(given) ?? [];
  if (unit === 'm' || unit === 'h' || unit === 'd') return new Date(Date.now() - Number(count) * units[unit]);
  const at = /^\d{4}-\d\d-\d\d/.test(given) ? new Date(given) : new Date(Number.NaN);
  if (!Number.isNaN(at.getTime())) return at;
  throw new UsageProblem(`--since takes a time such as 24h, 7d or 2026-11-01, but was "${given}".`);
}
