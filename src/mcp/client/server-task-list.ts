// The tasks of a session: those of this process, and those of an earlier one, which are asked for again and never begun
// again. They are stored with the session as soon as they are known.
import type { LeftTask, ServerTasks } from '../../contract/server-tasks.js';
import { abortable } from '../../platform/abortable.js';
import { randomHex } from '../../platform/crypto.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { BackgroundTask, lostTask } from './background-task.js';
import { RemoteTask, type TaskAccess } from './remote-task.js';
import type { ResultSession } from './result-content.js';

const MAX_RUNNING = 32; // in the background; further ones are waited for
const MAX_KEPT = 100;
const END_MS = 2_000; // to cancel tasks when the session ends

/** What a session does for its tasks. */
export interface TaskSession extends ResultSession {
  /** Queues a message for the model. */
  remind(text: string): void;
  /** Whether there are such messages that were not sent yet. */
  readonly hasReminders: boolean;
  /** Stores the tasks that a later process has to ask for, at once. */
  setTasks(tasks: readonly LeftTask[]): void;
}

/** A configured server. */
export interface TaskServer {
  /** Identifies its configuration. */
  key: string;
  /** Whether it is a process, which ends with the session. */
  isProcess: boolean;
  /** Resolves once it is connected and its tools were compared with their pins, or it has failed. */
  settled(): Promise<void>;
  isHeldBack(tool: string): boolean;
}

export interface ServerTaskListOptions {
  session: TaskSession;
  /** How long a task is waited for before it goes to the background. */
  waitMs(): number;
  /** Undefined if no server of that name is configured, or the folder is not trusted with it. */
  server(name: string): TaskServer | undefined;
  /** Throws `ToolFailure` if the server is gone. */
  access(name: string): TaskAccess;
}

export class ServerTaskList implements ServerTasks {
  readonly #options: ServerTaskListOptions;
  readonly #tasks = new Map<string, BackgroundTask>();
  #hasNews = false;
  /** Resolved at each end of a task. */
  #nextEnd = Promise.withResolvers<void>();

  constructor(options: ServerTaskListOptions) {
    this.#options = options;
  }

  get all(): readonly BackgroundTask[] {
    return [...this.#tasks.values()].filter(({ isInBackground }) => isInBackground);
  }

  find(id: string): BackgroundTask | undefined {
    return this.all.find((task) => task.id === id);
  }

  get waitMs(): number {
    return this.#options.waitMs();
  }

  /** Whether another one may run in the background. */
  get hasRoom(): boolean {
    return this.#running.length < MAX_RUNNING;
  }

  /** Stores a task whose call is still waited for: that call's result gives the model the outcome. */
  add(remote: RemoteTask, about: Pick<LeftTask, 'server' | 'tool' | 'callId' | 'title' | 'maxChars'>): BackgroundTask {
    const task = this.#create({
      id: `m${randomHex(4)}`,
      ...about,
      serverKey: this.#options.server(about.server)?.key ?? '',
      taskId: remote.taskId,
      startedAt: Date.now(),
      givenIn: about.callId,
    });
    task.follow(remote);
    this.#save();
    return task;
  }

  /** Its call is answered now. */
  toBackground(task: BackgroundTask): void {
    task.toBackground();
    this.#save();
    if (task.outcome) this.#report(task); // it has ended meanwhile
  }

  /** Its call gives the outcome. Stored with the call's result. */
  finishedWithCall(task: BackgroundTask): void {
    this.#tasks.delete(task.id);
  }

  /** Adds tasks of an earlier process. */
  restore(left: readonly LeftTask[]): void {
    for (const one of left) this.#create(one).toBackground();
  }

  /** Asks for restored tasks whose server is configured. `isLast`: no further servers are expected. */
  resume({ isLast }: { isLast: boolean }): void {
    for (const task of this.#running.filter(({ isFollowed }) => !isFollowed)) {
      const { server: name, serverKey } = task.left;
      const server = this.#options.server(name);
      if (server?.key === serverKey) void this.#follow(task, server);
      else if (isLast) task.end(lostTask(task.title, notAsked(name, server !== undefined)));
    }
  }

  /**
   * Resolves with true once there is an outcome that the model has not been told of, and with false if nothing runs or the
   * signal aborts.
   */
  async news(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      this.#hasNews &&= this.#options.session.hasReminders; // else it was told in between
      if (this.#hasNews) break;
      const { promise } = this.#nextEnd;
      if (this.#running.length === 0) return false;
      await abortable(() => promise, signal).catch(() => {});
      if (signal.aborted) return false;
    }
    this.#hasNews = false;
    return true;
  }

  /** Cancels all of them. */
  async end(): Promise<void> {
    const running = [...this.#tasks.values()].filter(({ outcome, isFollowed }) => !outcome && isFollowed);
    await Promise.all(running.map((task) => task.stop(END_MS)));
  }

  get #running(): BackgroundTask[] {
    return this.all.filter(({ outcome }) => !outcome);
  }

  #create(left: LeftTask): BackgroundTask {
    const { session, access } = this.#options;
    const task = new BackgroundTask({
      left,
      session,
      now: Date.now,
      onEnd: (ended) => this.#ended(ended),
      onGiven: () => this.#save(),
      async cancel() {
        const { server, taskId } = left;
        const sent = async (): Promise<unknown> =>
          await access(server).send('tasks/cancel', { taskId }, AbortSignal.timeout(END_MS));
        await sent().catch(() => {}); // it can't be reached
      },
    });
    this.#tasks.set(left.id, task);
    return task;
  }

  async #follow(task: BackgroundTask, server: TaskServer): Promise<void> {
    const { tool, taskId, server: name } = task.left;
    await server.settled();
    if (task.outcome || task.isFollowed) return;
    if (server.isHeldBack(tool)) {
      const why = `The MCP server ${plainLine(name, 40)} has changed this tool, and no person has approved that, so it was not asked.`;
      task.end(lostTask(task.title, why));
      return;
    }
    const access = (): TaskAccess => this.#options.access(name);
    const ifLost = server.isProcess ? LOST_WITH_PROCESS : undefined;
    task.follow(new RemoteTask({ taskId, server: name, access, ifLost, onReport: () => {} }));
  }

  #ended(task: BackgroundTask): void {
    if (!task.isInBackground) return;
    this.#save();
    this.#report(task);
    this.#forgetOld();
  }

  #report(task: BackgroundTask): void {
    const { outcome, id, title } = task;
    if (outcome && !task.isExpected) {
      this.#options.session.remind(
        outcome.how === 'lost'
          ? `About the background task ${id} (${title}): ${outcome.failure.message}`
          : `The background task ${id} (${title}) has ended: ${task.state}. AgentOutput gives its result.`,
      );
      this.#hasNews = true;
    }
    this.#nextEnd.resolve();
    this.#nextEnd = Promise.withResolvers();
  }

  #save(): void {
    this.#options.session.setTasks([...this.#tasks.values()].map(({ left }) => left));
  }

  #forgetOld(): void {
    const ended = this.all.filter(({ outcome }) => outcome);
    for (const { id } of ended.slice(0, -MAX_KEPT)) this.#tasks.delete(id);
  }
}

const LOST_WITH_PROCESS =
  'It ran as a process of an earlier Helve and ended with it, and such a process seldom keeps its tasks.';

const notAsked = (name: string, isOther: boolean): string =>
  isOther
    ? `The MCP server ${plainLine(name, 40)} is configured differently than when the task began, so it was not asked.`
    : `The MCP server ${plainLine(name, 40)} is not configured here any more, so it was not asked.`;
