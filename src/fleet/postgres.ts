// The connection to PostgreSQL. The package `pg` is optional: it is loaded with the first connection.
import type { Pool } from 'pg';
import { codeOf } from '../platform/error-code.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';

export type Database = Pool;

const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const SCHEMA_LOCK = 7_433_001; // any number that other programs are not likely to use

/** A database can't be used. The message says why and what to do next. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}

/** Each statement is harmless if it has run before. A later version adds to the end. */
const SCHEMA = [
  'create schema if not exists helve',
  `create table if not exists helve.session (
     id text primary key,
     epoch bigint not null,
     written_at timestamptz not null default now()
   )`,
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
];

/** Connects, and creates the tables that are missing. Rejects with `DatabaseProblem`. */
export async function openDatabase(url: string): Promise<Database> {
  const { Pool } = await loadPackage<typeof import('pg')>('pg');
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'helve',
  });
  pool.on('error', () => {}); // of an idle connection: the next query opens another
  try {
    await migrate(pool);
    return pool;
  } catch (error) {
    await pool.end();
    throw new DatabaseProblem(
      `The database ${withoutPassword(url)} can't be used: ${clause(messageOf(error))}. Check the address, and that the role may create a schema in it.`,
      { cause: error },
    );
  }
}

/** Workers that start at the same time take turns: `create … if not exists` is not atomic. */
async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    for (const statement of SCHEMA) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the first error is reported
    throw error;
  } finally {
    client.release();
  }
}

/** Loads an optional package. Its name is not a literal, which bundlers would resolve. */
export async function loadPackage<Module>(name: 'pg' | '@dbos-inc/dbos-sdk'): Promise<Module> {
  try {
    const loaded = await import(name);
    return loaded.default ?? loaded;
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new DatabaseProblem(
      `The package ${name} is not installed beside helve, and --database needs it. Install it: npm install ${name} (with -g if helve was installed so).`,
      { cause: error },
    );
  }
}

function withoutPassword(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return 'of --database';
  }
}
