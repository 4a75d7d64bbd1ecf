// The connection to PostgreSQL. The package `pg` is optional: it is loaded with the first connection.

import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { UserFacingError } from '../contract/user-facing-error.js';
import { codeOf } from '../platform/error-code.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';

export type Database = Pool;

const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const LOCK_RETRY_MS = 100;
const RETRY_MS = [50, 100, 200, 500, 1_000];

/** A database can't be used. The message says why and what to do next. */
export class DatabaseProblem extends UserFacingError {
  override readonly name = 'DatabaseProblem';
}

/** The first number of a schema that this version can't share with workers of versions before it. */
const OLDEST_SCHEMA = 1;

/** Each statement is harmless if it has run before. A later version adds to the end: the number of statements is that of the schema. */
const SCHEMA = [
  'create schema if not exists helve',
  // A process of `helve worker`. It is lost once it was silent for too long, and stays lost.
  `create table if not exists helve.worker (
     id text primary key,
     version text not null,
     seen_at timestamptz not null default now(),
     lost_at timestamptz
   )`,
  `create table if not exists helve.session (
     id text primary key,
     epoch bigint not null,
     worker text references helve.worker (id) on delete set null,
     state text not null default 'idle',
     project text not null default '',
     root text not null default '',
     title text not null default '',
     changed_at timestamptz not null default now(),
     written_at timestamptz not null default now()
   )`,
  'create index if not exists session_worker on helve.session (worker) where worker is not null',
  // Only grows. Position and size count the bytes of the file, also if the content is encrypted.
  `create table if not exists helve.record (
     session text not null references helve.session (id) on delete cascade,
     file text not null,
     position bigint not null,
     size integer not null,
     epoch bigint not null,
     key_id text,
     content bytea not null,
     primary key (session, file, position)
   )`,
  // The prompts of a session run in the order of their numbers, one at a time.
  `create table if not exists helve.prompt (
     session text not null references helve.session (id) on delete cascade,
     id text not null,
     number bigint generated always as identity,
     priority integer not null,
     actor text not null,
     key_id text,
     content bytea not null,
     attempt integer not null default 0,
     is_queued boolean not null default false,
     accepted_at timestamptz not null default now(),
     begun_at timestamptz,
     cancelled_at timestamptz,
     ended_at timestamptz,
     outcome text,
     problem text,
     primary key (session, id)
   )`,
  `create table if not exists helve.question (
     session text not null references helve.session (id) on delete cascade,
     id text not null,
     epoch bigint not null,
     key_id text,
     content bytea not null,
     asked_at timestamptz not null default now(),
     answer bytea,
     actor text,
     primary key (session, id, epoch)
   )`,
  // The repository that the session works on, in a workspace of its own; null if it works in a folder of the workers.
  'alter table helve.session add column if not exists repository text',
  'alter table helve.session add column if not exists ref text',
  'create index if not exists prompt_open on helve.prompt (session, number) where ended_at is null',
  // What clients are shown of a run, in order; see live-log.ts.
  `create table if not exists helve.live (
     session text not null references helve.session (id) on delete cascade,
     epoch bigint not null,
     position integer not null,
     key_id text,
     content bytea not null,
     written_at timestamptz not null default now(),
     primary key (session, epoch, position)
   )`,
  'alter table helve.prompt add column if not exists losses integer not null default 0',
  'alter table helve.prompt add column if not exists actor_limit integer',
  'alter table helve.worker add column if not exists has_left boolean not null default false',
  // What a project may do; one without a row may do what the workers may.
  `create table if not exists helve.project (
     name text primary key,
     folders text[] not null default '{}',
     repositories text[] not null default '{}',
     models text[] not null default '{}',
     deny text[] not null default '{}',
     ask text[] not null default '{}',
     running integer,
     per_day integer,
     priority integer not null default 0
   )`,
  // How many prompts a project or an actor has sent on a day, in UTC.
  `create table if not exists helve.used (
     scope text not null,
     day date not null,
     prompts integer not null,
     primary key (scope, day)
   )`,
  `create table if not exists helve.schedule (
     id text primary key,
     project text not null,
     root text not null,
     cron text not null,
     title text not null,
     priority integer not null,
     actor text not null,
     key_id text,
     content bytea not null,
     next_at timestamptz not null,
     last_at timestamptz,
     last_session text
   )`,
  'alter table helve.schedule add column if not exists repository text',
  'alter table helve.schedule add column if not exists ref text',
  // That of the session, for the following indexes: workers look once a second for what is due.
  "alter table helve.prompt add column if not exists project text not null default ''",
  `update helve.prompt p set project = s.project from helve.session s
   where s.id = p.session and p.ended_at is null and p.project <> s.project`,
  `create index if not exists prompt_waiting on helve.prompt (project, priority desc, number)
     where ended_at is null and not is_queued`,
  'create index if not exists prompt_queued on helve.prompt (project) where ended_at is null and is_queued',
  `create index if not exists prompt_lost on helve.prompt (number)
     where ended_at is null and not is_queued and begun_at is not null`,
  'create index if not exists prompt_cancelled on helve.prompt (session) where ended_at is null and cancelled_at is not null',
  // The key that contents are encrypted with, by its id; no row if they are not.
  'create table if not exists helve.schema (is_only boolean primary key default true check (is_only), number integer not null, oldest integer not null)',
  'create table if not exists helve.key (is_only boolean primary key default true check (is_only), id text not null)',
];

/** Connects, and creates the tables that are missing unless it only looks. Rejects with `DatabaseProblem`. */
export async function openDatabase(url: string, { onlyLooks = false } = {}): Promise<Database> {
  assertAddress(url);
  const { Pool } = await loadPackage<typeof import('pg')>('pg');
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'helve',
  });
  pool.on('error', () => {}); // of an idle connection: the next query opens another
  try {
    if (onlyLooks) await schemaOf(pool);
    else await migrate(pool);
    return pool;
  } catch (error) {
    await pool.end();
    if (error instanceof DatabaseProblem) throw error;
    throw new DatabaseProblem(
      `The database ${withoutPassword(url)} can't be used: ${clause(messageOf(error))}. Check the address, and that the role may ${onlyLooks ? 'read the schema helve' : 'create a schema'} in it.`,
      { cause: error },
    );
  }
}

/** Runs the statement, again and again while the database can't be reached. It must be harmless if it has run before. */
export async function queryWhenUp<Row extends QueryResultRow>(
  database: Database,
  query: QueryConfig,
  isGivenUp: () => boolean = () => false,
): Promise<Row[]> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (await database.query<Row>(query)).rows;
    } catch (error) {
      if (isGivenUp() || !mayPass(error)) throw error;
      await delay(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
    }
  }
}

/** Whether the database may answer the same statement later: it restarts, or ended a deadlock. */
function mayPass(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  // Without a code: the package reports that the connection has ended or was not made in time.
  if (code === '') return error instanceof Error && /connection|timeout/i.test(error.message);
  const isOfSystem = /^E[A-Z]+$/.test(code); // ECONNREFUSED, ECONNRESET, EPIPE …
  // Classes of SQL states: connection, rolled back, insufficient resources, operator intervention.
  return isOfSystem || /^(?:08|40|53|57)/.test(code);
}

/**
 * Workers may start at the same time, and `create … if not exists` is not atomic. A version of Helve that only adds to the
 * schema leaves `oldest` as it is, so that workers of earlier versions go on.
 */
async function migrate(database: Database): Promise<void> {
  const { number: known } = await schemaOf(database);
  if (known >= SCHEMA.length) return;
  await withDatabaseLock(database, 'helve schema', async () => {
    await createTables(database);
    await database.query(
      `insert into helve.schema (number, oldest) values ($1, $2)
       on conflict (is_only) do update set number = greatest(schema.number, $1), oldest = greatest(schema.oldest, $2)`,
      [SCHEMA.length, OLDEST_SCHEMA],
    );
  });
}

/** The number of the schema in the database, 0 if there is none, and of this version. Throws if only later versions understand it. */
export async function schemaOf(database: Database): Promise<{ number: number; ours: number }> {
  const ours = SCHEMA.length;
  const { rows: tables } = await database.query("select to_regclass('helve.schema') is not null as is_there");
  if (tables[0]?.is_there !== true) return { number: 0, ours };
  const { rows } = await database.query<{ number: number; oldest: number }>('select number, oldest from helve.schema');
  const [{ number, oldest } = { number: 0, oldest: 0 }] = rows;
  if (oldest <= ours) return { number, ours };
  throw new DatabaseProblem(
    `The database was changed by a later version of Helve: its schema has the number ${number}, and this version knows ${ours}. Update Helve here.`,
  );
}

/** Tables of another program may have the same names. */
async function createTables(database: Database): Promise<void> {
  try {
    for (const statement of SCHEMA) await database.query(statement);
    await database.query(
      'select id, epoch, worker, state, project, root, title, written_at from helve.session limit 0',
    );
    await database.query('select session, file, position, size, epoch, key_id, content from helve.record limit 0');
    await database.query('select session, id, number, attempt, is_queued, ended_at from helve.prompt limit 0');
  } catch (error) {
    const isOther = /^42/.test(codeOf(error) ?? '') && codeOf(error) !== '42501'; // 42501: the role may not
    if (!isOther) throw error;
    throw new DatabaseProblem(
      `The schema helve of the database has tables that are not those of Helve: ${clause(messageOf(error))}. Name another database, or rename that schema.`,
      { cause: error },
    );
  }
}

/**
 * Contents of a fleet are encrypted with one key, or not at all. The first process with a key decides that. Rejects for one
 * that could not read what others write.
 */
export async function assertKey(
  database: Database,
  keyId: string | undefined,
  { isFirst = keyId !== undefined } = {},
): Promise<void> {
  if (isFirst) {
    await database.query('insert into helve.key (id) values ($1) on conflict (is_only) do nothing', [keyId]);
  }
  const used = await usedKey(database);
  if (used === keyId) return;
  const own = keyId === undefined ? 'no key was given' : `the file of --key-file has the key ${keyId}`;
  if (used === undefined) throw new DatabaseProblem(`The fleet in this database does not encrypt, and ${own}.`);
  throw new DatabaseProblem(
    `The fleet in this database encrypts with the key ${used}, and ${own}. Name the file of that key with --key-file.`,
  );
}

export async function usedKey(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>('select id from helve.key');
  return rows[0]?.id;
}

/**
 * Runs the work while no other process does work of this name. The lock is that of a connection, and is asked for again and
 * again: `create index concurrently` of the queue waits for every transaction and every statement that has begun before it,
 * also for one that waits for a lock. Not for work that must go on while one process hangs.
 */
export async function withDatabaseLock(database: Database, name: string, work: () => Promise<void>): Promise<void> {
  const client = await database.connect();
  const lock = async (): Promise<boolean> =>
    (await client.query('select pg_try_advisory_lock(hashtext($1)) as is_ours', [name])).rows[0]?.is_ours === true;
  try {
    while (!(await lock())) await delay(LOCK_RETRY_MS);
    await work();
    await client.query('select pg_advisory_unlock(hashtext($1))', [name]);
    client.release();
  } catch (error) {
    client.release(true); // closes the connection, and with it frees the lock
    throw error;
  }
}

/** Loads an optional package. Its name is not a literal, which bundlers would resolve. */
export async function loadPackage<Module>(name: 'pg' | '@dbos-inc/dbos-sdk'): Promise<Module> {
  try {
    const loaded = await import(name);
    return loaded.default ?? loaded;
  } catch (error) {
    // The second is of `require`, which `import` becomes in the bundle.
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(error) ?? '')) throw error;
    throw new DatabaseProblem(
      `The package ${name} is not installed beside helve, and --database needs it. Install it: npm install ${name} (with -g if helve was installed so).`,
      { cause: error },
    );
  }
}

/** The driver takes anything for the name of a host or of a socket. */
function assertAddress(url: string): void {
  if (/^postgres(?:ql)?:\/\//i.test(url) && URL.canParse(url)) return;
  const shown = /[@:]/.test(url) ? 'The address of the database' : `"${url}"`; // it may have a password
  throw new DatabaseProblem(
    `${shown} is not one of PostgreSQL: it has the form postgres://USER:PASSWORD@HOST:PORT/NAME, with %40 in place of an @ in the password.`,
  );
}

function withoutPassword(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return 'of --database';
  }
}
