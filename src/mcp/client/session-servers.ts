// The MCP servers of a session. The client is loaded with the first connection, so a session without servers never loads it.

import type { ContentBlock } from '../../contract/message.js';
import type { LeftTask, ServerTasks } from '../../contract/server-tasks.js';
import type { ListedResource, ReadResource, SessionPort } from '../../contract/tool-context.js';
import { MAX_TIMER_MS } from '../../platform/clock.js';
import type { SignedOut, SignInOptions } from '../auth/sign-ins.js';
import type { McpClient, OfferedTool, ServerState } from './client.js';
import type { McpClientOptions } from './client-options.js';
import type { ConfiguredServer } from './config.js';
import type { ServerPrompt } from './listed-offers.js';
import type { ToolChange } from './pins.js';
import { STARTS_AT_ONCE, StartQueue } from './start-queue.js';

const RESOURCES_MS = 2_000; // the list names servers that are not ready

export class SessionServers {
  readonly #options: McpClientOptions;
  #servers: readonly ConfiguredServer[] = [];
  #starting: Promise<McpClient> | undefined;
  #client: McpClient | undefined;
  #isClosed = false;
  #leftTasks: readonly LeftTask[] = [];
  readonly #processes = new StartQueue();
  /** Callbacks waiting for a change in any server. */
  readonly #waiting = new Set<() => void>();

  constructor(options: McpClientOptions) {
    this.#options = {
      ...options,
      onChange: () => {
        options.onChange();
        for (const look of this.#waiting) look();
      },
    };
  }

  get isNeeded(): boolean {
    return this.#servers.length > 0;
  }

  get hasStarted(): boolean {
    return this.#starting !== undefined;
  }

  /** Sets the list of servers. They connect once `start` is called. */
  configure(servers: readonly ConfiguredServer[]): void {
    this.#servers = servers;
    this.#client?.configure(servers);
  }

  /** Empty until the client is loaded. */
  get tasks(): ServerTasks {
    return this.#client?.tasks ?? { all: [], find: () => undefined };
  }

  /** Follows tasks of an earlier process again, and connects for that. */
  restoreTasks(left: readonly LeftTask[]): void {
    if (left.length === 0) return;
    this.#leftTasks = left;
    void this.#begin();
  }

  /** Gives up restored tasks whose server is not configured. To be called once all servers are. */
  async dropStrayTasks(): Promise<void> {
    if (this.#leftTasks.length === 0) return;
    await this.#begin();
    this.#client?.tasks?.resume({ isLast: true });
  }

  /** Resolves with whether there are outcomes that the model was not told of; waits for one if tasks run. */
  async taskNews(signal: AbortSignal): Promise<boolean> {
    return (await this.#client?.tasks?.news(signal)) === true;
  }

  /** Starts connecting, if there are servers, without a limit that was set before. Never rejects. */
  async start(): Promise<void> {
    this.limitStarts(STARTS_AT_ONCE);
    if (!this.isNeeded || this.#isClosed) return;
    this.#client?.reconnectSignedIn();
    await this.#begin();
  }

  async #begin(): Promise<void> {
    this.#starting ??= this.#load();
    await this.#starting.catch((error: unknown) => this.#options.onNotice(`MCP can't be used here: ${String(error)}`));
  }

  /** Sets how many processes of servers may start at once from now on. Those that have begun go on. */
  limitStarts(count: number): void {
    this.#processes.limit(count);
  }

  /** Resolves once each of these servers has connected or failed, once `isEnough` returns true, or after `withinMs`. */
  async settled({ names, withinMs, signal, isEnough = () => false }: SettleOptions = {}): Promise<void> {
    const enough = Promise.withResolvers<void>();
    const look = (): void => {
      if (signal?.aborted || isEnough()) enough.resolve();
    };
    // Also without a limit: the pause before the next attempt to connect does not keep Node running, but this wait does.
    const timer = setTimeout(enough.resolve, Math.min(withinMs ?? MAX_TIMER_MS, MAX_TIMER_MS));
    signal?.addEventListener('abort', look);
    this.#waiting.add(look);
    look();
    const settled = this.start().then(() => this.#client?.settled(names)); // loading the client counts as waiting
    await Promise.race([settled, enough.promise]);
    this.#waiting.delete(look);
    signal?.removeEventListener('abort', look);
    clearTimeout(timer);
  }

  /** Reconnects a server. Resolves once it has connected or failed; rejects if no server has that name. */
  async reconnect(name: string): Promise<void> {
    const isNew = !this.hasStarted;
    await this.start();
    const awake = setInterval(() => {}, MAX_TIMER_MS); // see `settled`
    try {
      if (isNew) await this.#client?.settled([name]);
      else await this.#client?.reconnect(name);
    } finally {
      clearInterval(awake);
    }
  }

  /**
   * Signs a person in to a server, and connects to it. Connects first, since the server says where to sign in. Rejects
   * with a message for the user.
   */
  async signIn(name: string, options: SignInOptions): Promise<void> {
    await this.settled({ names: [name], signal: options.signal });
    await this.#started().signIns.signIn(name, options);
    await this.reconnect(name);
  }

  /** Whether a sign-in to it waits for the browser. */
  isSigningIn(name: string): boolean {
    return this.#client?.signIns.isPending(name) ?? false;
  }

  /** Passes on the address that the browser ended at, to a sign-in that waits. Throws if none does. */
  pasteAddress(name: string, text: string): void {
    this.#started().signIns.paste(name, text);
  }

  /** Forgets a sign-in, and disconnects. */
  async signOut(name: string, signal: AbortSignal): Promise<SignedOut> {
    await this.start();
    const result = await this.#started().signIns.signOut(name, signal);
    await this.reconnect(name);
    return result;
  }

  /** Pins definitions that a person has approved. */
  async approve(name: string, changes: readonly ToolChange[]): Promise<void> {
    await this.#client?.approve(name, changes);
  }

  states(): ServerState[] {
    if (this.#client) return this.#client.states();
    const waiting = { status: 'pending', tools: 0, setAside: [], changes: [], errorOutput: '' } as const;
    return this.#servers.map(({ name }) => ({ name, ...waiting }));
  }

  tools(defer: Parameters<McpClient['tools']>[0]): OfferedTool[] {
    return this.#client?.tools(defer) ?? [];
  }

  instructions(): Array<{ server: string; text: string }> {
    return this.#client?.instructions() ?? [];
  }

  /** The resources of configured servers; waits briefly for those that are still connecting. */
  async resources(server?: string): Promise<ListedResource[]> {
    await this.settled({ ...(server !== undefined && { names: [server] }), withinMs: RESOURCES_MS });
    return this.#client?.resources(server) ?? [];
  }

  async readResource(
    server: string,
    uri: string,
    options: { signal: AbortSignal; session: Pick<SessionPort, 'resultFile'> },
  ): Promise<ReadResource> {
    await this.settled({ names: [server], signal: options.signal });
    return (await this.#client?.readResource(server, uri, options)) ?? { blocks: [] };
  }

  /** The prompts of connected servers. */
  prompts(): ServerPrompt[] {
    return this.#client?.prompts() ?? [];
  }

  async getPrompt(
    prompt: Pick<ServerPrompt, 'server' | 'name'>,
    args: Readonly<Record<string, string>>,
    options: { signal: AbortSignal; session: Pick<SessionPort, 'resultFile'> },
  ): Promise<ContentBlock[]> {
    return (await this.#client?.getPrompt(prompt, args, options)) ?? [];
  }

  rootsChanged(): void {
    this.#client?.rootsChanged();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => {});
    await this.#client?.close();
  }

  #started(): McpClient {
    if (this.#client) return this.#client;
    throw new Error('No MCP server is in use here.');
  }

  async #load(): Promise<McpClient> {
    const { McpClient } = await import('./client.js');
    const client = new McpClient(this.#options, this.#processes);
    if (this.#isClosed) return client;
    this.#client = client;
    client.tasks?.restore(this.#leftTasks);
    client.configure(this.#servers);
    return client;
  }
}

export interface SettleOptions {
  names?: readonly string[];
  withinMs?: number;
  /** Checked after each change. */
  isEnough?: () => boolean;
  signal?: AbortSignal;
}
