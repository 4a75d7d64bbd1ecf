// One server: its connection, what it offers, and the calls that go to it. It may be slow, die, flood or lie; all of
// that ends here as a state and a message.

import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type ServerCapabilities, SSEClientTransport, type Transport } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/failure.js';
import type { AskUser } from '../../contract/question.js';
import { abortable } from '../../platform/abortable.js';
import { MAX_TIMER_MS, monotonicMs } from '../../platform/clock.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import type { ConnectionConfig } from './config.js';
import { httpStatus, isConnectionLoss, isHeaderMismatch, isUnheard, isUnreachable } from './connection-errors.js';
import type { CallOptions, ConnectionOptions, ConnectionState } from './connection-options.js';
import { describeOutage, explainFailure, GO_ON } from './explain-failure.js';
import { FreshReads } from './fresh-reads.js';
import { parameterHeaders } from './header-parameters.js';
import { withInput } from './input-required.js';
import { legacyTaskParams } from './legacy-tasks.js';
import { followLists } from './list-subscription.js';
import { whyGone } from './lost-stream.js';
import { negotiate, OtherVersions } from './negotiate.js';
import type { Offered } from './offered.js';
import { OfferedLists } from './offered-lists.js';
import { openTransport } from './open-transport.js';
import { progressText } from './progress-text.js';
import { anyResult, instructionsOf, oneByOne, protocolClient, rawResult } from './protocol-client.js';
import type { ServerAnswer, TaskAccess, TaskMethod } from './remote-task.js';
import { StdioTransport } from './stdio-transport.js';

const FIRST_TRIES = 3; // for a remote server that may be starting up
const RECONNECT_TRIES = 5;
const STDIO_IDLE_MS = 30 * 60_000;
const REMOTE_IDLE_MS = 5 * 60_000;
const MAX_INSTRUCTIONS = 2_048;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #ended = new AbortController();
  #client: Client | undefined;
  #transport: Transport | undefined;
  #state: ConnectionState = { status: 'pending' };
  #instructions = '';
  #connecting: Promise<void> | undefined;
  readonly #lists: OfferedLists;
  readonly #reads = new FreshReads();
  #following = new AbortController();
  /** What is being written about the server's era. */
  #noting: Promise<void> = Promise.resolve();
  readonly #askUser: AskUser | undefined;

  constructor(options: ConnectionOptions) {
    const { name, limits, askUser, onChange, onLog } = options;
    this.#options = options;
    this.#lists = new OfferedLists({
      pageMs: limits.connectMs,
      ended: this.#ended.signal,
      onChange,
      onProblem: (text) => onLog('warning', text),
    });
    const enough = `${plainLine(name, 40)} has asked so many questions that the next ones are declined.`;
    this.#askUser = askUser && oneByOne(askUser, () => onLog('warning', enough));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get offered(): Offered {
    return this.#lists.offered;
  }

  /** The server's instructions for the model. Untrusted text. */
  get instructions(): string {
    return this.#instructions;
  }

  /** The process's stderr; empty for a remote server. */
  get errorOutput(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.stderr.text : '';
  }

  /** Whether some parameters of its tools are sent as HTTP headers as well. */
  get sendsParameterHeaders(): boolean {
    return this.#options.config.type === 'http' && this.#client?.getProtocolEra() === 'modern';
  }

  get config(): ConnectionConfig {
    return this.#options.config;
  }

  /** Resolves once it has connected or failed; never rejects. */
  connect(tries = this.#isRemote ? FIRST_TRIES : 1): Promise<void> {
    this.#connecting ??= this.#tryAgain(tries).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** The server's answer: a result, or a task that it works on. `inBackground`: a task may outlive the call. */
  async call(tool: string, input: unknown, { inBackground, signal, onProgress }: CallOptions): Promise<ServerAnswer> {
    const client = await this.#ready(signal);
    const params = {
      name: tool,
      arguments: isObject(input) ? { ...input } : {},
      ...legacyTaskParams(client, this.#definition(tool), inBackground),
    };
    try {
      return await this.#request('tools/call', params, signal, onProgress);
    } finally {
      this.#reads.clear(); // it may have changed anything
    }
  }

  /** How to reach the server about its tasks. */
  get tasks(): TaskAccess {
    const { name, roots } = this.#options;
    return {
      server: name,
      askUser: this.#askUser,
      roots,
      limitMs: this.#callMs,
      isLegacy: this.#client?.getProtocolEra() === 'legacy',
      send: (method, params, signal) => this.#request(method, params, signal),
      onTaskEnd: () => this.#reads.clear(),
    };
  }

  async readResource(uri: string, signal: AbortSignal): Promise<ServerAnswer> {
    const known = this.#reads.get(uri);
    if (known) return known;
    const askedAt = monotonicMs();
    const result = await this.#request('resources/read', { uri }, signal);
    this.#reads.keep(uri, result, askedAt);
    return result;
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ServerAnswer> {
    return await this.#request('prompts/get', { name, arguments: args }, signal);
  }

  /** Connects again if the server needs a sign-in and somebody may have signed in since, here or in another process. */
  async reconnectIfSignedIn(): Promise<void> {
    if (this.#state.status === 'needs-auth' && (await this.#options.auth?.hasChanged())) await this.connect(1);
  }

  /** Tells the server that the roots have changed. */
  rootsChanged(): void {
    void this.#client?.sendRootsListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error('The session has ended.'));
    await Promise.all([this.#drop(), this.#noting]);
    await this.#options.auth?.settled();
  }

  get #callMs(): number {
    const { limits, config } = this.#options;
    return Math.min(config.timeoutMs ?? limits.callMs, MAX_TIMER_MS);
  }

  get #isRemote(): boolean {
    return this.#options.config.type === 'http' || this.#options.config.type === 'sse';
  }

  async #tryAgain(tries: number): Promise<void> {
    const { retryMs } = this.#options.limits;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        const end = this.#processEnd; // read before closing: the process may have ended by itself
        await this.#drop();
        if (this.#ended.signal.aborted) return;
        const status = httpStatus(error);
        const mayPass = !(error instanceof OtherVersions) && (status === undefined || status === 429 || status >= 500);
        const isTransient = this.#isRemote && mayPass;
        if (!isTransient || attempt >= tries) return this.#fail(error, { end });
        const wait = delay(retryMs * 2 ** (attempt - 1), undefined, { signal: this.#ended.signal, ref: false });
        await wait.catch(() => {});
        if (this.#ended.signal.aborted) return;
      }
    }
  }

  async #connectOnce(): Promise<void> {
    const { limits, config, eraKey } = this.#options;
    const limit = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(limits.connectMs)]);
    this.#setState({ status: 'pending' });
    const eras = await this.#options.eras();
    const remembered = await eras.get(eraKey);
    const work = async (): Promise<void> => {
      const { client, era } = await negotiate({
        kind: config.type,
        remembered,
        probeMs: limits.probeMs,
        connectMs: limits.connectMs,
        signal: limit,
        open: (probeMs) => this.#open(probeMs, limit),
        load: (opened, capabilities) => this.#load(opened, capabilities, limit),
      });
      const transport = this.#transport;
      // Set only now: until here, the attempt itself reports failures.
      client.onclose = () => this.#lost(client);
      client.onerror = (error) => {
        if (transport instanceof SSEClientTransport) this.#lost(client, error);
        else void whyGone(client, error, limits.connectMs).then((gone) => gone && this.#lost(client, gone));
      };
      this.#instructions = plainText(instructionsOf(client), MAX_INSTRUCTIONS);
      if (era) this.#noting = eras.set(eraKey, era).catch(() => {}); // then the next start asks again
    };
    await abortable(work, limit).catch((error: unknown) => {
      const isItsOwn = !isUnreachable(error) && httpStatus(error) === undefined; // neither an outage nor a missing key
      if (remembered && isItsOwn && !this.#ended.signal.aborted) {
        this.#noting = eras.forget(eraKey).catch(() => {});
      }
      if (!limit.aborted || this.#ended.signal.aborted) throw error;
      throw new Error(`did not answer within ${limits.connectMs / 1000} s`, { cause: error });
    });
    this.#setState({ status: 'connected' });
  }

  async #open(probeMs: number, limit: AbortSignal): Promise<{ client: Client; transport: Transport }> {
    await this.#drop();
    const { name, roots, onLog } = this.#options;
    const transport = await openTransport(this.#options, limit);
    const client = protocolClient({
      name,
      roots,
      askUser: this.#askUser,
      onLog,
      onStale: (stale, kind) => this.#stale(stale, kind),
      probeMs,
    });
    limit.throwIfAborted();
    this.#client = client;
    this.#transport = transport;
    return { client, transport };
  }

  async #load(client: Client, capabilities: ServerCapabilities, limit: AbortSignal): Promise<void> {
    this.#following.abort();
    this.#following = new AbortController();
    if (client.getProtocolEra() === 'modern') {
      const { limits, onLog } = this.#options;
      void followLists({
        client,
        capabilities,
        timeoutMs: limits.connectMs,
        retryMs: limits.retryMs,
        signal: this.#following.signal,
        onStale: (kind) => this.#stale(client, kind),
        onProblem: (text) => onLog('warning', text),
      });
    }
    await this.#lists.fetchAll(client, capabilities, limit);
  }

  #stale(client: Client, kind: keyof Offered): void {
    if (kind === 'resources') this.#reads.clear();
    this.#lists.refresh(client, kind);
  }

  async #request(
    method: 'tools/call' | 'resources/read' | 'prompts/get' | TaskMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onProgress?: (text: string) => void,
  ): Promise<ServerAnswer> {
    const callMs = this.#callMs;
    const idleMs = Math.min(callMs, this.#isRemote ? REMOTE_IDLE_MS : STDIO_IDLE_MS);
    const { name, roots } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#ready(signal);
      const send = async (filled: Readonly<Record<string, unknown>>): Promise<ServerAnswer> =>
        rawResult(
          await client.request({ method, params: filled }, anyResult, {
            signal,
            timeout: idleMs,
            maxTotalTimeout: callMs,
            resetTimeoutOnProgress: true,
            allowInputRequired: true,
            ...this.#headers(method, params),
            ...(onProgress && {
              onprogress: ({ progress, total, message }) => onProgress(progressText(progress, total, message)),
            }),
          }),
        );
      try {
        return await withInput(params, send, { server: name, askUser: this.#askUser, roots, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ToolFailure) throw error;
        if (attempt === 1 && this.#isRemote && isUnheard(error)) {
          await this.#renew(client);
          continue;
        }
        if (attempt === 1 && method === 'tools/call' && isHeaderMismatch(error)) {
          await this.#lists.refetch(client, 'tools', signal).catch(() => {}); // then the second attempt fails with the reason
          continue;
        }
        if (this.#isRemote && isConnectionLoss(error)) this.#lost(client, error);
        const stated = this.#state.status === 'connected' ? undefined : this.#state.detail;
        const detail = this.#options.auth?.explain(error) ?? stated;
        const { message, advice } = explainFailure(error, { server: name, idleMs, callMs, detail });
        throw new ToolFailure(message, { cause: error, ...(advice !== undefined && { advice }) });
      }
    }
  }

  /** The parameters of a call that its tool wants to have in the headers. */
  #headers(
    method: string,
    { name, arguments: input }: Readonly<Record<string, unknown>>,
  ): { headers?: Record<string, string> } {
    if (method !== 'tools/call' || !this.sendsParameterHeaders) return {};
    const tool = this.#definition(name);
    return tool ? { headers: parameterHeaders(tool['inputSchema'], input) } : {};
  }

  #definition(tool: unknown): ServerAnswer | undefined {
    return this.#lists.offered.tools.filter(isObject).find(({ name }) => name === tool);
  }

  /** Replaces this connection with a new one, unless that has already happened. */
  async #renew(client: Client): Promise<void> {
    if (client !== this.#client) return;
    this.#setState({ status: 'pending' });
    await this.#drop();
    await this.connect(1);
  }

  async #ready(signal: AbortSignal): Promise<Client> {
    if (this.#state.status === 'needs-auth') await this.reconnectIfSignedIn();
    if (this.#state.status === 'pending') await abortable(() => this.connect(), signal);
    if (this.#state.status === 'connected' && this.#client) return this.#client;
    throw new ToolFailure(this.#state.detail ?? `The MCP server ${this.#options.name} is not connected.`, {
      advice: GO_ON,
    });
  }

  /** The connection was lost. A remote server is retried in the background; a process is not started a second time. */
  #lost(client: Client, error?: unknown): void {
    if (client !== this.#client || this.#ended.signal.aborted || this.#connecting) return;
    if (!this.#isRemote) {
      const after = ' It is not started again in this session.';
      this.#fail(error ?? new Error('ended'), { end: this.#processEnd, after });
      return;
    }
    this.#setState({ status: 'pending' });
    void this.#drop().then(() => {
      if (this.#state.status === 'pending') return this.connect(RECONNECT_TRIES); // a call may have reconnected already
      return undefined;
    });
  }

  /** Why its process has ended; undefined if it runs, or if there is no process. */
  get #processEnd(): string | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.end : undefined;
  }

  #fail(error: unknown, { end, after = '' }: { end: string | undefined; after?: string }): void {
    const status = httpStatus(error);
    const { name } = this.#options;
    if (status === 401 || status === 403) {
      const { auth } = this.#options;
      const detail =
        auth?.explain(error) ??
        (status === 401 ? auth?.needsSignIn : undefined) ??
        `The MCP server ${name} requires authentication (HTTP ${status}). Set a key in "headers" or "headersHelper" in its settings.`;
      this.#setState({ status: 'needs-auth', detail });
      return;
    }
    const lastWords = this.#transport instanceof StdioTransport ? this.#transport.stderr.lastLine : undefined;
    this.#setState({ status: 'failed', detail: `${describeOutage(name, error, { end, lastWords })}${after}` });
  }

  async #drop(): Promise<void> {
    this.#following.abort();
    const [client, transport] = [this.#client, this.#transport];
    this.#client = undefined;
    this.#lists.disconnected();
    await client?.close().catch(() => {});
    await transport?.close().catch(() => {});
  }

  #setState(state: ConnectionState): void {
    const isSame = state.status === this.#state.status && state.detail === this.#state.detail;
    this.#state = state;
    if (!isSame) this.#options.onChange();
  }
}
