// One server: its connection, what it offers, and the calls that go to it. It may be slow, die, flood or lie; whatever it
// does ends here as a state and a sentence.
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import type { AskUser } from '../contract/question.js';
import { abortable } from '../platform/abortable.js';
import { type ConnectionConfig, MAX_TIMER_MS, type RemoteConfig } from './config.js';
import { httpStatus, isConnectionLoss, isUnheard, messageOf } from './connection-errors.js';
import { elicit } from './elicit.js';
import { runHeadersHelper } from './headers-helper.js';
import { isObject } from './is-object.js';
import { plainLine, plainText } from './plain-text.js';
import { StdioTransport } from './stdio-transport.js';

const FIRST_TRIES = 3; // of a remote server that may be about to come up
const RECONNECT_TRIES = 5;
const MAX_PAGES = 64; // a cursor that never ends is a fault of the server
const MAX_ENTRIES = 10_000;
const SETTLE_MS = 50; // between two fetches of a list, since one change seldom comes alone
const STDIO_IDLE_MS = 30 * 60_000;
const REMOTE_IDLE_MS = 5 * 60_000;
const MAX_INSTRUCTIONS = 2_048;
const MAX_SENTENCE = 600;

export type ConnectionStatus = 'pending' | 'connected' | 'failed' | 'needs-auth' | 'disabled';

export interface ConnectionState {
  status: ConnectionStatus;
  /** What is wrong, in a sentence. */
  detail?: string;
}

export interface ConnectionOptions {
  name: string;
  config: ConnectionConfig;
  /** The project: where the server starts. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The folders that the server is told it may work on. */
  roots(): readonly string[];
  askUser: AskUser | undefined;
  limits: ConnectionLimits;
  /** What its processes are known by. */
  mark: string;
  whileRunning(kill: () => void): () => void;
  /** Its state or what it offers has changed. */
  onChange(): void;
  /** The server has something to say that is not part of an answer. */
  onLog(level: string, text: string): void;
}

export interface ConnectionLimits {
  connectMs: number;
  /** For one call, whatever progress it makes. */
  callMs: number;
  /** The first wait before another try; it doubles. */
  retryMs: number;
}

export interface Offered {
  tools: readonly unknown[];
  resources: readonly unknown[];
  templates: readonly unknown[];
  prompts: readonly unknown[];
}

const nothing: Offered = { tools: [], resources: [], templates: [], prompts: [] };
const anyResult = z.looseObject({});

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #ended = new AbortController();
  #client: Client | undefined;
  #transport: Transport | undefined;
  #state: ConnectionState = { status: 'pending' };
  #offered = nothing;
  #instructions = '';
  #connecting: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #stale = new Set<keyof Offered>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get offered(): Offered {
    return this.#offered;
  }

  /** What the server wants a model to know of it. It is the server's text, not ours. */
  get instructions(): string {
    return this.#instructions;
  }

  /** What a process wrote beside its messages; empty for a remote server. */
  get errorOutput(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.stderr.text : '';
  }

  get config(): ConnectionConfig {
    return this.#options.config;
  }

  /** Settles when it is connected or has failed; never rejects. */
  connect(tries = this.#isRemote ? FIRST_TRIES : 1): Promise<void> {
    this.#connecting ??= this.#tryAgain(tries).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async call(
    tool: string,
    input: unknown,
    { signal, onProgress }: { signal: AbortSignal; onProgress(text: string): void },
  ): Promise<Readonly<Record<string, unknown>>> {
    const params = { name: tool, arguments: isObject(input) ? { ...input } : {} };
    return await this.#request('tools/call', params, signal, onProgress);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return await this.#request('resources/read', { uri }, signal);
  }

  /** The folders have changed. */
  rootsChanged(): void {
    void this.#client?.sendRootsListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error('The session has ended.'));
    await this.#drop();
  }

  get #isRemote(): boolean {
    return this.#options.config.type !== 'stdio';
  }

  async #tryAgain(tries: number): Promise<void> {
    const { retryMs } = this.#options.limits;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        const end = this.#processEnd; // its own, before we make an end of it
        await this.#drop();
        if (this.#ended.signal.aborted) return;
        const status = httpStatus(error);
        const mayPass = this.#isRemote && (status === undefined || status === 429 || status >= 500);
        if (!mayPass || attempt >= tries) return this.#fail(error, { end });
        const wait = delay(retryMs * 2 ** (attempt - 1), undefined, { signal: this.#ended.signal, ref: false });
        await wait.catch(() => {});
        if (this.#ended.signal.aborted) return;
      }
    }
  }

  async #connectOnce(): Promise<void> {
    const { limits } = this.#options;
    const limit = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(limits.connectMs)]);
    this.#setState({ status: 'pending' });
    const work = async (): Promise<void> => {
      const transport = await this.#open(limit);
      const client = this.#newClient();
      this.#client = client;
      this.#transport = transport;
      await client.connect(transport, { timeout: limits.connectMs, signal: limit });
      // Only now: what goes wrong before it is told by the attempt itself.
      client.onclose = () => this.#lost(client);
      client.onerror = (error) => {
        if (transport instanceof SSEClientTransport) this.#lost(client, error);
      };
      this.#instructions = plainText(client.getInstructions() ?? '', MAX_INSTRUCTIONS);
      this.#offered = await this.#listAll(client, limit);
    };
    await abortable(work, limit).catch((error: unknown) => {
      if (!limit.aborted || this.#ended.signal.aborted) throw error;
      throw new Error(`did not answer within ${limits.connectMs / 1000} s`, { cause: error });
    });
    this.#setState({ status: 'connected' });
  }

  async #open(signal: AbortSignal): Promise<Transport> {
    const { config, root, env, mark, whileRunning } = this.#options;
    if (config.type === 'stdio') {
      const projectDir = { CLAUDE_PROJECT_DIR: root, HELVE_PROJECT_DIR: root };
      return new StdioTransport({
        command: config.command,
        args: config.args,
        cwd: root,
        env: { ...env, ...projectDir, ...config.env },
        mark,
        whileRunning,
      });
    }
    const headers = await this.#headers(config, signal);
    const url = new URL(config.url);
    if (config.type === 'sse') return new SSEClientTransport(url, { requestInit: { headers } });
    return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  }

  async #headers({ headers, headersHelper }: RemoteConfig, signal: AbortSignal): Promise<Record<string, string>> {
    if (headersHelper === undefined) return { ...headers };
    const { root, env } = this.#options;
    return { ...headers, ...(await runHeadersHelper(headersHelper, { cwd: root, env, signal })) };
  }

  #newClient(): Client {
    const { name, roots, askUser, onLog } = this.#options;
    const client = new Client(
      { name: 'helve', version: clientVersion },
      { capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } } },
    );
    client.setRequestHandler('roots/list', () => ({
      roots: roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: folder.split('/').at(-1) || folder })),
    }));
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
      elicit(name, { ...params }, askUser, mcpReq.signal),
    );
    client.fallbackRequestHandler = async ({ method }) => {
      const why = method.startsWith('sampling/')
        ? 'Helve does not let servers use its model: a server that needs one brings its own.'
        : `Helve does not answer ${plainLine(method, 60)}.`;
      throw new ProtocolError(-32601, why);
    };
    client.setNotificationHandler('notifications/message', ({ params }) => {
      const text = typeof params.data === 'string' ? params.data : (JSON.stringify(params.data) ?? '');
      onLog(params.level, plainText(text, MAX_SENTENCE));
    });
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#refresh('tools'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => this.#refresh('prompts'));
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      this.#refresh('resources');
      this.#refresh('templates');
    });
    return client;
  }

  async #listAll(client: Client, signal: AbortSignal): Promise<Offered> {
    const can = client.getServerCapabilities() ?? {};
    const optional = async (kind: keyof Offered): Promise<readonly unknown[]> =>
      await this.#list(client, kind, signal).catch(() => []); // tools are what matters; the rest is as good as it is
    const [tools, resources, templates, prompts] = await Promise.all([
      can.tools ? this.#list(client, 'tools', signal) : [],
      can.resources ? optional('resources') : [],
      can.resources ? optional('templates') : [],
      can.prompts ? optional('prompts') : [],
    ]);
    return { tools, resources, templates, prompts };
  }

  async #list(client: Client, kind: keyof Offered, signal: AbortSignal): Promise<readonly unknown[]> {
    const [method, field] = listMethods[kind];
    const entries: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 1; page <= MAX_PAGES && entries.length < MAX_ENTRIES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // Not by the client's own way, which would throw the whole list away for one bad entry.
      const answer = await client.request({ method, params }, anyResult, {
        signal,
        timeout: this.#options.limits.connectMs,
      });
      const found = answer[field];
      if (Array.isArray(found)) entries.push(...found.slice(0, MAX_ENTRIES - entries.length));
      const next = answer['nextCursor'];
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    return entries;
  }

  /** Lists that have changed are fetched anew, one after the other; where that fails, the old one stays. */
  #refresh(kind: keyof Offered): void {
    this.#stale.add(kind);
    this.#refreshing ??= this.#fetchStale().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #fetchStale(): Promise<void> {
    for (const kind of this.#stale) {
      await delay(SETTLE_MS, undefined, { ref: false, signal: this.#ended.signal }).catch(() => {});
      const client = this.#client;
      this.#stale.delete(kind);
      if (this.#ended.signal.aborted || !client) return; // a new connection fetches all of them
      try {
        const list = await this.#list(client, kind, this.#ended.signal);
        if (client !== this.#client) return;
        this.#offered = { ...this.#offered, [kind]: list };
        this.#options.onChange();
      } catch (error) {
        this.#options.onLog('warning', `Its list of ${kind} changed, but could not be fetched: ${messageOf(error)}`);
      }
    }
  }

  async #request(
    method: 'tools/call' | 'resources/read',
    params: Record<string, unknown>,
    signal: AbortSignal,
    onProgress?: (text: string) => void,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { limits, config } = this.#options;
    const callMs = Math.min(config.timeoutMs ?? limits.callMs, MAX_TIMER_MS);
    const idleMs = Math.min(callMs, this.#isRemote ? REMOTE_IDLE_MS : STDIO_IDLE_MS);
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#ready(signal);
      try {
        return await client.request({ method, params }, anyResult, {
          signal,
          timeout: idleMs,
          maxTotalTimeout: callMs,
          resetTimeoutOnProgress: true,
          ...(onProgress && {
            onprogress: ({ progress, total, message }) => onProgress(progressText(progress, total, message)),
          }),
        });
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === 1 && this.#isRemote && isUnheard(error)) {
          await this.#renew(client);
          continue;
        }
        if (this.#isRemote && isConnectionLoss(error)) this.#lost(client, error);
        throw new ToolFailure(this.#explain(error, { idleMs, callMs }), { cause: error });
      }
    }
  }

  /** A new connection in the place of this one, unless there is another already. */
  async #renew(client: Client): Promise<void> {
    if (client !== this.#client) return;
    this.#setState({ status: 'pending' });
    await this.#drop();
    await this.connect(1);
  }

  async #ready(signal: AbortSignal): Promise<Client> {
    if (this.#state.status === 'pending') await abortable(() => this.connect(), signal);
    if (this.#state.status === 'connected' && this.#client) return this.#client;
    throw new ToolFailure(`${this.#state.detail ?? `The MCP server ${this.#options.name} is not connected.`} ${GO_ON}`);
  }

  #explain(error: unknown, { idleMs, callMs }: { idleMs: number; callMs: number }): string {
    const { name } = this.#options;
    if (error instanceof ProtocolError) {
      return `The MCP server ${name} refused the call: ${plainText(error.message, MAX_SENTENCE)}`;
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      const seconds = (error.message.includes('total') ? callMs : idleMs) / 1000;
      return `The MCP server ${name} gave no answer and no sign of progress within ${seconds} s, so the call was cancelled. It may have done something; check before you repeat it.`;
    }
    const detail = this.#state.status === 'connected' ? undefined : this.#state.detail;
    return detail
      ? `${detail} ${GO_ON}`
      : `The connection to the MCP server ${name} broke off during the call (${plainLine(messageOf(error), 300)}). It may have done something; check before you repeat it.`;
  }

  /** Gone in the middle. A remote server is tried again in the background; a process is not started a second time. */
  #lost(client: Client, error?: unknown): void {
    if (client !== this.#client || this.#ended.signal.aborted || this.#connecting) return;
    if (!this.#isRemote) {
      const after = ' It is not started again in this session.';
      this.#fail(error ?? new Error('ended'), { end: this.#processEnd, after });
      return;
    }
    this.#setState({ status: 'pending' });
    void this.#drop().then(() => {
      if (this.#state.status === 'pending') return this.connect(RECONNECT_TRIES); // a call may have been quicker
      return undefined;
    });
  }

  /** Why its process is over; undefined where it is not, or where there is none. */
  get #processEnd(): string | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.end : undefined;
  }

  #fail(error: unknown, { end, after = '' }: { end: string | undefined; after?: string }): void {
    const status = httpStatus(error);
    const { name } = this.#options;
    if (status === 401 || status === 403) {
      const detail = `The MCP server ${name} wants to know who asks (HTTP ${status}). Give it a key by "headers" or "headersHelper" in its settings.`;
      this.#setState({ status: 'needs-auth', detail });
      return;
    }
    const transport = this.#transport instanceof StdioTransport ? this.#transport : undefined;
    const why = end ?? plainLine(messageOf(error), 300);
    const words = transport?.stderr.lastLine;
    const said = words ? ` Its last words: "${plainLine(words, 300)}".` : '';
    const verb = /^(?:did|could|ended|was|sent) /.test(why) ? why : `can't be reached (${why})`;
    this.#setState({ status: 'failed', detail: `The MCP server ${name} ${verb}.${said}${after}` });
  }

  async #drop(): Promise<void> {
    const [client, transport] = [this.#client, this.#transport];
    this.#client = undefined;
    await client?.close().catch(() => {});
    await transport?.close().catch(() => {});
  }

  #setState(state: ConnectionState): void {
    const isSame = state.status === this.#state.status && state.detail === this.#state.detail;
    this.#state = state;
    if (!isSame) this.#options.onChange();
  }
}

const GO_ON = 'Go on without it, or ask the user.';

declare const HELVE_VERSION: string | undefined; // put in by the build

const clientVersion = typeof HELVE_VERSION === 'string' ? HELVE_VERSION : 'source';

const listMethods: Readonly<Record<keyof Offered, readonly [method: string, field: string]>> = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
};

function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${plainLine(message, 200)} (${count})` : count;
}
