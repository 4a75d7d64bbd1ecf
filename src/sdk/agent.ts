import type { ListedCommand } from '../contract/command.js';
import type { AgentHappening, CompactionEvent } from '../contract/event.js';
import type { Message } from '../contract/message.js';
import type { Model } from '../contract/model.js';
import type { PermissionMode } from '../contract/permission.js';
import type { RetryOptions } from '../models/retry/retry.js';
import { checkAgentOptions, checkResumeOptions } from './check-options.js';
import type { CompactionRefused, ContextOptions, ContextUsage } from './context.js';
import type { Engine } from './engine.js';
import { fullOptions } from './full-options.js';
import { openAgent } from './open-agent.js';
import type { EngineOptions } from './options.js';
import type { OutputOf, OutputOptions, OutputSchema, Prompt, Run, RunOptions } from './run.js';

/** What an agent is made of: a model, and what its tools may do. */
export interface AgentOptions extends EngineOptions {
  /** From `helve/models`: `chooseModel`, one of the adapters, or a script. */
  model: Model;
  /** At most three models that are asked in turn while the one before is overloaded or unavailable. */
  fallbackModels?: readonly Model[];
  /** How failed requests are sent again; false for not at all. */
  retries?: Omit<RetryOptions, 'fallbacks'> | false;
  /** How many requests one prompt may make. Default: any number. */
  maxTurns?: number;
  /** How long one prompt may take, in milliseconds. Default: what the setting `maxRunMinutes` says, else any time. */
  maxTimeMs?: number;
  /** Gives child agents their model, by its name or the one of this agent. Default: by what the environment says. */
  childModel?: (name: string | undefined) => Promise<Model>;
  /** A cheap model for small tasks, such as reading a web page. Default: as settings or HELVE_SMALL_MODEL say, else none. */
  sideModel?: () => Promise<Model>;
  /** How the context window is used. */
  context?: ContextOptions;
  /** Writes the conversation to the data folder, so that `resumeAgent` can take it up again. Default: false. */
  keepSession?: boolean;
  /** One sentence for the person, when the session can't be saved. */
  onStoreProblem?: (sentence: string) => void;
  /** Instructions in the place of Helve's own; an empty text for none. */
  systemPrompt?: string;
  /** Instructions behind Helve's own. */
  appendSystemPrompt?: string;
  /** Gives the model what HELVE.md, AGENTS.md and CLAUDE.md of the person and the project say. Default: false. */
  instructions?: boolean;
  /** Commands and skills of the person and the project can be called by a leading slash. Default: false. */
  commands?: boolean;
}

/** How a history is replaced by a summary. */
export interface CompactOptions {
  /** Leaves everything as it is. */
  signal?: AbortSignal;
  /** Is told what happens on the way. */
  onEvent?: (event: AgentHappening) => void;
}

/** A conversation with a model that can use the tools. */
export interface Agent extends AsyncDisposable {
  /** The id of the session, for `resumeAgent`. */
  readonly id: string;
  /** The tools without the model, in the same session: for calls that the program makes itself. */
  readonly engine: Engine;
  /** What is decided where no rule speaks. It may be set at any time. */
  mode: PermissionMode;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /**
   * Runs one prompt to its end. Iterate over it for everything that happens, or wait for its `result`. Prompts of one
   * agent share its history, and run one after the other.
   */
  run(prompt: Prompt, options?: RunOptions & { output?: undefined }): Run;
  /** The same, with an answer that fits a schema: `result` has it as `output`. */
  run<Schema extends OutputSchema>(prompt: Prompt, options: OutputOptions<Schema>): Run<OutputOf<Schema>>;
  /** Stops the run that is under way. Its history stays valid, and the next prompt goes on from it. */
  interrupt(): void;
  /**
   * Replaces the history by a summary of it, now. `instructions`: what the summary must not leave out. Where it is not
   * done, as when a hook objects, nothing has changed. Rejects while a prompt runs, and when the signal aborts.
   */
  compact(instructions?: string, options?: CompactOptions): Promise<CompactionEvent | CompactionRefused>;
  /** How full the context window is, and what fills it. */
  contextUsage(): ContextUsage;
  /** What a prompt can call by a leading slash: none, unless the agent was made with `commands`. */
  commands(): Promise<readonly ListedCommand[]>;
  /**
   * Stops the run that is under way, ends everything that calls have left running, and closes the session. Nothing may be
   * run after it.
   */
  end(): Promise<void>;
}

/** Makes an agent. Nothing is loaded, read or written before its first prompt. */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options);
  return openAgent(options);
}

/** Which session to take up. */
export interface ResumeOptions extends AgentOptions {
  /** Its id, the beginning of one, or `last` for the latest of the project. */
  session: string;
  /** Go on in a copy under a new id, and leave the session as it is. Possible also while it is in use. */
  fork?: boolean;
  /** With `fork`: what was said from this prompt on, counted from 0, is left out. */
  beforePrompt?: number;
}

/**
 * Takes up a conversation that was kept, with its history and what the model has seen of files. Rejects where there is no
 * such session, where another process has it, and where it belongs to another project.
 */
export async function resumeAgent(given: ResumeOptions): Promise<Agent> {
  checkResumeOptions(given);
  const { session, fork = false, beforePrompt, ...options } = given;
  checkAgentOptions(options);
  if (typeof session !== 'string') {
    throw new TypeError(
      'resumeAgent needs a session: its id, the beginning of one, or "last". listSessions() has them.',
    );
  }
  const { openStoredSession } = await import('./stored-sessions.js');
  const { root, dataFolder, env, home } = fullOptions(options);
  const { model, permissionMode: mode, onStoreProblem: onProblem } = options;
  const place = { root, dataFolder, env, home };
  return openAgent(options, await openStoredSession({ session, fork, beforePrompt, model, mode, onProblem, ...place }));
}
