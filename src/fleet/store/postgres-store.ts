// Records of sessions in PostgreSQL. Appends of all sessions of this process that arrive while one statement is under way go
// into the next one: one round trip and one commit for what has gathered. An append counts once the database has committed it.
import type { QueryResultRow } from 'pg';
import { type Database, queryWhenUp } from '../postgres.js';
import {
  type AppendedBytes,
  assertFileName,
  type RecordStore,
  SessionLost,
  type SessionOwner,
  type StoredSession,
  WorkerLost,
  WrongPosition,
} from './record-store.js';
import { openSealed, type Seal, sealedBytes } from './seal.js';

const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const PARTS_READ = 64;

export interface PostgresStoreOptions {
  /** Encrypts contents. */
  seal?: Seal | undefined;
  /** The worker that claims sessions. Default: a claim needs none. */
  worker?: string;
}

interface Waiting {
  owner: SessionOwner;
  appended: readonly AppendedBytes[];
  done: PromiseWithResolvers<void>;
}

export class PostgresStore implements RecordStore {
  readonly #database: Database;
  readonly #seal: Seal | undefined;
  readonly #worker: string | undefined;
  #waiting: Waiting[] = [];
  #isWriting = false;
  #isClosed = false;

  constructor(database: Database, { seal, worker }: PostgresStoreOptions = {}) {
    this.#database = database;
    this.#seal = seal;
    this.#worker = worker;
  }

  /** Rejects with `WorkerLost` if this worker is lost: the sessions are those of others then. */
  async claim(sessionId: string): Promise<SessionOwner> {
    const [claimed] = await this.#query<{ epoch: string }>(CLAIM, [sessionId, this.#worker ?? null]);
    if (!claimed) throw new WorkerLost();
    return { sessionId, epoch: Number(claimed.epoch) };
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
    const rows = await this.#query<{ file: string; size: string }>(
      'select file, max(position + size) as size from helve.record where session = $1 group by file',
      [sessionId],
    );
    return new Map(rows.map(({ file, size }) => [file, Number(size)]));
  }

  async *read(sessionId: string, file: string, from = 0): AsyncIterable<Uint8Array> {
    for (let position = from; ; ) {
      // From the part that holds the position, which may begin before it.
      const rows = await this.#query<StoredPart>(
        `select position, content, key_id from helve.record
         where session = $1 and file = $2 and position + size > $3 and position >= coalesce(
           (select max(position) from helve.record where session = $1 and file = $2 and position <= $3), 0)
         order by position limit ${PARTS_READ}`,
        [sessionId, file, position],
      );
      for (const part of rows) {
        const begin = Number(part.position);
        const sealed = { keyId: part.key_id, bytes: part.content };
        const bytes = openSealed(this.#seal, sealed, placeOf(sessionId, file, begin));
        yield bytes.subarray(position - begin);
        position = begin + bytes.length;
      }
      if (rows.length === 0) return;
    }
  }

  async sessions(): Promise<StoredSession[]> {
    const rows = await this.#query<{ id: string; epoch: string; written_at: Date }>(
      'select id, epoch, written_at from helve.session order by written_at desc',
    );
    return rows.map(({ id, epoch, written_at }) => ({ sessionId: id, epoch: Number(epoch), writtenAt: written_at }));
  }

  async remove(sessionId: string): Promise<void> {
    await this.#query('delete from helve.session where id = $1', [sessionId]);
  }

  /** Rejects the appends that wait. The database stays open. */
  close(): void {
    this.#isClosed = true;
  }

  async #query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return await queryWhenUp<Row>(this.#database, { text, values }, () => this.#isClosed);
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
      rows.map(({ sessionId, file, position, bytes }) => {
        const { bytes: stored } = sealedBytes(this.#seal, bytes, placeOf(sessionId, file, position));
        return Buffer.from(stored.buffer, stored.byteOffset, stored.length); // a plain Uint8Array would be sent as text
      }),
      this.#seal?.keyId ?? null,
    ];
    // If the database had committed it before the connection broke, the same statement finds its own rows.
    const query = { name: 'helve append', text: APPEND, values };
    const answered = await queryWhenUp<AnswerRow>(this.#database, query, () => this.#isClosed);
    return batch.map((_, request): Outcome => {
      const own = answered.filter((row) => row.request === request);
      if (own.some(({ owned }) => !owned)) return 'lost';
      const wrong = own.find(({ stored }) => !stored);
      return wrong ? { wrong: wrong.index } : 'stored';
    });
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

/** The worker is locked, so that it is not declared lost between the check and the claim. */
const CLAIM = `
  with live as (select id from helve.worker where id = $2 and lost_at is null for share)
  insert into helve.session as s (id, epoch, worker)
  select $1, 1, $2::text where $2::text is null or exists (select from live)
  on conflict (id) do update set epoch = s.epoch + 1, worker = $2, changed_at = now()
  returning epoch`;

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
