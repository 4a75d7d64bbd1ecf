// Whether a fleet can meet in a database: `helve doctor --database`.

import {
  assertKey,
  type Database,
  DatabaseProblem,
  loadPackage,
  openDatabase,
  schemaOf,
  usedKey,
} from '../../fleet/postgres.js';
import { monotonicMs } from '../../platform/clock.js';
import { messageOf } from '../../platform/message-of.js';
import { counted } from '../../platform/text/counted.js';
import { type DoctorFinding, firstLineOf } from '../doctor.js';
import { sealOf } from '../worker.js';

const COMMITS = 5;
const SLOW_COMMIT_MS = 20; // each call that may change something waits for one

const CLOCK_MS = 60_000; // more is a clock that is wrong

/** Looks only: the schema is created by workers. */
export async function checkDatabase(url: string, keyFile: string | undefined): Promise<DoctorFinding[]> {
  const found = [await checkPackage('pg'), await checkPackage('@dbos-inc/dbos-sdk'), await checkGit()];
  if (found[0]?.state !== 'ok') return found;
  const keyId = keyFile === undefined ? undefined : (await sealOf(keyFile)).keyId;
  try {
    return [...found, ...(await checkContents(url, keyId))];
  } catch (error) {
    return [...found, { what: 'database', state: 'broken', detail: messageOf(error) }];
  }
}

async function checkGit(): Promise<DoctorFinding> {
  const version = await firstLineOf('git', ['--version']);
  if (version !== undefined) return { what: 'git', state: 'ok', detail: version };
  return {
    what: 'git',
    state: 'missing',
    detail: 'not found. Workers need it for sessions on a repository. Install it',
  };
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

async function checkContents(url: string, keyId: string | undefined): Promise<DoctorFinding[]> {
  const database = await openDatabase(url, { onlyLooks: true });
  try {
    const { number, ours } = await schemaOf(database);
    const server = [await checkServer(database), await checkClock(database)];
    if (number === 0) {
      return [...server, { what: 'schema', state: 'missing', detail: 'There is none yet. helve worker creates it' }];
    }
    const schema: DoctorFinding = {
      what: 'schema',
      state: number < ours ? 'warning' : 'ok',
      detail: `number ${number}${number < ours ? `; this version has ${ours}, and its first worker adds what is missing` : ''}`,
    };
    if (number < ours) return [...server, schema];
    return [...server, schema, await checkKey(database, keyId), ...(await checkWork(database))];
  } finally {
    await database.end();
  }
}

async function checkServer(database: Database): Promise<DoctorFinding> {
  const { rows } = await database.query<{ version: string; synchronous: string }>(
    "select current_setting('server_version') as version, current_setting('synchronous_commit') as synchronous",
  );
  const { version, synchronous } = rows[0] ?? {};
  // A message in the log of the server: it must reach the disk like a record, and leaves nothing in a table.
  const commitMs = await shortest(() => database.query("select pg_logical_emit_message(true, 'helve', '')"));
  const isSafe = synchronous !== 'off';
  return {
    what: 'database',
    state: isSafe && commitMs <= SLOW_COMMIT_MS ? 'ok' : 'warning',
    detail: `PostgreSQL ${version}, ${commitMs.toFixed(1)} ms for a commit${isSafe ? '' : ', and synchronous_commit is off: what it has committed may be lost when it crashes, so calls could run twice. Turn it on'}`,
  };
}

/** Nothing depends on it, apart from times that people compare. */
async function checkClock(database: Database): Promise<DoctorFinding> {
  const before = Date.now();
  const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
  const difference = Math.round(((rows[0]?.now.getTime() ?? before) - (before + Date.now()) / 2) / 1_000);
  if (Math.abs(difference) * 1_000 <= CLOCK_MS) {
    return { what: 'clock', state: 'ok', detail: 'within a minute of that of the database' };
  }
  const words = `that of the database is ${Math.abs(difference)} s ${difference > 0 ? 'ahead' : 'behind'}. Times in audit logs differ by that; schedules and takeovers go by the database. Set one of the clocks`;
  return { what: 'clock', state: 'warning', detail: words };
}

async function checkKey(database: Database, keyId: string | undefined): Promise<DoctorFinding> {
  try {
    const used = await usedKey(database);
    if (keyId !== undefined) await assertKey(database, keyId, { isFirst: false });
    if (used === undefined) return { what: 'key', state: 'ok', detail: 'contents are not encrypted' };
    const words = keyId === undefined ? '; --key-file checks yours' : ', which is yours';
    return { what: 'key', state: 'ok', detail: `contents are encrypted with ${used}${words}` };
  } catch (error) {
    if (!(error instanceof DatabaseProblem)) throw error;
    return { what: 'key', state: 'broken', detail: error.message };
  }
}

async function checkWork(database: Database): Promise<DoctorFinding[]> {
  const { rows } = await database.query<FleetFacts>(FACTS);
  const { alive, versions, lost, waiting, open } = rows[0] ?? {};
  return [
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
}

interface FleetFacts {
  alive: string;
  versions: string | null;
  lost: string;
  waiting: string;
  open: string;
}

/** A worker that is not marked as lost may have been the last one: then no other has judged it. */
const FACTS = `
  select (select count(*) from helve.worker where lost_at is null and seen_at > now() - interval '1 minute') as alive,
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
