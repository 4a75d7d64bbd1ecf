// Whether a fleet can meet in a database: `helve doctor --database`.

import { DatabaseProblem, loadPackage } from '../../fleet/postgres.js';
import { monotonicMs } from '../../platform/clock.js';
import { messageOf } from '../../platform/message-of.js';
import { counted } from '../../platform/text/counted.js';
import type { DoctorFinding } from '../doctor.js';
import { openFleet } from '../worker.js';

const COMMITS = 5;
const SLOW_COMMIT_MS = 20; // each call that may change something waits for one

export async function checkDatabase(database: string): Promise<DoctorFinding[]> {
  const packages = [await checkPackage('pg'), await checkPackage('@dbos-inc/dbos-sdk')];
  if (packages[0]?.state !== 'ok') return packages;
  try {
    return [...packages, ...(await checkContents(database))];
  } catch (error) {
    return [...packages, { what: 'database', state: 'broken', detail: messageOf(error) }];
  }
}

async function checkPackage(name: 'pg' | '@dbos-inc/dbos-sdk'): Promise<DoctorFinding> {
  try {
    await loadPackage(name);
    return { what: name, state: 'ok', detail: 'installed' };
  } catch (error) {
    if (!(error instanceof DatabaseProblem)) throw error;
    return { what: name, state: 'missing', detail: error.message };
  }
}

async function checkContents(url: string): Promise<DoctorFinding[]> {
  const { database } = await openFleet({ database: url });
  try {
    const { rows } = await database.query<FleetFacts>(FACTS);
    const [facts] = rows;
    // A message in the log of the server: it must reach the disk like a record, and leaves nothing in a table.
    const commitMs = await shortest(() => database.query("select pg_logical_emit_message(true, 'helve', '')"));
    const { version, synchronous, alive, versions, lost, waiting, open } = facts ?? {};
    const isSafe = synchronous !== 'off';
    return [
      {
        what: 'database',
        state: isSafe && commitMs <= SLOW_COMMIT_MS ? 'ok' : 'warning',
        detail: `PostgreSQL ${version}, ${commitMs.toFixed(1)} ms for a commit${isSafe ? '' : ', and synchronous_commit is off: what it has committed may be lost when it crashes, so calls could run twice. Turn it on'}`,
      },
      {
        what: 'workers',
        state: Number(alive) > 0 ? 'ok' : 'missing',
        detail:
          Number(alive) > 0
            ? `${counted(Number(alive), 'worker')} of version ${versions}; ${lost} lost within a day`
            : 'None reports. helve worker starts one',
      },
      {
        what: 'prompts',
        state: 'ok',
        detail: `${open} have not ended; ${counted(Number(waiting), 'session')} ${Number(waiting) === 1 ? 'waits' : 'wait'} for an answer`,
      },
    ];
  } finally {
    await database.end();
  }
}

interface FleetFacts {
  version: string;
  synchronous: string;
  alive: string;
  versions: string | null;
  lost: string;
  waiting: string;
  open: string;
}

/** A worker that is not marked as lost may have been the last one: then no other has judged it. */
const FACTS = `
  select current_setting('server_version') as version, current_setting('synchronous_commit') as synchronous,
    (select count(*) from helve.worker where lost_at is null and seen_at > now() - interval '1 minute') as alive,
    (select string_agg(distinct version, ', ') from helve.worker
      where lost_at is null and seen_at > now() - interval '1 minute') as versions,
    (select count(*) from helve.worker where lost_at > now() - interval '1 day') as lost,
    (select count(*) from helve.session where state = 'requires_action') as waiting,
    (select count(*) from helve.prompt where ended_at is null) as open`;

/** How long the quickest of several took, in milliseconds. */
async function shortest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < COMMITS; round += 1) {
    const started = monotonicMs();
    await work();
    times.push(monotonicMs() - started);
  }
  return Math.min(...times);
}
