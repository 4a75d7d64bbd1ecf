import type { AgentBudget } from './budget.js';
import type { ListedCommand } from './command.js';
import type { CompactionRefused, ContextUsage } from './context.js';
import type { Engine } from './engine.js';
import type { AgentHappening, CompactionEvent } from './event.js';
import type { Goal } from './goal.js';
import type { Message } from './message.js';
import type { PermissionMode } from './permission.js';
import type { OutputOf, OutputOptions, OutputSchema, Prompt, Run, RunOptions } from './run.js';

/** How a history is replaced by a summary. */
export interface CompactOptions {
  /** Leaves everything as it is. */
  signal?: AbortSignal;
  /** Called with each event. */
  onEvent?: (event: AgentHappening) => void;
}

/** A conversation with a model that can use the tools. */
export interface Agent extends AsyncDisposable {
  /** The id of the session, for `resumeAgent`. */
  readonly id: string;
  /** The tools without the model, in the same session: for calls that the program makes itself. */
  readonly engine: Engine;
  /** What is decided if no rule matches. It may be set at any time. */
  mode: PermissionMode;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /**
   * Runs one prompt to its end. Iterate over it for all events, or wait for its `result`. Prompts of one agent share its
   * history, and run one after the other.
   */
  run(prompt: Prompt, options?: RunOptions & { output?: undefined }): Run;
  /** The same, with an answer that fits a schema: `result` has it as `output`. */
  run<Schema extends OutputSchema>(prompt: Prompt, options: OutputOptions<Schema>): Run<OutputOf<Schema>>;
  /** Stops the current run. Its history stays valid, and the next prompt continues from it. */
  interrupt(): void;
  /**
   * Replaces the history by a summary of it, now. `instructions`: what the summary must not leave out. If it is refused,
   * as by a hook, nothing has changed. Rejects while a prompt runs, and when the signal aborts.
   */
  compact(instructions?: string, options?: CompactOptions): Promise<CompactionEvent | CompactionRefused>;
  /** What the agent may use, and what it has used. */
  readonly budget: AgentBudget;
  /** What prompts work towards from the next one on; undefined if there is no goal, or if it is met. */
  goal: Goal | undefined;
  /** How full the context window is, and what fills it. */
  contextUsage(): ContextUsage;
  /** What a prompt can call by a leading slash: none, unless the agent was created with `commands`. */
  commands(): Promise<readonly ListedCommand[]>;
  /**
   * Stops the current run, ends everything that calls have left running, and closes the session. Nothing may be run after
   * it.
   */
  end(): Promise<void>;
}
