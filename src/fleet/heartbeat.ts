// Who is alive. A worker reports once in a fifth of the limit; one that was silent for longer than the limit is lost, and
// stays lost: its sessions get the next epoch in the same transaction, so that it can append nothing from then on, whether
// it has ended, hangs, or was only stopped for a while. Times are those of the database.
import { monotonicMs } from '../platform/clock.js';
import { type Database, queryWhenUp } from './postgres.js';
import { notify } from './signals.js';

export interface HeartbeatOptions {
  database: Database;
  worker: string;
  version: string;
  /** How long a worker may be silent. */
  limitMs: number;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #since = monotonicMs();
  #last = monotonicMs();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  async register(): Promise<void> {
    const { database, worker, version } = this.#options;
    await database.query('insert into helve.worker (id, version) values ($1, $2)', [worker, version]);
  }

  /** Reports that this worker is alive. False if it is lost. */
  async beat(): Promise<boolean> {
    const { database, worker, limitMs } = this.#options;
    const before = monotonicMs();
    const { rowCount } = await database.query(
      'update helve.worker set seen_at = now() where id = $1 and lost_at is null',
      [worker],
    );
    if (before - this.#last > limitMs) this.#since = before;
    this.#last = before;
    return rowCount === 1;
  }

  /**
   * Declares workers lost that were silent for too long. Returns their number. A worker judges others only once it has itself
   * reported for as long: while the database was not to be reached, all were silent.
   */
  async judge(): Promise<number> {
    const { database, limitMs } = this.#options;
    if (this.#last - this.#since < limitMs) return 0;
    const { rows } = await database.query<{ workers: string }>(`${LOSE} select count(*) as workers from lost`, [
      limitMs / 1_000,
      null,
    ]);
    return Number(rows[0]?.workers);
  }

  /** Gives the sessions of this worker to others at once. */
  async leave(): Promise<void> {
    const { database, worker } = this.#options;
    await database.query(`${LOSE} select from lost`, [0, worker]);
  }

  /** Workers that are alive, and those that have ended in order. */
  async workers(): Promise<{ living: Set<string>; left: Set<string> }> {
    const { rows } = await this.#options.database.query<{ id: string; has_left: boolean }>(
      'select id, has_left from helve.worker where lost_at is null or has_left',
    );
    const ids = (hasLeft: boolean): string[] => rows.filter((row) => row.has_left === hasLeft).map(({ id }) => id);
    return { living: new Set(ids(false)), left: new Set(ids(true)) };
  }
}

/** Those that were silent for $1 seconds, or the worker $2. */
const LOSE = `
  with lost as (
    update helve.worker set lost_at = now(), has_left = $2::text is not null
    where lost_at is null and ($2::text is null and seen_at < now() - make_interval(secs => $1) or id = $2)
    returning id
  ), given as (
    update helve.session s set epoch = epoch + 1, worker = null, state = 'interrupted', changed_at = now()
    from lost where s.worker = lost.id
    returning ${notify('due', 's.id')}, ${notify('changed', 's.id')}
  )`;

/** Whether a worker has reported of late. One that is not marked as lost may have been the last one: no other has judged it. */
export async function hasWorkers(database: Database): Promise<boolean> {
  const [row] = await queryWhenUp<{ reports: boolean }>(database, {
    text: `select exists (
             select from helve.worker where lost_at is null and seen_at > now() - interval '1 minute') as reports`,
    values: [],
  });
  return row?.reports === true;
}
