// Records of sessions in PostgreSQL. Appends of all sessions of this process that arrive while one statement is under way go
// into the next one: one round trip and one commit for what has gathered. An append counts once the database has committed it.
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../platform/error-code.js';
import type { Database } from '../postgres.js';
import {
  type AppendedBytes,
  assertFileName,
  type RecordStore,
  SessionLost,
  type SessionOwner,
  type StoredSession,
  WrongPosition,
} from './record-store.js';
import type { Seal } from './seal.js';

const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const PARTS_READ = 64;
const RETRY_MS = [50, 100, 200, 500, 1_000];

interface Waiting {
  owner: SessionOwner;
  appended: readonly AppendedBytes[];
  done: PromiseWithResolvers<void>;
}

export class PostgresStore implements RecordStore {
  readonly #database: Database;
  readonly #seal: Seal | undefined;
  #waiting: Waiting[] = [];
  #isWriting = false;
  #isClosed = false;

  /** With a seal, contents are encrypted. */
  constructor(database: Database, seal?: Seal) {
    this.#database = database;
    this.#seal = seal;
  }

  async claim(sessionId: string): Promise<SessionOwner> {
    const { rows } = await this.#database.query<{ epoch: string }>(
      `insert into helve.session as s (id, epoch) values ($1, 1)
       on conflict (id) do update set epoch = s.epoch + 1
       returning epoch`,
      [sessionId],
    );
    return { sessionId, epoch: Number(rows[0]?.epoch) };
  }

  /** Tries again while the database can't be reached: what was written must not be lost because of a restart of it. */
  async append(owner: SessionOwner, appended: readonly AppendedBytes[]): Promise<void> {
    for (const { file } of appended) assertFileName(file);
    if (appended.length === 0) return;
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ owner, appended, done });
    if (!this.#isWriting) void this.#write();
    await done.promise;
  }

  async files(sessionId: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#database.query<{ file: string; size: string }>(
      'select file, max(position + size) as size from helve.record where session = $1 group by file',
      [sessionId],
    );
    return new Map(rows.map(({ file, size }) => [file, Number(size)]));
  }

  async *read(sessionId: string, file: string, from = 0): AsyncIterable<Uint8Array> {
    for (let position = from; ; ) {
      // From the part that holds the position, which may begin before it.
      const { rows } = await this.#database.query<StoredPart>(
        `select position, content, key_id from helve.record
         where session = $1 and file = $2 and position + size > $3 and position >= coalesce(
           (select max(position) from helve.record where session = $1 and file = $2 and position <= $3), 0)
         order by position limit ${PARTS_READ}`,
        [sessionId, file, position],
      );
      for (const part of rows) {
        const begin = Number(part.position);
        const bytes = this.#opened(part, placeOf(sessionId, file, begin));
        yield bytes.subarray(position - begin);
        position = begin + bytes.length;
      }
      if (rows.length === 0) return;
    }
  }

  async sessions(): Promise<StoredSession[]> {
    const { rows } = await this.#database.query<{ id: string; epoch: string; written_at: Date }>(
      'select id, epoch, written_at from helve.session order by written_at desc',
    );
    return rows.map(({ id, epoch, written_at }) => ({ sessionId: id, epoch: Number(epoch), writtenAt: written_at }));
  }

  async remove(sessionId: string): Promise<void> {
    await this.#database.query('delete from helve.session where id = $1', [sessionId]);
  }

  /** Rejects the appends that wait. The database stays open. */
  close(): void {
    this.#isClosed = true;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const outcomes = await this.#writeBatch(batch);
        for (const [index, { owner, appended, done }] of batch.entries()) {
          const outcome = outcomes[index];
          if (outcome === 'stored') done.resolve();
          else if (outcome === 'lost' || outcome === undefined) done.reject(new SessionLost(owner));
          else done.reject(new WrongPosition(owner, appended[outcome.wrong] ?? { file: '', position: 0, bytes: NONE }));
        }
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#isWriting = false;
  }

  /** At most one append of each session: the next one continues what this one has stored. */
  #nextBatch(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const { sessionId } = waiting.owner;
      const isNext = !batch.has(sessionId) && !later.some(({ owner }) => owner.sessionId === sessionId);
      if (isNext && (batch.size === 0 || bytes < MAX_BATCH_BYTES)) batch.set(sessionId, waiting);
      else later.push(waiting);
      bytes += waiting.appended.reduce((sum, part) => sum + part.bytes.length, 0);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<Outcome[]> {
    const rows = batch.flatMap(({ owner, appended }, request) =>
      appended.map((part, index) => ({ request, index, ...owner, ...part })),
    );
    const values = [
      rows.map(({ request }) => request),
      rows.map(({ index }) => index),
      rows.map(({ sessionId }) => sessionId),
      rows.map(({ epoch }) => epoch),
      rows.map(({ file }) => file),
      rows.map(({ position }) => position),
      rows.map(({ bytes }) => bytes.length),
      rows.map(({ sessionId, file, position, bytes }) => this.#closed(bytes, placeOf(sessionId, file, position))),
      this.#seal?.keyId ?? null,
    ];
    const answered = await this.#withRetries<AnswerRow>({ name: 'helve append', text: APPEND, values });
    return batch.map((_, request): Outcome => {
      const own = answered.filter((row) => row.request === request);
      if (own.some(({ owned }) => !owned)) return 'lost';
      const wrong = own.find(({ stored }) => !stored);
      return wrong ? { wrong: wrong.index } : 'stored';
    });
  }

  /** Exactly the same statement: if the database had committed it before the connection broke, it finds its own rows. */
  async #withRetries<Row extends object>(query: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return (await this.#database.query<Row>(query)).rows;
      } catch (error) {
        if (this.#isClosed || !mayPass(error)) throw error;
        await delay(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
      }
    }
  }

  #closed(bytes: Uint8Array, place: string): Buffer {
    return this.#seal ? this.#seal.close(bytes, place) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #opened({ content, key_id }: StoredPart, place: string): Uint8Array {
    if (key_id === null) return content;
    if (this.#seal?.keyId === key_id) return this.#seal.open(content, place);
    throw new Error(
      `${place} is encrypted with the key ${key_id}, and this process has ${this.#seal ? `the key ${this.#seal.keyId}` : 'no key'}. Start it with --key-file and the file of that key.`,
    );
  }
}

interface StoredPart {
  position: string;
  content: Buffer;
  key_id: string | null;
}

interface AnswerRow {
  request: number;
  index: number;
  owned: boolean;
  stored: boolean;
}

type Outcome = 'stored' | 'lost' | { wrong: number };

const NONE = new Uint8Array();

const placeOf = (sessionId: string, file: string, position: number): string => `${sessionId}/${file}@${position}`;

/** The update of the session waits for a claim under way and then sees its epoch, so no append follows a later claim. */
const APPEND = `
  with given as (
    select *, sum(size) over (partition by request, file order by index) - size as before
    from unnest($1::int[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::int[], $8::bytea[])
      as g (request, index, session, epoch, file, position, size, content)
  ), owned as (
    update helve.session s set written_at = now()
    from (select distinct session, epoch from given) g
    where s.id = g.session and s.epoch = g.epoch
    returning s.id
  ), placed as (
    select g.* from given g join owned o on o.id = g.session
    where g.position = g.before + coalesce((
      select r.position + r.size from helve.record r
      where r.session = g.session and r.file = g.file order by r.position desc limit 1), 0)
  ), complete as (
    select request from given group by request having count(*) = (
      select count(*) from placed p where p.request = given.request)
  ), stored as (
    insert into helve.record (session, file, position, size, epoch, key_id, content)
    select session, file, position, size, epoch, $9, content from placed where request in (select request from complete)
    returning session, file, position
  )
  select g.request, g.index, o.id is not null as owned, s.session is not null or exists (
    select 1 from helve.record r where r.session = g.session and r.file = g.file
      and r.position = g.position and r.size = g.size and r.epoch = g.epoch) as stored
  from given g
  left join owned o on o.id = g.session
  left join stored s on s.session = g.session and s.file = g.file and s.position = g.position
  order by g.request, g.index`;

/** Whether the database may answer the same statement later: it restarts, or ended a deadlock. */
function mayPass(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  const isOfSystem = /^E[A-Z]+$/.test(code); // ECONNREFUSED, ECONNRESET, EPIPE …
  // Classes: connection, transaction rollback, insufficient resources, operator intervention. Without a code: the connection ended.
  return code === '' ? isConnectionEnd(error) : isOfSystem || /^(?:08|40|53|57)/.test(code);
}

const isConnectionEnd = (error: unknown): boolean =>
  error instanceof Error && /connection|timeout/i.test(error.message);
