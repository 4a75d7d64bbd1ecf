// The sessions of a host process. What it accepts is on disk before the client is told so, and what an earlier host could
// not finish goes on once a client has given its environment. It knows nothing of sockets.
import { dropKeptPrompt, keepPrompt, keptPrompts } from '../agent/store/kept-prompts.js';
import { projectOf } from '../agent/store/list-sessions.js';
import { noteActivity, readPresence, removePresence } from '../agent/store/presence.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { noSuchSession } from '../agent/store/session-problem.js';
import type { UserBlock } from '../contract/message.js';
import { asWriteFailure } from '../platform/files/write-failure.js';
import { thisProcess } from '../platform/journal/process-identity.js';
import { messageOf } from '../platform/message-of.js';
import type { Caller, CloseReason, SessionPlace } from './hosted-conversation.js';
import type { HostedSession } from './hosted-session.js';
import type { HostPrompt } from './prompt-queue.js';
import type { SessionHost } from './session-host.js';

const DUE_MS = 30_000; // how often due work is looked for: other processes change it, and timers stand still in sleep
const REST_MS = 30_000; // how long an idle session stays open for the next prompt, unless the host says otherwise

/** A prompt for a session that is open, known or new. */
export interface HandedPrompt {
  sessionId: string;
  /** One that was sent before does not run again. */
  promptId: string;
  content: readonly UserBlock[];
  place: Omit<SessionPlace, 'resume' | 'id'>;
}

/** Prompts that are to run at a certain time. */
export interface DueWork {
  /** When the next one is due, in milliseconds since the epoch; undefined if there is none. */
  nextAt(): number | undefined;
  /** Those that are due; each is handed out once. */
  take(now: number): Promise<readonly HandedPrompt[]>;
  /** A prompt that was handed out was accepted, or was not for a reason. */
  started(prompt: HandedPrompt, problem: string | undefined): Promise<void>;
}

export interface BackgroundHostOptions {
  sessions: SessionHost;
  dataFolder: string;
  due?: DueWork;
  /** How long an idle session stays open. */
  restMs?: number;
  onProblem(sentence: string): void;
}

export class BackgroundHost {
  readonly sessions: SessionHost;
  readonly #options: BackgroundHostOptions;
  /** The last work on each session: what concerns one is done in order. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #resting = new Map<string, NodeJS.Timeout>();
  #dueTimer: NodeJS.Timeout | undefined;
  #isStartingDue = false;
  #isEnding = false;

  constructor(options: BackgroundHostOptions) {
    this.#options = options;
    this.sessions = options.sessions;
    this.#watchDue();
  }

  /** Whether a session runs or waits: ending the host would interrupt it. */
  get isBusy(): boolean {
    return this.#turns.size > 0 || this.#isStartingDue || this.busySessions > 0;
  }

  /** Whether the host must not end by itself: it has work now or later. */
  get isNeeded(): boolean {
    return this.isBusy || this.#options.due?.nextAt() !== undefined;
  }

  get busySessions(): number {
    return this.sessions.list().filter(({ isBusy }) => isBusy).length;
  }

  /** Those of them that wait for an answer of a person. */
  get waitingSessions(): number {
    return this.sessions.list().filter(({ state }) => state === 'requires_action').length;
  }

  /** Accepts a prompt: resolves once it is on disk. Rejects if it can't be accepted; nothing of it is left then. */
  async accept({ sessionId, promptId, content, place }: HandedPrompt): Promise<{ isNew: boolean }> {
    return await this.#inTurn(sessionId, async () => {
      const { dataFolder } = this.#options;
      const wasOpen = this.sessions.get(sessionId) !== undefined;
      const isNewSession = projectOf(dataFolder, sessionId) === undefined;
      const session = await this.#open(sessionId, place);
      if (session.knows({ id: promptId, content })) return { isNew: false };
      const folder = sessionFolder(dataFolder, sessionId);
      try {
        await keepPrompt(folder, { id: promptId, content });
        this.#run(session, { id: promptId, content });
      } catch (error) {
        dropKeptPrompt(folder, promptId);
        if (!wasOpen) await this.#giveUp(sessionId);
        if (isNewSession) removePresence(dataFolder, sessionId);
        throw error;
      }
      return { isNew: true };
    });
  }

  /** A session for a client that follows it. What an earlier host has left to do goes on. */
  async attach(sessionId: string, caller: Caller | undefined): Promise<HostedSession> {
    return await this.#inTurn(sessionId, async () => {
      const open = this.sessions.get(sessionId);
      if (open) return open;
      const root = projectOf(this.#options.dataFolder, sessionId);
      if (root === undefined) throw noSuchSession(sessionId);
      return await this.#open(sessionId, { root, caller });
    });
  }

  /** Interrupts a session and closes it. Returns what the person should know of it; undefined if it is not open here. */
  async stop(sessionId: string, why: CloseReason = 'stopped'): Promise<readonly string[] | undefined> {
    return await this.#inTurn(sessionId, async () => {
      this.#forgetRest(sessionId);
      const session = this.sessions.get(sessionId);
      if (!session) return undefined;
      await this.sessions.close(sessionId, why);
      const told = await session.close();
      const [first] = told;
      if (first !== undefined) noteActivity(this.#options.dataFolder, sessionId, first);
      return told;
    });
  }

  /** Closes sessions that have nothing to do and no client: their descriptors and memory are freed. */
  clientLeft(session: HostedSession): void {
    this.#restSoon(session);
  }

  #watchDue(): void {
    const { due } = this.#options;
    if (!due || this.#isEnding) return;
    const wait = Math.max(0, (due.nextAt() ?? Number.POSITIVE_INFINITY) - Date.now());
    this.#dueTimer = setTimeout(() => void this.#startDue(due), Math.min(wait, DUE_MS));
  }

  /**
   * Interrupts and closes everything. `keepsWork`: sessions that have work are left as they are, for the end of the process
   * to cut them; the next host continues them.
   */
  async end({ keepsWork = false } = {}): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#dueTimer);
    for (const timer of this.#resting.values()) clearTimeout(timer);
    await Promise.allSettled(this.#turns.values());
    if (!keepsWork) return await this.sessions.closeAll();
    const idle = this.sessions.list().filter(({ isBusy }) => !isBusy);
    await Promise.allSettled(idle.map(({ id }) => this.sessions.close(id)));
  }

  async #startDue(due: DueWork): Promise<void> {
    const { onProblem } = this.#options;
    this.#isStartingDue = true;
    try {
      for (const prompt of await due.take(Date.now())) {
        const problem = await this.accept(prompt).then(() => undefined, messageOf);
        if (problem !== undefined) onProblem(problem);
        await due.started(prompt, problem);
      }
    } catch (error) {
      onProblem(messageOf(error));
    }
    this.#isStartingDue = false;
    this.#watchDue();
  }

  async #open(sessionId: string, place: HandedPrompt['place']): Promise<HostedSession> {
    this.#forgetRest(sessionId);
    const open = this.sessions.get(sessionId);
    if (open) return open;
    const { dataFolder } = this.#options;
    const isKnown = projectOf(dataFolder, sessionId) !== undefined;
    const named = isKnown ? { resume: sessionId } : { id: sessionId };
    // A session of a terminal waits for its person, and does not go on by itself.
    const before = readPresence(dataFolder, sessionId);
    const goesOn = before?.surface === 'background';
    // Records that were not synced to the disk are lost with the machine: then it is not certain which calls had begun.
    const reopens = goesOn && before.owner.boot === (await thisProcess()).boot;
    const waitsFor = reopens && before.state === 'waiting' ? before.activity : undefined;
    const session = await this.sessions.open({ ...place, ...named, ...(reopens && { reopens }), waitsFor });
    try {
      await session.announce();
    } catch (error) {
      await this.#giveUp(sessionId);
      throw await asWriteFailure(error, sessionFolder(dataFolder, sessionId).path, 'written');
    }
    if (goesOn) this.#goOn(session);
    return session;
  }

  /** Another error is reported already. */
  async #giveUp(sessionId: string): Promise<void> {
    await this.sessions.close(sessionId).catch(() => {});
  }

  /** Runs what was accepted and has not ended, in the order in which it came. */
  #goOn(session: HostedSession): void {
    const { promptIds, isUnfinished } = session.conversation.left ?? { promptIds: [], isUnfinished: false };
    const folder = sessionFolder(this.#options.dataFolder, session.id);
    const kept = keptPrompts(folder);
    const begun = kept.filter(({ id }) => promptIds.includes(id)).map(({ id }) => id);
    if (isUnfinished) {
      this.#run(session, { id: `unfinished:${session.id}`, content: [], isUnfinished }, begun);
    } else for (const id of begun) dropKeptPrompt(folder, id);
    for (const prompt of kept) if (!begun.includes(prompt.id)) this.#run(session, prompt);
  }

  #run(session: HostedSession, prompt: HostPrompt, kept: readonly string[] = [prompt.id]): void {
    const folder = sessionFolder(this.#options.dataFolder, session.id);
    const { ended } = session.prompt(prompt);
    void ended.then(() => {
      for (const id of kept) dropKeptPrompt(folder, id);
      this.#restSoon(session);
    });
  }

  #restSoon(session: HostedSession): void {
    const { id } = session;
    this.#forgetRest(id);
    if (this.#isEnding || this.sessions.get(id) !== session) return;
    const timer = setTimeout(() => {
      this.#resting.delete(id);
      if (session.isBusy) this.#restSoon(session); // its client has left in the middle of the work
      if (session.isBusy || session.feed.subscriberCount > 0) return;
      void this.stop(id, 'rested').catch((error: unknown) => this.#options.onProblem(messageOf(error)));
    }, this.#options.restMs ?? REST_MS);
    timer.unref();
    this.#resting.set(id, timer);
  }

  #forgetRest(id: string): void {
    clearTimeout(this.#resting.get(id));
    this.#resting.delete(id);
  }

  async #inTurn<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(id);
    const done = Promise.resolve(before)
      .catch(() => {}) // told to its own caller
      .then(work);
    this.#turns.set(id, done);
    try {
      return await done;
    } finally {
      if (this.#turns.get(id) === done) this.#turns.delete(id);
    }
  }
}
