// A session of the fleet as clients of a server see it: what was said before, and a feed that goes on from there, over all
// workers that the session has.
import { existsSync, statSync } from 'node:fs';
import { readSession } from '../../agent/store/read-session.js';
import { restoreSession } from '../../agent/store/restore-session.js';
import type { RestoredSession } from '../../agent/store/restored-session.js';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { PromptInterrupted } from '../../host/prompt-queue.js';
import { type FeedEntry, type HostState, SessionFeed } from '../../host/session-feed.js';
import type { LiveLog, LivePlace, LiveRow } from '../live-log.js';
import type { EndedPrompt } from '../prompts.js';
import type { SessionCopies } from './session-copies.js';
import type { FleetRow, SessionList } from './session-list.js';

const AT_END = 2_147_483_647; // after all rows of a run
const TRIES = 40;
const TRY_MS = 50;

export interface ViewSources {
  copies: SessionCopies;
  live: LiveLog;
  list: SessionList;
}

export class SessionView {
  readonly feed = new SessionFeed();
  readonly sessionId: string;
  readonly #copies: SessionCopies;
  /** How much of `session.jsonl` comes before the feed. */
  readonly #pastBytes: number;
  #place: LivePlace;
  #row: FleetRow;
  #openPrompts: ReadonlySet<string> = new Set();

  private constructor(row: FleetRow, copies: SessionCopies, pastBytes: number, place: LivePlace) {
    this.sessionId = row.sessionId;
    this.#row = row;
    this.#copies = copies;
    this.#pastBytes = pastBytes;
    this.#place = place;
  }

  /** Undefined if there is no such session. */
  static async open(sessionId: string, { copies, live, list }: ViewSources): Promise<SessionView | undefined> {
    for (let round = 1; ; round += 1) {
      const [row] = await list.rows([sessionId]);
      if (!row) return undefined;
      const run = await live.latestRun(sessionId);
      await copies.refresh(sessionId);
      if (run) {
        const { epoch, pastBytes = 0 } = run;
        return new SessionView(row, copies, pastBytes, { epoch, position: -1 });
      }
      const [now] = await list.rows([sessionId]);
      // A run that has begun meanwhile may have added records that its log will have, too.
      const isSure = now?.epoch === row.epoch && now.worker === null;
      if (isSure || round === TRIES) {
        const place = { epoch: row.epoch, position: AT_END };
        return new SessionView(row, copies, sizeOf(sessionFolder(copies.dataFolder, sessionId).file), place);
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_MS));
    }
  }

  get place(): LivePlace {
    return this.#place;
  }

  get row(): FleetRow {
    return this.#row;
  }

  get state(): HostState {
    return hostState(this.#row);
  }

  get openPrompts(): ReadonlySet<string> {
    return this.#openPrompts;
  }

  /** The prompt was accepted: the feed will have its end. */
  expect(promptId: string): void {
    if (!this.feed.get(`end:${promptId}`, 'end')) this.#openPrompts = new Set([...this.#openPrompts, promptId]);
  }

  /** What comes before the feed. */
  past(): RestoredSession {
    return this.#restored(this.#pastBytes);
  }

  /** All that is recorded. */
  pastAndNow(): RestoredSession {
    return this.#restored(Number.POSITIVE_INFINITY);
  }

  /** The changes that a worker has added. */
  apply({ epoch, position, changes }: LiveRow): void {
    if (epoch < this.#place.epoch) return; // of a worker that was lost
    if (epoch > this.#place.epoch) this.#beginRun();
    this.#place = { epoch, position };
    for (const { entry, from } of changes) {
      if (entry.kind === 'state') continue; // that of the row: the worker may be lost
      const named = namedIn(entry, epoch);
      if (named.kind === 'text' || named.kind === 'thought') {
        const known = this.feed.get(named.id, named.kind);
        known?.text.add(named.text.after(Math.max(0, known.text.length - from)));
        this.feed.put(known ?? named);
      } else this.feed.put(named);
    }
  }

  /** The state of the session, and the prompts that wait or run. `ended`: those that were open before. */
  settle(row: FleetRow, openPrompts: ReadonlySet<string>, ended: readonly EndedPrompt[]): void {
    this.#row = row;
    const hasEnded = new Set(ended.map(({ promptId }) => promptId));
    const before = [...this.#openPrompts].filter((id) => !hasEnded.has(id)); // one may be newer than the look
    this.#openPrompts = new Set([...before, ...openPrompts]);
    for (const { promptId, outcome, problem } of ended) {
      if (this.feed.get(`end:${promptId}`, 'end')) continue;
      const error = outcome === 'interrupted' ? new PromptInterrupted('It was interrupted.') : new Error(problem ?? '');
      this.feed.put({ kind: 'end', id: `end:${promptId}`, promptId, end: { error } }); // it ended without a session
    }
    const { state } = this;
    if (this.feed.get('state', 'state')?.state !== state) this.feed.put({ kind: 'state', id: 'state', state });
  }

  #restored(bytes: number): RestoredSession {
    const folder = sessionFolder(this.#copies.dataFolder, this.sessionId);
    const lines = existsSync(folder.file) ? linesUntil(readSession(folder), bytes) : []; // no worker has begun it
    return restoreSession(lines, { whole: true });
  }

  /** What the worker before has left open, if it was lost. */
  #beginRun(): void {
    let wasLost = false;
    for (const entry of [...this.feed.entries]) {
      if (entry.kind === 'question' && entry.isOpen) {
        this.feed.put({ ...entry, isOpen: false });
        wasLost = true;
      }
      if (entry.kind === 'call' && entry.status === 'running') {
        this.feed.put({ ...entry, status: 'failed', endedAt: Date.now(), failure: 'interrupted', problem: LOST_CALL });
        wasLost = true;
      }
    }
    if (wasLost) {
      const text = 'The worker of this session was lost. Another one continues it.';
      this.feed.put({ kind: 'notice', id: `lost-${this.#place.epoch}`, text });
    }
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const LOST_CALL = 'Its worker was lost while it ran, so its outcome is unknown.';

/** As a host would say it. */
function hostState({ state }: FleetRow): HostState {
  if (state === 'interrupted') return 'running'; // another worker will continue it
  return state === 'ended' ? 'idle' : state;
}

function* linesUntil(lines: ReturnType<typeof readSession>, bytes: number): ReturnType<typeof readSession> {
  for (const line of lines) {
    if (line.end > bytes) return;
    yield line;
  }
}

/** Names that are unique over all runs. Those of calls and prompts are so already. */
function namedIn(entry: FeedEntry, epoch: number): FeedEntry {
  switch (entry.kind) {
    case 'text':
    case 'thought':
    case 'notice':
    case 'compaction':
      return { ...entry, id: `${epoch}.${entry.id}` };
    case 'question': {
      const id = `${epoch}.${entry.id}`;
      return { ...entry, id, question: { ...entry.question, id } };
    }
    case 'end': {
      const promptId = entry.promptId.replace(/^unfinished:/, '');
      return { ...entry, id: `end:${promptId}`, promptId };
    }
    default:
      return entry;
  }
}

/** The id that the worker of the run knows a question by. */
export const questionIdOf = (id: string): string => id.slice(id.indexOf('.') + 1);
