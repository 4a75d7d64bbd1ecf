// The entry helve/mcp. The protocol itself is loaded when it is spoken.

import type { EngineOptions, McpServerEntry } from '../contract/options.js';
import type { AskUser } from '../contract/question.js';
import type { Tool } from '../contract/tool.js';

export type { McpServerEntry } from '../contract/options.js';

/** How servers are connected to. */
export interface ConnectOptions {
  /** Where processes of servers start. Default: the process's working directory. */
  root?: string;
  /** Where Helve keeps which tools have run, and what they were then. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** The environment, in the place of the process's own. Servers get it without the keys of model providers. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Answers what servers ask a person. Left out: they are told that nobody answers. */
  askUser?: AskUser;
  /** How long to wait for those that are slow. Default 30,000. */
  withinMs?: number;
  /** Something that a person should know, such as that a server has gone. */
  onNotice?: (text: string) => void;
}

/** How a server is. */
export interface McpServerState {
  name: string;
  status: string;
  /** What is wrong, in a sentence. */
  detail?: string;
  /** How many tools it has. */
  tools: number;
}

/** Connections that several agents may share. */
export interface McpConnections extends AsyncDisposable {
  /** What the servers offer now, for the option `tools` of an agent or an engine. Their names begin with `mcp__`. */
  readonly tools: readonly Tool[];
  /** How each of them is. One that can't be reached is told here, and keeps nobody from using the others. */
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

/** What is served: tools with their permissions, and who serves them. */
export interface ServeOptions extends Omit<EngineOptions, 'canUseTool' | 'askPermission' | 'askUser'> {
  /** As the client is told. Default: helve. */
  name?: string;
  version?: string;
  /** What a model should know before it uses the tools. Default: a few sentences about Helve. */
  instructions?: string;
  /** Something that went wrong, in a sentence. */
  onProblem?: (text: string) => void;
}

/**
 * Serves the tools of an engine over standard input and output, until the client closes them or the signal aborts. Each
 * connection has a session of its own; what needs permission is asked of the client, where it can show forms.
 */
export async function serveMcpOverStdio(options: ServeOptions & { signal?: AbortSignal } = {}): Promise<void> {
  const { serveStdio } = await import('./serve-engine.js');
  await serveStdio(options);
}

/** Where it is served. */
export interface HttpOptions {
  /** Default: any that is free. */
  port?: number;
  /** What clients must send as `Authorization: Bearer TOKEN`. Default: one that is made up. */
  token?: string;
}

/** A server that listens. */
export interface McpService extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Ends all sessions, and what calls have left running. */
  close(): Promise<void>;
}

/** Serves the tools of an engine over HTTP, on 127.0.0.1 only. Rejects where the port can't be had. */
export async function serveMcpOverHttp(options: ServeOptions & HttpOptions = {}): Promise<McpService> {
  const { serveHttp } = await import('./serve-engine.js');
  return await serveHttp(options);
}
