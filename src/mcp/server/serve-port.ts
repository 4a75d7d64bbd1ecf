// What the server side of MCP needs of the engine, handed in, so that this part knows no engine.
import type { Effect } from '../../contract/effect.js';
import type { FailureKind } from '../../contract/failure.js';
import type { ContentBlock } from '../../contract/message.js';
import type { JsonSchema } from '../../contract/model.js';
import type { AskPermission } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';

/** Begins a session of its own for one connection. Without the two ways to ask, rules alone decide. */
export type OpenSession = (asking: { askPermission?: AskPermission; askUser?: AskUser }) => ServedSession;

export interface ServedSession {
  /** What the client is told of; the same array until something about it changes. */
  tools(): Promise<readonly ServedTool[]>;
  /** Takes the whole path of a call. Never rejects: what fails is a result. */
  call(call: ServedCall): Promise<ServedResult>;
  /** Ends everything that calls have left running. */
  end(): Promise<void>;
}

export interface ServedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** What a call with this input would touch; undefined where the input does not fit. */
  effects(input: unknown): Promise<readonly Effect[] | undefined>;
}

export interface ServedCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  onProgress(text: string): void;
}

export interface ServedResult {
  content: string | readonly ContentBlock[];
  /** Absent when the call succeeded. */
  failure?: FailureKind;
}

/** Who serves, as the client is told. */
export interface ServerIdentity {
  name: string;
  version: string;
  /** What a model should know before it uses the tools. */
  instructions: string;
}
