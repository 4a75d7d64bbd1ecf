// What the MCP server needs from the engine, passed in, so that this part does not depend on the engine.
import type { Effect } from '../../contract/effect.js';
import type { FailureKind } from '../../contract/failure.js';
import type { McpClientPort, McpResult } from '../../contract/mcp-serving.js';
import type { ContentBlock } from '../../contract/message.js';
import type { JsonSchema } from '../../contract/model.js';
import type { AskPermission } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';

/** Opens a session for one connection. */
export type OpenSession = (asking: SessionClient) => ServedSession;

/** The client of a session. Without the two callbacks, rules alone decide. */
export interface SessionClient {
  askPermission?: AskPermission;
  askUser?: AskUser;
  mcpClient: McpClientPort;
}

export interface ServedSession {
  /** The tools for the client; the same array until something changes. */
  tools(): Promise<readonly ServedTool[]>;
  /** Runs a call through the whole call path. Never rejects: a failure is a result. */
  call(call: ServedCall): Promise<ServedResult>;
  /** Ends everything that calls have left running. */
  end(): Promise<void>;
}

export interface ServedTool {
  name: string;
  description: string;
  title?: string;
  inputSchema: JsonSchema;
  /** The schema of its structured content. */
  outputSchema?: JsonSchema;
  /** The effects of a call with this input; undefined if the input is invalid. */
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
  /** What MCP clients get instead of the content. */
  mcp?: McpResult;
  /** Absent when the call succeeded. */
  failure?: FailureKind;
}

/** The server's name and version, as sent to the client. */
export interface ServerIdentity {
  name: string;
  /** The name for people. */
  title?: string;
  version: string;
  /** Instructions for the client's model. */
  instructions: string;
}
