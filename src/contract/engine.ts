import type { AgentHappening } from './event.js';
import type { TextBlock } from './message.js';
import type { PermissionMode } from './permission.js';

/** A call that a model wants made: a `tool_use` block of Anthropic's API is one as it is. */
export interface ToolCall {
  /** By which its result is known. */
  id: string;
  name: string;
  /** It is checked against the tool's schema: an input that does not fit gives a result that says so. */
  input: unknown;
}

/** The definition of a tool for a model, as Anthropic's API takes it. */
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

/** An image in a result, of a type that every provider takes. */
export interface ResultImage {
  type: 'image';
  source: { type: 'base64'; media_type: 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp'; data: string };
}

/** How calls are run. */
export interface RunCallsOptions {
  /** Ends the calls that are running; they are answered as interrupted. */
  signal?: AbortSignal;
  /** Called with each event: decisions, progress, results with their data. */
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
  /** What is decided if no rule matches. It may be set at any time. */
  mode: PermissionMode;
  /** The definitions for the model. Waits for MCP servers that were named. */
  tools(): Promise<EngineTool[]>;
  /**
   * Runs the calls of one message, in parallel unless they touch the same things. Never rejects for a call that fails:
   * there is exactly one result for each, in the order of the calls. Reminders, such as that a command in the background
   * has ended, come with the last of them.
   */
  runCalls(calls: readonly ToolCall[], options?: RunCallsOptions): Promise<ToolResult[]>;
  /** From now on the folder may be read like the project. Throws if it does not exist. */
  addDirectory(path: string): void;
  /** Stops calls that are running, and ends everything that they have left running. Nothing may be run after it. */
  end(): Promise<void>;
}
