// What clients are shown of a session while it runs: the changes of its feed, in order. The worker of the session adds to it,
// and servers read it. It is no record: what was said and done is in the records of the session, and the log of a run is
// removed some time after the next run has begun.
import { setTimeout as delay } from 'node:timers/promises';
import { PromptInterrupted } from '../host/prompt-queue.js';
import type { FeedChange, FeedEntry, SessionFeed } from '../host/session-feed.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { GrowingText } from '../platform/text/growing-text.js';
import { type Database, queryWhenUp } from './postgres.js';
import { notify } from './signals.js';
import type { SessionOwner } from './store/record-store.js';
import { openSealed, type Seal, sealedBytes } from './store/seal.js';

const GATHER_MS = 100; // changes within this time go into one row
const KEPT_SECONDS = 120; // of a run that is over: servers that were cut off for less miss nothing
const ROWS_READ = 200;

/** A place in the log of a session: the epoch of the run, and the number of the row in it. */
export interface LivePlace {
  epoch: number;
  position: number;
}

/** A change of an entry. Of a text it has what is new from the character `from` on. */
export interface LiveChange {
  entry: FeedEntry;
  from: number;
}

export interface LiveRow extends LivePlace {
  sessionId: string;
  /** In the first row of a run: the length of `session.jsonl` when it began. */
  pastBytes: number | undefined;
  changes: readonly LiveChange[];
}

export interface FollowOptions {
  pastBytes: number;
  closing: AbortSignal;
  before(entry: FeedEntry): Promise<void>;
}

export class LiveLog {
  readonly #database: Database;
  readonly #seal: Seal | undefined;

  constructor(database: Database, seal?: Seal) {
    this.#database = database;
    this.#seal = seal;
  }

  /**
   * Adds what changes in the feed until the feed ends. Does nothing once the session has another owner. `pastBytes`: the
   * length of `session.jsonl` before the run. `closing`: the feed is about to end. `before`: what must be stored before
   * clients are shown an entry.
   */
  async follow(owner: SessionOwner, feed: SessionFeed, { pastBytes, closing, before }: FollowOptions): Promise<void> {
    const subscription = feed.subscribe({ fromStart: true });
    let position = 0;
    let isOurs = await this.#add(owner, position, { pastBytes, changes: [] });
    let changes: unknown[] = [];
    for await (const change of subscription) {
      await before(change.entry);
      changes.push(asJson(change));
      if (subscription.waiting > 0) continue;
      position += 1;
      if (isOurs) isOurs = await this.#add(owner, position, { changes });
      changes = [];
      await delay(GATHER_MS, undefined, { signal: closing }).catch(() => {}); // the rest goes at once
    }
  }

  /** What was added after these places, of several sessions; not necessarily all of it. */
  async after(places: ReadonlyMap<string, LivePlace>): Promise<LiveRow[]> {
    const at = [...places.values()];
    const rows = await queryWhenUp<StoredRow>(this.#database, {
      text: `select l.session, l.epoch, l.position, l.key_id, l.content
             from unnest($1::text[], $2::bigint[], $3::integer[]) as at (session, epoch, position)
             join helve.live l on l.session = at.session and (l.epoch, l.position) > (at.epoch, at.position)
             order by l.session, l.epoch, l.position limit ${ROWS_READ}`,
      values: [[...places.keys()], at.map(({ epoch }) => epoch), at.map(({ position }) => position)],
    });
    return rows.map((row) => this.#opened(row));
  }

  /** Where the latest run of the session begins; undefined if nothing is kept of it. */
  async latestRun(sessionId: string): Promise<LiveRow | undefined> {
    const [row] = await queryWhenUp<StoredRow>(this.#database, {
      text: `select session, epoch, position, key_id, content from helve.live
             where session = $1 and position = 0 order by epoch desc limit 1`,
      values: [sessionId],
    });
    return row && this.#opened(row);
  }

  /** Removes what is left of runs that were followed by another one, or are over for long. */
  async removeOld(): Promise<void> {
    await this.#database.query(
      `delete from helve.live l using helve.session s where s.id = l.session
       and l.written_at < now() - make_interval(secs => ${KEPT_SECONDS}) and (s.epoch > l.epoch or s.worker is null)`,
    );
  }

  async #add({ sessionId, epoch }: SessionOwner, position: number, content: unknown): Promise<boolean> {
    const place = placeOf(sessionId, epoch, position);
    const { keyId, bytes } = sealedBytes(this.#seal, JSON.stringify(content), place);
    const rows = await queryWhenUp(this.#database, {
      text: `with added as (
               insert into helve.live (session, epoch, position, key_id, content)
               select id, epoch, $3, $4, $5 from helve.session where id = $1 and epoch = $2
               on conflict (session, epoch, position) do nothing)
             select ${notify('changed', 'id')} from helve.session where id = $1 and epoch = $2`,
      values: [sessionId, epoch, position, keyId, bytes],
    });
    return rows.length > 0;
  }

  #opened({ session: sessionId, epoch: given, position, key_id: keyId, content }: StoredRow): LiveRow {
    const epoch = Number(given);
    const plain = openSealed(this.#seal, { keyId, bytes: content }, placeOf(sessionId, epoch, position));
    const value = parseJson(Buffer.from(plain).toString());
    const { pastBytes, changes } = isObject(value) ? value : {};
    return {
      sessionId,
      epoch,
      position,
      pastBytes: typeof pastBytes === 'number' ? pastBytes : undefined,
      changes: Array.isArray(changes) ? changes.flatMap(changeIn) : [],
    };
  }
}

interface StoredRow {
  session: string;
  epoch: string;
  position: number;
  key_id: string | null;
  content: Buffer;
}

const placeOf = (sessionId: string, epoch: number, position: number): string =>
  `${sessionId}/live/${epoch}/${position}`;

function asJson({ entry, from }: FeedChange): unknown {
  if (entry.kind === 'text' || entry.kind === 'thought') {
    return { entry: { ...entry, text: entry.text.after(from) }, from };
  }
  if (entry.kind !== 'end' || 'result' in entry.end) return { entry, from: 0 };
  const { message } = entry.end.error;
  const isInterrupted = entry.end.error instanceof PromptInterrupted;
  return { entry: { ...entry, end: { error: { message, isInterrupted } } }, from: 0 };
}

/** None for what is no entry. */
function changeIn(value: unknown): LiveChange[] {
  const { entry, from } = isObject(value) ? value : {};
  if (!isObject(entry) || typeof entry['kind'] !== 'string' || typeof entry['id'] !== 'string') return [];
  const { kind, id, promptId, end } = entry;
  const error = isObject(end) ? end['error'] : undefined;
  if (kind === 'end' && isObject(error)) {
    const message = String(error['message']);
    const failure = error['isInterrupted'] === true ? new PromptInterrupted(message) : new Error(message);
    return [{ entry: { kind, id: String(id), promptId: String(promptId), end: { error: failure } }, from: 0 }];
  }
  if (kind === 'text' || kind === 'thought') {
    const text = new GrowingText(String(entry['text'] ?? ''));
    return [{ entry: { kind, id: String(id), text }, from: Number(from ?? 0) }];
  }
  return [{ entry: entry as unknown as FeedEntry, from: 0 }]; // as `asJson` of a worker has written it
}
