// A task that continues after its call was answered, or after the process that began it has ended.
import { ToolFailure } from '../../contract/failure.js';
import type { LeftTask, ServerTask, TaskOutcome } from '../../contract/server-tasks.js';
import { abortable } from '../../platform/abortable.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { answeredCall, contentForModel, textForPerson } from './answered-call.js';
import { CHECK, type RemoteTask, type TaskEnd } from './remote-task.js';
import type { ResultSession } from './result-content.js';

export interface BackgroundTaskOptions {
  left: LeftTask;
  /** Saves long results. */
  session: ResultSession;
  now(): number;
  onEnd(task: BackgroundTask): void;
  onGiven(): void;
  /** Tells the server to cancel it, before it is followed. */
  cancel(): Promise<void>;
}

export class BackgroundTask implements ServerTask {
  readonly #options: BackgroundTaskOptions;
  readonly #ended = Promise.withResolvers<TaskOutcome>();
  #left: LeftTask;
  #remote: RemoteTask | undefined;
  #outcome: TaskOutcome | undefined;
  #endedAt: number | undefined;
  #waiting = 0;
  #isStopped = false;
  /** Whether its call was answered before it has ended. */
  isInBackground = false;

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
    this.#left = options.left;
  }

  get id(): string {
    return this.#left.id;
  }

  get title(): string {
    return this.#left.title;
  }

  get callId(): string {
    return this.#left.callId;
  }

  get left(): LeftTask {
    return this.#left;
  }

  get isAsking(): boolean {
    return !this.#outcome && this.#remote?.isAsking === true;
  }

  get milliseconds(): number {
    return (this.#endedAt ?? this.#options.now()) - this.#left.startedAt;
  }

  get reports(): readonly string[] {
    return this.#remote?.reports ?? [];
  }

  get outcome(): TaskOutcome | undefined {
    return this.#outcome;
  }

  get ended(): Promise<TaskOutcome> {
    return this.#ended.promise;
  }

  /** Whether the model waits for its end, or it was stopped on request, so that there is nothing to report. */
  get isExpected(): boolean {
    return this.#waiting > 0 || this.#isStopped;
  }

  /** Whether its server is asked for it. */
  get isFollowed(): boolean {
    return this.#remote !== undefined;
  }

  get state(): string {
    if (this.#outcome) return endings[this.#outcome.how];
    const report = this.reports.at(-1);
    if (!this.#remote) return 'running: its server is not connected yet';
    return report === undefined ? 'running' : `running: ${plainLine(report, 200)}`;
  }

  /** Asks the server for it until it ends. */
  follow(remote: RemoteTask): void {
    this.#remote = remote;
    void remote.finished.then(async (end) => this.end(await this.#outcomeOf(end)));
  }

  end(outcome: TaskOutcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#endedAt = this.#options.now();
    this.#left = { ...this.#left, ended: outcome.how };
    this.#ended.resolve(outcome);
    this.#options.onEnd(this);
  }

  /** Its call is answered while it continues. */
  toBackground(): void {
    this.isInBackground = true;
    const { givenIn: _, ...left } = this.#left;
    this.#left = left;
  }

  giveIn(callId: string): void {
    this.#left = { ...this.#left, givenIn: callId };
    this.#options.onGiven();
  }

  async stop(withinMs?: number): Promise<void> {
    if (this.#outcome) return;
    this.#isStopped = true;
    if (this.#remote) {
      await this.#remote.cancel(withinMs);
      await this.#ended.promise;
      return;
    }
    await this.#options.cancel();
    this.end({ how: 'stopped', failure: new ToolFailure('The task was stopped.', { kind: 'interrupted' }) });
  }

  async wait({
    signal,
    milliseconds,
  }: {
    signal?: AbortSignal;
    milliseconds?: number;
  } = {}): Promise<TaskOutcome | undefined> {
    if (this.#outcome) return this.#outcome;
    this.#waiting += 1;
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<undefined>((over) => {
      if (milliseconds !== undefined) timer = setTimeout(() => over(undefined), milliseconds);
    });
    const either = async (): Promise<TaskOutcome | undefined> => await Promise.race([this.#ended.promise, isOver]);
    try {
      return await (signal ? abortable(either, signal) : either());
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
    }
  }

  async #outcomeOf(end: TaskEnd): Promise<TaskOutcome> {
    if (end.how !== 'done') return end;
    const { server, maxChars } = this.#left;
    try {
      const answered = await answeredCall(end.answer, { server, session: this.#options.session, maxChars });
      const writtenBy = plainLine(server, 40);
      const result = { content: contentForModel(answered), shown: textForPerson(answered), writtenBy, maxChars };
      return { how: 'done', result };
    } catch (error) {
      const failure = error instanceof ToolFailure ? error : new ToolFailure(`Its result can't be read: ${error}.`);
      return { how: 'failed', failure };
    }
  }
}

const endings = { done: 'done', failed: 'failed', stopped: 'stopped', lost: 'ended, outcome unknown' } as const;

/** Its server can't be asked for it. `why`: a sentence. */
export const lostTask = (title: string, why: string): TaskOutcome => ({
  how: 'lost',
  failure: new ToolFailure(`The outcome of the task (${title}) is unknown. ${why}`, { advice: CHECK }),
});
