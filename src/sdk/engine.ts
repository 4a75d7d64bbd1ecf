import { createEngine as createFullEngine } from '../compose/create-engine.js';
import type { AgentHappening } from '../contract/event.js';
import type { TextBlock } from '../contract/message.js';
import type { PermissionMode } from '../contract/permission.js';
import { withoutAgents } from '../tools/roles.js';
import { checkEngineOptions } from './check-options.js';
import { fullOptions } from './full-options.js';
import { openEngine } from './open-engine.js';
import type { EngineOptions } from './options.js';

/** A call that a model wants made: a `tool_use` block of Anthropic's API is one as it is. */
export interface ToolCall {
  /** By which its result is known. */
  id: string;
  name: string;
  /** It is checked against the tool's schema: what does not fit gives a result that says so. */
  input: unknown;
}

/** What a model is told of a tool, as Anthropic's API takes it. */
export interface EngineTool {
  name: string;
  description: string;
  /** A JSON Schema. */
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

/** The answer to one call, as Anthropic's API takes it. */
export interface ToolResult {
  type: 'tool_result';
  /** The `id` of the call. */
  tool_use_id: string;
  content: string | Array<TextBlock | ResultImage>;
  is_error?: boolean;
}

/** A picture in a result, of a type that every provider takes. */
export interface ResultImage {
  type: 'image';
  source: { type: 'base64'; media_type: 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp'; data: string };
}

/** How calls are run. */
export interface RunCallsOptions {
  /** Ends the calls that are under way; they are answered as interrupted. */
  signal?: AbortSignal;
  /** Is told what happens on the way: decisions, progress, results with their data. */
  onEvent?: (event: AgentHappening) => void;
}

/** The tools with their order, their permissions and their session, without a model: bring your own loop. */
export interface Engine extends AsyncDisposable {
  /** The id of the session. */
  readonly id: string;
  /** The project's folder, with links resolved. */
  readonly root: string;
  /** Where relative paths start now; a command may change it. */
  readonly cwd: string;
  /** What is decided where no rule speaks. It may be set at any time. */
  mode: PermissionMode;
  /** What to tell the model of. Waits for MCP servers that were named. */
  tools(): Promise<EngineTool[]>;
  /**
   * Runs the calls of one message, at once where they do not touch the same things. Never rejects for a call that fails:
   * there is exactly one result for each, in the order of the calls. What has happened meanwhile, such as the end of a
   * command in the background, comes with the last of them.
   */
  runCalls(calls: readonly ToolCall[], options?: RunCallsOptions): Promise<ToolResult[]>;
  /** From now on the folder counts as part of the project when it comes to reading. Throws where there is none. */
  addDirectory(path: string): void;
  /** Stops calls that are under way, and ends everything that they have left running. Nothing may be run after it. */
  end(): Promise<void>;
}

/** The tools without a model, for a loop of your own. Nothing is loaded or written before the first call. */
export function createEngine(options: EngineOptions = {}): Engine {
  checkEngineOptions(options);
  const toolSwitches = { ...withoutAgents, ...options.toolSwitches };
  return openEngine(createFullEngine(fullOptions({ ...options, toolSwitches })));
}
