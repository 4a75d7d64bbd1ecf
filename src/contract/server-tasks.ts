import type { ToolFailure } from './failure.js';
import type { ContentBlock } from './message.js';

/** Calls that MCP servers have turned into tasks, and that continue in the background. */
export interface ServerTasks {
  /** The latest last. */
  readonly all: readonly ServerTask[];
  find(id: string): ServerTask | undefined;
}

/** A call that its MCP server works on after the call was answered. */
export interface ServerTask {
  /** Helve's id for it, not the server's. */
  readonly id: string;
  /** The server and its tool, for people. */
  readonly title: string;
  /** The id of the call. */
  readonly callId: string;
  /** Whether it waits for the answer to a question. */
  readonly isAsking: boolean;
  readonly milliseconds: number;
  /** What the server has reported, the latest last; old reports are dropped. */
  readonly reports: readonly string[];
  /** Once it has ended. */
  readonly outcome: TaskOutcome | undefined;
  /** Resolves once it has ended. */
  readonly ended: Promise<TaskOutcome>;
  /** Its state in a few words. */
  readonly state: string;
  /** Cancels it, and resolves once the server knows, or could not be reached. */
  stop(): Promise<void>;
  /**
   * Waits for the model, which is not told of the end in addition. Resolves with the outcome, or without one after this many milliseconds. Rejects only when the signal aborts, which
   * ends the waiting and not the task.
   */
  wait(options?: { signal?: AbortSignal; milliseconds?: number }): Promise<TaskOutcome | undefined>;
  /** The result of this call gives the model the outcome. */
  giveIn(callId: string): void;
}

/** How a task has ended. `lost`: its outcome is unknown. */
export type TaskOutcome =
  | { how: 'done'; result: TaskResult }
  | { how: 'failed' | 'stopped' | 'lost'; failure: ToolFailure };

/** A task's result, as a direct call would give it. */
export interface TaskResult {
  content: ContentBlock[];
  /** The text that the person sees. */
  shown: string;
  /** The server, which wrote it. */
  writtenBy: string;
  /** Longer text goes to a file. */
  maxChars: number;
}

/** A task as it is stored with the session, so that a later process can ask its server for the outcome. */
export interface LeftTask {
  id: string;
  server: string;
  /** Identifies the server's configuration: another server of the same name is not asked. */
  serverKey: string;
  /** The server's name for the tool. */
  tool: string;
  /** The server's id for the task. */
  taskId: string;
  callId: string;
  title: string;
  /** In milliseconds since the epoch. */
  startedAt: number;
  maxChars: number;
  /** How it ended. */
  ended?: TaskOutcome['how'];
  /** The call whose result gives the model the outcome: once that result is stored, the task is over. */
  givenIn?: string;
}
