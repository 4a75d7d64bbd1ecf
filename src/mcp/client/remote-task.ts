// A call that its server turned into a task: the server works on after its answer, and is asked for the result from time
// to time. Since 2026-07-28 that is the extension io.modelcontextprotocol/tasks, in which `tasks/get` brings the result;
// in 2025-11-25 a request of its own does.
import { setTimeout as delay } from 'node:timers/promises';
import { ProtocolError } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/failure.js';
import { monotonicMs } from '../../platform/clock.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { type InputOptions, InputRounds } from './input-required.js';

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
const MAX_ID_CHARS = 4_096;
const CANCEL_MS = 5_000;
const MAX_FAILURES = 5; // in a row, of a connection that comes back, or of answers without a state
const STATES: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];
const RETRY_MS = 2_000;
const MAX_SENTENCE = 600;
const MAX_REPORTS = 200;

export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/result' | 'tasks/cancel';

export type ServerAnswer = Readonly<Record<string, unknown>>;

/** How Helve reaches a server about its tasks. */
export interface TaskAccess extends Omit<InputOptions, 'signal'> {
  /** Whether results need a request of their own. */
  readonly isLegacy: boolean;
  send(method: TaskMethod, params: Record<string, unknown>, signal: AbortSignal): Promise<ServerAnswer>;
  /** For a whole task. */
  limitMs: number;
  /** To be called when a task has ended, which may have changed anything. */
  onTaskEnd(): void;
}

/** How a task has ended. `lost`: its outcome is unknown. */
export type TaskEnd =
  | { how: 'done'; answer: ServerAnswer }
  | { how: 'failed' | 'stopped' | 'lost'; failure: ToolFailure };

export interface RemoteTaskOptions {
  taskId: string;
  /** The server's answer to the call; undefined for a task of an earlier process. */
  created?: ServerAnswer;
  server: string;
  /** Called for each use, since a person may connect to the server again. Throws `ToolFailure` if it is gone. */
  access(): TaskAccess;
  onReport(text: string): void;
  /** What to say in addition if the server does not know it any more. */
  ifLost?: string | undefined;
}

/** Whether the answer to a call says that the server works on it as a task. */
export const isTaskAnswer = (answer: ServerAnswer): boolean =>
  answer['resultType'] === 'task' || (answer['resultType'] === undefined && isObject(answer['task']));

/** The task in the answer to a call. Throws `ToolFailure` if its id can't be used. */
export function createdTask(answer: ServerAnswer, server: string): { taskId: string; created: ServerAnswer } {
  const created = answer['resultType'] !== 'task' && isObject(answer['task']) ? answer['task'] : answer;
  const { taskId } = created;
  if (typeof taskId === 'string' && taskId !== '' && taskId.length <= MAX_ID_CHARS) return { taskId, created };
  throw new ToolFailure(`${named(server)} made the call a task without a usable id, so its result can't be fetched.`, {
    advice: CHECK,
  });
}

/** Follows a task until it ends, and answers what it asks. */
export class RemoteTask {
  readonly taskId: string;
  /** Never rejects. */
  readonly finished: Promise<TaskEnd>;
  /** How often the server wants to be asked. */
  pollMs = DEFAULT_POLL_MS;
  isAsking = false;
  readonly #options: RemoteTaskOptions;
  readonly #stopped = new AbortController();
  readonly #reports: string[] = [];
  #failures = 0;
  #unreadable = 0;

  constructor(options: RemoteTaskOptions) {
    this.#options = options;
    this.taskId = options.taskId;
    if (options.created) this.#read(options.created);
    this.finished = this.#follow(options.created)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#afterEnd());
  }

  /** What the server has reported, the latest last. */
  get reports(): readonly string[] {
    return this.#reports;
  }

  /** Tells the server to stop, and resolves once it knows or can't be reached. */
  async cancel(withinMs = CANCEL_MS): Promise<void> {
    this.#stopped.abort(new ToolFailure('The task was stopped.', { kind: 'interrupted' }));
    await this.#sendCancel(withinMs);
  }

  async #follow(created: ServerAnswer | undefined): Promise<TaskEnd> {
    const { signal } = this.#stopped;
    const { access } = this.#options;
    const until = monotonicMs() + access().limitMs;
    const rounds = new InputRounds({ ...access(), signal });
    const answered = new Set<string>();
    for (let task = created; ; task = await this.#ask('tasks/get')) {
      if (task) {
        this.#read(task);
        this.#checkState(task);
        const end = await this.#endOf(task);
        if (end) return end;
        if (this.isAsking && !access().isLegacy) await this.#answer(task, rounds, answered);
      }
      if (monotonicMs() > until) throw this.#tooSlow();
      const pauseMs = this.#failures > 0 ? Math.min(this.pollMs, RETRY_MS) : task ? this.pollMs : 0;
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }

  /** A server that never names an end would be asked for as long as a task may take. */
  #checkState({ status }: ServerAnswer): void {
    this.#unreadable = STATES.includes(status) ? 0 : this.#unreadable + 1;
    if (this.#unreadable <= MAX_FAILURES) return;
    throw new LostTask(new ToolFailure('Its answers name no state that a task can have.'));
  }

  #read(task: ServerAnswer): void {
    const { status, statusMessage, pollIntervalMs, pollInterval } = task;
    const asked = pollIntervalMs ?? pollInterval;
    const pollMs = typeof asked === 'number' && asked > 0 ? asked : DEFAULT_POLL_MS;
    this.pollMs = Math.min(Math.max(pollMs, MIN_POLL_MS), MAX_POLL_MS);
    this.isAsking = status === 'input_required';
    if (status !== 'working' && status !== 'input_required') return;
    const said = saidIn(statusMessage) ?? (this.isAsking ? 'waits for input' : 'works on it');
    if (this.#reports.at(-1) === said) return;
    this.#reports.push(said);
    if (this.#reports.length > MAX_REPORTS) this.#reports.shift();
    this.#options.onReport(said);
  }

  /** Undefined while it goes on, or if its result could not be fetched this time. */
  async #endOf({ status, statusMessage, result, error }: ServerAnswer): Promise<TaskEnd | undefined> {
    const name = named(this.#options.server);
    const { isLegacy } = this.#options.access();
    if (status === 'cancelled') {
      const failure = new ToolFailure(`${name} cancelled the call${because(saidIn(statusMessage))}.`);
      return { how: 'stopped', failure };
    }
    if (status === 'completed' && !isLegacy) return { how: 'done', answer: isObject(result) ? result : {} };
    // In the older revision a task that asks sends its question while its result is waited for.
    if (isLegacy && (status === 'completed' || status === 'input_required')) {
      const answer = await this.#ask('tasks/result');
      return answer && { how: 'done', answer };
    }
    if (status !== 'failed') return undefined;
    const answer = isLegacy ? await this.#send('tasks/result').catch(() => undefined) : undefined;
    if (answer) return { how: 'done', answer }; // with the error, as a direct call would give it
    const reason = isObject(error) && typeof error['message'] === 'string' ? error['message'] : saidIn(statusMessage);
    return { how: 'failed', failure: new ToolFailure(`${name} could not complete the call${because(reason)}.`) };
  }

  /** Answers the questions that were not answered before: their keys are unique for the whole task. */
  async #answer({ inputRequests }: ServerAnswer, rounds: InputRounds, answered: Set<string>): Promise<void> {
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key));
    const inputResponses = await rounds.answer(Object.fromEntries(open));
    this.#stopped.signal.throwIfAborted();
    if (!inputResponses || !(await this.#ask('tasks/update', { inputResponses }))) return;
    for (const [key] of open) answered.add(key);
  }

  /** Undefined if the server can't be reached for the moment. */
  async #ask(method: TaskMethod, params: Record<string, unknown> = {}): Promise<ServerAnswer | undefined> {
    try {
      const answer = await this.#send(method, params);
      this.#failures = 0;
      return answer;
    } catch (error) {
      this.#stopped.signal.throwIfAborted();
      this.#failures += 1;
      const isAnswer = error instanceof Error && error.cause instanceof ProtocolError;
      if (isAnswer || this.#failures > MAX_FAILURES) throw new LostTask(error);
      return undefined;
    }
  }

  #send(method: TaskMethod, params: Record<string, unknown> = {}): Promise<ServerAnswer> {
    return this.#options.access().send(method, { taskId: this.taskId, ...params }, this.#stopped.signal);
  }

  #failed(error: unknown): TaskEnd {
    if (error instanceof LostTask) return { how: 'lost', failure: lost(this.#options, error.cause) };
    const failure = error instanceof ToolFailure ? error : new ToolFailure(messageOf(error), { cause: error });
    if (this.#stopped.signal.aborted) return { how: 'stopped', failure };
    void this.#sendCancel(CANCEL_MS);
    return { how: 'failed', failure };
  }

  async #sendCancel(withinMs: number): Promise<void> {
    const { access } = this.#options;
    const sent = async (): Promise<unknown> =>
      await access().send('tasks/cancel', { taskId: this.taskId }, AbortSignal.timeout(withinMs));
    await sent().catch(() => {}); // it may have ended
  }

  #afterEnd(): void {
    try {
      this.#options.access().onTaskEnd();
    } catch {
      // the server is not configured any more
    }
  }

  #tooSlow(): ToolFailure {
    const { server, access } = this.#options;
    const seconds = access().limitMs / 1000;
    return new ToolFailure(`${named(server)} did not complete the call within ${seconds} s, so it was cancelled.`);
  }
}

/** The server, which is the cause, can't be asked any more. */
class LostTask extends Error {
  constructor(cause: unknown) {
    super('The task is lost.', { cause });
  }
}

function lost({ server, ifLost }: RemoteTaskOptions, error: unknown): ToolFailure {
  const name = named(server);
  const facts = [
    `${name} made the call a task, whose result can't be fetched any more, so its outcome is unknown.`,
    ...(error instanceof ToolFailure ? [error.problem] : []), // without its advice
    ...(ifLost === undefined ? [] : [ifLost]),
  ];
  return new ToolFailure(facts.join(' '), { advice: CHECK, cause: error });
}

export const CHECK = 'It may have done something; check before you repeat it.';

const named = (server: string): string => `The MCP server ${plainLine(server, 40)}`;

const saidIn = (message: unknown): string | undefined =>
  typeof message === 'string' && message.trim() !== '' ? plainText(message, MAX_SENTENCE) : undefined;

const because = (reason: string | undefined): string =>
  reason === undefined ? '' : `: ${plainText(reason, MAX_SENTENCE).replace(/\.$/, '')}`;
