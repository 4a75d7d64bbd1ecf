// The tasks of MCP servers in a session's records: which of them has the model not had the outcome of?
import type { LeftTask } from '../../contract/server-tasks.js';

export class OpenTasks {
  #tasks: readonly LeftTask[] = [];
  /** The calls with a result. */
  readonly #answered = new Set<string>();
  /** Tasks with an unknown outcome, of which the model was told. */
  readonly #told = new Set<string>();

  set(tasks: readonly LeftTask[]): void {
    this.#tasks = tasks;
  }

  answered(callId: string): void {
    this.#answered.add(callId);
  }

  /** A message was sent to the model, with the reminders up to here. */
  prompted(): void {
    for (const { id, ended } of this.#tasks) if (ended === 'lost') this.#told.add(id);
  }

  get open(): readonly LeftTask[] {
    return this.#tasks.filter(
      ({ id, givenIn }) => !this.#told.has(id) && (givenIn === undefined || !this.#answered.has(givenIn)),
    );
  }

  /** The task of a call that has no result. */
  ofCall(callId: string): LeftTask | undefined {
    return this.open.find((task) => task.callId === callId);
  }
}

/** For the model, when the session is resumed. */
export function taskReminder({ id, title, callId, ended }: LeftTask, isFork: boolean): string {
  const task = `The call ${callId} (${title}), a background task with ID ${id},`;
  if (isFork) return `${task} belongs to the session that this one was copied from: its result is not available here.`;
  if (ended === undefined)
    return `${task} continues on its server. You are notified when it ends. Do not repeat the call.`;
  return `${task} had ended before the program did. You are notified when its result was fetched. Do not repeat the call.`;
}
