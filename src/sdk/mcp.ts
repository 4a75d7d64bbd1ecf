// The entry helve/mcp. The protocol itself is loaded when it is used.

import type { McpOffer } from '../contract/mcp-serving.js';
import type { EngineOptions, McpServerEntry } from '../contract/options.js';
import type { AskUser } from '../contract/question.js';
import type { Tool } from '../contract/tool.js';
import { Offer } from '../mcp/server/offer.js';

export type {
  McpBlock,
  McpClientPort,
  McpInputRequest,
  McpOffer,
  McpPrompt,
  McpPromptArgument,
  McpPromptResult,
  McpRequestContext,
  McpResource,
  McpResourceContent,
  McpResult,
} from '../contract/mcp-serving.js';
export type { McpOauthEntry, McpServerEntry } from '../contract/options.js';

/** How servers are connected to. */
export interface ConnectOptions {
  /** Where processes of servers start. Default: the process's working directory. */
  root?: string;
  /** Where Helve keeps the definitions of tools, to notice changes: a changed one is left out until `helve mcp approve`. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** The environment, instead of the process's own. Servers get it without the keys of model providers. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Answers the questions of servers to a person. Default: such questions are declined. */
  askUser?: AskUser;
  /** How long to wait for slow servers, in milliseconds. Default 30,000. */
  withinMs?: number;
  /** Called with a message for the user, for example that a server has disconnected. */
  onNotice?: (text: string) => void;
}

/** The state of a server. */
export interface McpServerState {
  name: string;
  status: string;
  /** The problem, in a sentence. */
  detail?: string;
  /** How many tools it has. */
  tools: number;
}

/** Connections that several agents may share. */
export interface McpConnections extends AsyncDisposable {
  /** The tools that the servers offer now, for the option `tools` of an agent or an engine. Their names begin with `mcp__`. */
  readonly tools: readonly Tool[];
  /** The state of each server. One that can't be reached is listed here, and the others can be used. */
  readonly servers: readonly McpServerState[];
  /** Ends the connections, and the processes behind them. */
  close(): Promise<void>;
}

/** Connects to MCP servers, by name, each as in `.mcp.json`. For one agent alone its option `mcpServers` does the same. */
export async function connectMcpServers(
  servers: Readonly<Record<string, McpServerEntry>>,
  options: ConnectOptions = {},
): Promise<McpConnections> {
  const { connect } = await import('./connect-servers.js');
  return await connect(servers, options);
}

/** The tools that are served, with their permissions, and the name of the server. */
export interface ServeOptions extends Omit<EngineOptions, 'canUseTool' | 'askPermission' | 'askUser'> {
  /** The name that the client gets. Default: helve. */
  name?: string;
  version?: string;
  /** What a model should know before it uses the tools. Default: a few sentences about Helve. */
  instructions?: string;
  /** Prompts and resources to serve beside the tools, from `createMcpOffer`. Default: none. */
  offer?: McpOffer;
  /** Called with a sentence about a problem. */
  onProblem?: (text: string) => void;
}

/**
 * Prompts and resources to serve beside the tools of an engine. Assign new lists at any time: clients are notified. A prompt
 * or resource is read by calling its function, without a question.
 */
export function createMcpOffer(parts: Partial<Pick<McpOffer, 'prompts' | 'resources'>> = {}): McpOffer {
  return new Offer(parts);
}

/**
 * Serves the tools of an engine over standard input and output, until the client closes them or the signal aborts. Each
 * connection has a separate session. Questions about permission go to the client, if it can show forms.
 */
export async function serveMcpOverStdio(options: ServeOptions & { signal?: AbortSignal } = {}): Promise<void> {
  const { serveStdio } = await import('./serve-engine.js');
  await serveStdio(options);
}

/** Where it is served. */
export interface HttpOptions {
  /** Default: any free port. */
  port?: number;
  /** What clients must send as `Authorization: Bearer TOKEN`. Default: a random one. */
  token?: string;
}

/** A server that listens. */
export interface McpService extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Ends all sessions, and everything that calls left running. */
  close(): Promise<void>;
}

/** Serves the tools of an engine over HTTP, on 127.0.0.1 only. Rejects if the port is not available. */
export async function serveMcpOverHttp(options: ServeOptions & HttpOptions = {}): Promise<McpService> {
  const { serveHttp } = await import('./serve-engine.js');
  return await serveHttp(options);
}
