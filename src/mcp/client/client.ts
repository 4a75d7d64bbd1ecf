// All servers of one session. Each connects in the background on its own, and none can delay or break another.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import type { ContentBlock } from '../../contract/message.js';
import type { Tool } from '../../contract/tool.js';
import type { ListedResource, ReadResource, SessionPort } from '../../contract/tool-context.js';
import { MAX_TIMER_MS } from '../../platform/clock.js';
import { randomHex } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { type Registration, registerShells } from '../../platform/shell/reap.js';
import { Slots } from '../../platform/slots.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { SignIns } from '../auth/sign-ins.js';
import { serverParts, toolNames } from '../names.js';
import type { McpClientOptions } from './client-options.js';
import { type ConfiguredServer, readConfig } from './config.js';
import { Connection } from './connection.js';
import type { ConnectionLimits, ConnectionState } from './connection-options.js';
import { withUsableHeaders } from './header-parameters.js';
import { listedPrompts, listedResource, type ServerPrompt } from './listed-offers.js';
import { pinnedServer } from './pinned-server.js';
import type { ToolChange } from './pins.js';
import type { TaskAccess } from './remote-task.js';
import { contentBlocks, resourceContents, sentContents } from './result-content.js';
import { ReviewedTools } from './reviewed-tools.js';
import { callMs, connectMs, outputTokens } from './server-limits.js';
import { ServerTaskList, type TaskServer } from './server-task-list.js';
import { StartQueue } from './start-queue.js';
import {
  heldBackTool,
  type ReadTools,
  readTools,
  type SetAside,
  type ToolHost,
  toolFromServer,
} from './tool-from-server.js';

const REMOTE_AT_ONCE = 20;
const CHARS_PER_TOKEN = 4;
const RETRY_MS = 1_000;
const PROBE_MS = 3_000;
const MAX_LOGGED = 20;
const MAX_CLAIMED_CHARS = 5_000; // for definitions that a server asks to have in every request

/** The state of a server, for users and programs. */
export interface ServerState extends ConnectionState {
  name: string;
  tools: number;
  /** Its tools that can't be used, and why. */
  setAside: readonly SetAside[];
  /** Its tools, and its instructions, that are held back until a person approves how the server has changed them. */
  changes: readonly ToolChange[];
  /** The end of its process's stderr. */
  errorOutput: string;
}

interface Server {
  configured: ConfiguredServer;
  /** Undefined if its entry is invalid. */
  connection?: Connection;
  problem?: ConnectionState;
  /** Identifies its configuration. */
  key: string;
  connecting: Promise<void>;
  told: string | undefined;
  /** How many of its log messages were shown. */
  logged: number;
  review: ReviewedTools;
}

/** A server's tool, with what decides whether the model gets its schema at once. */
export interface OfferedTool {
  tool: Tool;
  server: string;
  /** The server has changed it and no person has approved that: the model is not told of it. */
  isHeldBack: boolean;
  alwaysLoad: boolean;
  /** The size of its definition, in characters. */
  size: number;
}

export class McpClient {
  readonly signIns: SignIns;
  readonly tasks: ServerTaskList | undefined;
  readonly #options: McpClientOptions;
  readonly #servers = new Map<string, Server>();
  readonly #processes: StartQueue;
  readonly #remoteSlots = new Slots(REMOTE_AT_ONCE);
  readonly #ended = new AbortController();
  readonly #mark = randomHex(8);
  readonly #limits: ConnectionLimits;
  #parts: ReadonlyMap<string, string> = new Map();
  #registration: Promise<{ registration: Registration; folder: string } | undefined> | undefined;
  #count = 0;

  constructor(options: McpClientOptions, processes = new StartQueue()) {
    this.#options = options;
    this.#processes = processes;
    const { env, dataFolder, askUser, onNotice, tasks } = options;
    const access = (name: string): TaskAccess => this.#access(name);
    this.tasks =
      tasks && new ServerTaskList({ ...tasks, server: (name) => taskServer(this.#servers.get(name)), access });
    this.signIns = new SignIns({ env, dataFolder, askUser, onNotice });
    this.#limits = {
      connectMs: Math.min(connectMs(env), MAX_TIMER_MS),
      callMs: callMs(env),
      retryMs: options.retryMs ?? RETRY_MS,
      probeMs: PROBE_MS,
    };
  }

  /** Sets the list of servers: connects new ones and closes those that were removed or changed. */
  configure(servers: readonly ConfiguredServer[]): void {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    for (const [name, { configured, connection }] of this.#servers) {
      if (JSON.stringify(wanted.get(name)) === JSON.stringify(configured)) continue;
      this.#servers.delete(name);
      void connection?.close();
    }
    this.#parts = serverParts([...wanted.keys()]);
    for (const { review } of this.#servers.values()) review.rename(); // the names may depend on the other servers
    for (const server of wanted.values()) if (!this.#servers.has(server.name)) this.#add(server);
    this.tasks?.resume({ isLast: false });
    this.#options.onChange();
  }

  /** Resolves once each of these servers has connected or failed; by default, all of them. */
  async settled(names?: readonly string[]): Promise<void> {
    const waited = [...this.#servers].filter(([name]) => names === undefined || names.includes(name));
    await Promise.all(waited.map(([, { connecting }]) => connecting));
  }

  /** Reconnects a server, whatever its state. Resolves once it has connected or failed. */
  async reconnect(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (!server) throw new Error(`There is no MCP server "${name}".`);
    await server.connection?.close();
    if (this.#servers.get(name) !== server || this.#ended.signal.aborted) return;
    this.#add(server.configured);
    await this.settled([name]);
  }

  /** Connects again to servers that somebody has signed in to, here or in another process. Does not wait for them. */
  reconnectSignedIn(): void {
    for (const { connection } of this.#servers.values()) void connection?.reconnectIfSignedIn();
  }

  /** Pins definitions that a person has approved. Their tools are no longer held back, unless they changed again. */
  async approve(name: string, changes: readonly ToolChange[]): Promise<void> {
    await this.#servers.get(name)?.review.approve(changes);
    this.#options.onChange();
  }

  states(): ServerState[] {
    return [...this.#servers].map(([name, { connection, problem, review }]) => {
      const state = connection?.state ?? problem ?? { status: 'failed' };
      // A server whose tools are still compared with their pins counts as connecting.
      const isBeingRead = state.status === 'connected' && !review.isReady;
      return {
        name,
        ...(isBeingRead ? { status: 'pending' } : state),
        ...(review.problem !== undefined && state.detail === undefined && { detail: review.problem }),
        tools: review.all.filter(({ original }) => !review.isHeldBack(original)).length,
        setAside: review.setAside,
        changes: review.changes,
        errorOutput: connection?.errorOutput ?? '',
      };
    });
  }

  /** The servers' own instructions, for the model; without those that are held back. */
  instructions(): Array<{ server: string; text: string }> {
    return [...this.#servers].flatMap(([server, { review }]) =>
      review.instructions === '' ? [] : [{ server: plainLine(server, 40), text: review.instructions }],
    );
  }

  /** Tools that need not be loaded at once are deferred if `defer` returns true. */
  tools(defer: (all: readonly Omit<OfferedTool, 'tool'>[]) => boolean): OfferedTool[] {
    const offered = [...this.#servers].flatMap(([name, { connection, review }]) => {
      if (!connection) return [];
      const maxTokens = outputTokens(this.#options.env);
      const host: ToolHost = {
        server: name,
        connection,
        access: () => this.#access(name),
        tasks: this.tasks,
        review,
        maxResultChars: maxTokens * CHARS_PER_TOKEN,
      };
      const claimed = review.all.reduce((sum, { alwaysLoad, size }) => sum + (alwaysLoad ? size : 0), 0);
      return review.all.map((tool) => ({
        tool,
        host,
        server: name,
        isHeldBack: review.isHeldBack(tool.original),
        alwaysLoad: (tool.alwaysLoad && claimed <= MAX_CLAIMED_CHARS) || connection.config.alwaysLoad,
        size: tool.size,
      }));
    });
    const isDeferred = defer(offered);
    return offered.map(({ tool, host, ...facts }) => ({
      ...facts,
      tool: facts.isHeldBack
        ? heldBackTool(tool, host)
        : toolFromServer(tool, host, isDeferred && !facts.alwaysLoad ? 'deferred' : 'direct'),
    }));
  }

  resources(server?: string): ListedResource[] {
    return [...this.#servers]
      .filter(([name]) => server === undefined || name === server)
      .flatMap(([name, { connection }]) => {
        const { resources = [], templates = [] } = connection?.offered ?? {};
        return [
          ...resources.filter(isObject).map((one) => listedResource(one, name, 'uri')),
          ...templates.filter(isObject).map((one) => listedResource(one, name, 'uriTemplate')),
        ];
      });
  }

  async readResource(
    name: string,
    uri: string,
    { signal, session }: { signal: AbortSignal; session: Pick<SessionPort, 'resultFile'> },
  ): Promise<ReadResource> {
    const { connection } = this.#servers.get(name) ?? {};
    if (!connection) {
      const known = [...this.#servers.keys()].join(', ') || 'none';
      throw new ToolFailure(`There is no MCP server "${name}". The servers here are: ${known}.`);
    }
    const { contents } = await connection.readResource(uri, signal);
    const sent = sentContents(contents);
    return { blocks: await resourceContents(contents, session), ...(sent && { contents: sent }) };
  }

  prompts(): ServerPrompt[] {
    return [...this.#servers].flatMap(([server, { connection }]) =>
      listedPrompts(connection?.offered.prompts ?? [], server, this.#parts.get(server) ?? server),
    );
  }

  /** The prompt's messages merged into one; the speaker of each is named in the text. */
  async getPrompt(
    { server, name }: Pick<ServerPrompt, 'server' | 'name'>,
    args: Readonly<Record<string, string>>,
    { signal, session }: { signal: AbortSignal; session: Pick<SessionPort, 'resultFile'> },
  ): Promise<ContentBlock[]> {
    const { connection } = this.#servers.get(server) ?? {};
    if (!connection) throw new ToolFailure(`There is no MCP server "${server}" any more.`);
    const { messages } = await connection.getPrompt(name, args, signal);
    const sent = (Array.isArray(messages) ? messages : []).filter(isObject);
    const isExchange = sent.some(({ role }) => role === 'assistant');
    const blocks: ContentBlock[] = [];
    for (const { role, content } of sent) {
      if (isExchange) blocks.push({ type: 'text', text: role === 'assistant' ? '[Your part:]' : '[The user:]' });
      blocks.push(...(await contentBlocks(Array.isArray(content) ? content : [content], session)));
    }
    if (blocks.length === 0)
      throw new ToolFailure(`The MCP server ${server} returned nothing for the prompt "${name}".`);
    return blocks;
  }

  rootsChanged(): void {
    for (const { connection } of this.#servers.values()) connection?.rootsChanged();
  }

  async close(): Promise<void> {
    await this.tasks?.end();
    this.#ended.abort(new Error('The session has ended.'));
    this.signIns.close();
    await Promise.all([...this.#servers.values()].map(({ connection }) => connection?.close()));
    const made = await this.#registration;
    await made?.registration.remove();
    if (made) await rm(made.folder, { recursive: true, force: true });
  }

  #access(name: string): TaskAccess {
    const { connection } = this.#servers.get(name) ?? {};
    if (connection) return connection.tasks;
    throw new ToolFailure(`There is no MCP server "${plainLine(name, 40)}" any more.`);
  }

  #add(configured: ConfiguredServer): void {
    const { name } = configured;
    const { env, root, pins, isWithheld, onNotice } = this.#options;
    const read = readConfig(configured, env, isWithheld);
    const isOfHost = 'config' in read && read.config.type === 'sdk';
    const pinned = pinnedServer(configured, root);
    const server: Server = {
      configured,
      key: pinned.key,
      connecting: Promise.resolve(),
      told: undefined,
      logged: 0,
      review: new ReviewedTools({
        server: pinned,
        pins: isOfHost ? undefined : pins,
        acceptsChanges: (env['HELVE_MCP_ACCEPT_CHANGES'] ?? '').split(',').includes(name),
        read: (sent) => this.#readTools(name, sent, server.connection?.sendsParameterHeaders === true),
        onNotice,
        onChange: () => this.#changed(name, server),
      }),
    };
    this.#servers.set(name, server);
    if ('problem' in read) {
      server.problem = { status: read.disabled ? 'disabled' : 'failed', detail: read.problem };
      if (!read.disabled) onNotice(read.problem);
      return;
    }
    for (const warning of read.warnings) onNotice(warning);
    this.#count += 1;
    const connection = new Connection({
      name,
      config: read.config,
      root: this.#options.root,
      env,
      roots: this.#options.roots,
      askUser: this.#options.askUser,
      limits: this.#limits,
      eras: this.#options.eras,
      eraKey: pinned.key,
      mark: `${this.#mark}.${this.#count}`,
      whileRunning: this.#options.whileRunning,
      hostServers: this.#options.hostServers,
      auth: this.signIns.of(name, read.config),
      onChange: () => this.#changed(name, server),
      onLog: (level, text) => this.#log(server, level, text),
    });
    server.connection = connection;
    const { signal } = this.#ended;
    const connect = async (): Promise<void> => {
      await connection.connect();
      await server.review.settled();
    };
    const inProcess = async (): Promise<void> => {
      await this.#register();
      await connect();
    };
    const connected =
      read.config.type === 'stdio' ? this.#processes.run(inProcess, signal) : this.#remoteSlots.run(connect, signal);
    server.connecting = connected.catch(() => {}); // the session has ended
  }

  /** Records that this process has child processes, so that they are ended if it is killed. */
  async #register(): Promise<void> {
    this.#registration ??= (async () => {
      const folder = await mkdtemp(join(tmpdir(), 'helve-'));
      const record = { mark: this.#mark, folder, limitFolders: [] };
      return { registration: await registerShells(this.#options.dataFolder, record), folder };
    })().catch(() => undefined); // servers can be used even if the data folder can't be written
    await this.#registration;
  }

  #changed(name: string, server: Server): void {
    if (this.#ended.signal.aborted || this.#servers.get(name) !== server) return;
    const { status, detail } = server.connection?.state ?? { status: 'failed' };
    if (status !== 'pending' && detail !== undefined && detail !== server.told) this.#options.onNotice(detail);
    if (status === 'connected') server.told = undefined;
    else if (detail !== undefined) server.told = detail;
    const { connection } = server;
    const sent = connection && { tools: connection.offered.tools, instructions: connection.instructions };
    if (status === 'connected' && sent && server.review.isNew(sent)) {
      void server.review.take(sent);
      if (!server.review.isReady) return; // it counts as connecting
    }
    this.#options.onChange();
  }

  #readTools(name: string, sent: readonly unknown[], areHeadersSent: boolean): ReadTools {
    const { usable, refused } = withUsableHeaders(sent, areHeadersSent);
    const { tools, setAside } = readTools(usable, (names) => toolNames(this.#parts.get(name) ?? name, names));
    return { tools, setAside: [...setAside, ...refused] };
  }

  /** Shows messages that are worth the user's attention, and only the first few of a server that logs too much. */
  #log(server: Server, level: string, text: string): void {
    if (!['error', 'critical', 'alert', 'emergency', 'warning'].includes(level)) return;
    server.logged += 1;
    const { name } = server.configured;
    if (server.logged <= MAX_LOGGED) this.#options.onNotice(`The MCP server ${name} logged (${level}): ${text}`);
    if (server.logged === MAX_LOGGED) this.#options.onNotice(`Further messages of ${name} are not shown.`);
  }
}

function taskServer(server: Server | undefined): TaskServer | undefined {
  const { connection, review } = server ?? {};
  if (!server || !connection || !review) return undefined;
  return {
    key: server.key,
    isProcess: connection.config.type === 'stdio',
    settled: () => server.connecting,
    isHeldBack: (tool) => review.isHeldBack(tool),
  };
}
