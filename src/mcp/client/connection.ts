// One server: its connection, what it offers, and the calls that go to it. It may be slow, die, flood or lie; all of
// that ends here as a state and a message.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/failure.js';
import type { AskUser } from '../../contract/question.js';
import { abortable } from '../../platform/abortable.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine, plainText } from '../plain-text.js';
import { type ConnectionConfig, MAX_TIMER_MS } from './config.js';
import { httpStatus, isConnectionLoss, isUnheard, messageOf } from './connection-errors.js';
import type { Offered } from './offered.js';
import { anyResult, OfferedLists } from './offered-lists.js';
import { openTransport } from './open-transport.js';
import { oneByOne, protocolClient } from './protocol-client.js';
import { StdioTransport } from './stdio-transport.js';
import type { TransportOptions } from './transport-options.js';

const FIRST_TRIES = 3; // for a remote server that may be starting up
const RECONNECT_TRIES = 5;
const STDIO_IDLE_MS = 30 * 60_000;
const REMOTE_IDLE_MS = 5 * 60_000;
const MAX_INSTRUCTIONS = 2_048;
const MAX_SENTENCE = 600;

export type ConnectionStatus = 'pending' | 'connected' | 'failed' | 'needs-auth' | 'disabled';

export interface ConnectionState {
  status: ConnectionStatus;
  /** What is wrong, as a sentence. */
  detail?: string;
}

export interface ConnectionOptions extends TransportOptions {
  /** The folders that the server is given as roots. */
  roots(): readonly string[];
  askUser: AskUser | undefined;
  limits: ConnectionLimits;
  /** Its state, or what it offers, has changed. */
  onChange(): void;
  /** The server has sent a log message. */
  onLog(level: string, text: string): void;
}

export interface ConnectionLimits {
  connectMs: number;
  /** For one call, regardless of progress. */
  callMs: number;
  /** The delay before the first retry; it doubles. */
  retryMs: number;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #ended = new AbortController();
  #client: Client | undefined;
  #transport: Transport | undefined;
  #state: ConnectionState = { status: 'pending' };
  #instructions = '';
  #connecting: Promise<void> | undefined;
  readonly #lists: OfferedLists;
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

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    return await this.#request('prompts/get', { name, arguments: args }, signal);
  }

  /** Tells the server that the roots have changed. */
  rootsChanged(): void {
    void this.#client?.sendRootsListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error('The session has ended.'));
    await this.#drop();
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
        const isTransient = this.#isRemote && (status === undefined || status === 429 || status >= 500);
        if (!isTransient || attempt >= tries) return this.#fail(error, { end });
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
      const { name, roots, onLog } = this.#options;
      const transport = await openTransport(this.#options, limit);
      const client = protocolClient({
        name,
        roots,
        askUser: this.#askUser,
        onLog,
        onStale: (stale, kind) => this.#lists.refresh(stale, kind),
      });
      this.#client = client;
      this.#transport = transport;
      await client.connect(transport, { timeout: limits.connectMs, signal: limit });
      // Set only now: until here, the attempt itself reports failures.
      client.onclose = () => this.#lost(client);
      client.onerror = (error) => {
        if (transport instanceof SSEClientTransport) this.#lost(client, error);
      };
      this.#instructions = plainText(client.getInstructions() ?? '', MAX_INSTRUCTIONS);
      await this.#lists.fetchAll(client, limit);
    };
    await abortable(work, limit).catch((error: unknown) => {
      if (!limit.aborted || this.#ended.signal.aborted) throw error;
      throw new Error(`did not answer within ${limits.connectMs / 1000} s`, { cause: error });
    });
    this.#setState({ status: 'connected' });
  }

  async #request(
    method: 'tools/call' | 'resources/read' | 'prompts/get',
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
        const { message, advice } = this.#explain(error, { idleMs, callMs });
        throw new ToolFailure(message, { cause: error, ...(advice !== undefined && { advice }) });
      }
    }
  }

  /** Replaces this connection with a new one, unless that has already happened. */
  async #renew(client: Client): Promise<void> {
    if (client !== this.#client) return;
    this.#setState({ status: 'pending' });
    await this.#drop();
    await this.connect(1);
  }

  async #ready(signal: AbortSignal): Promise<Client> {
    if (this.#state.status === 'pending') await abortable(() => this.connect(), signal);
    if (this.#state.status === 'connected' && this.#client) return this.#client;
    throw new ToolFailure(this.#state.detail ?? `The MCP server ${this.#options.name} is not connected.`, {
      advice: GO_ON,
    });
  }

  #explain(
    error: unknown,
    { idleMs, callMs }: { idleMs: number; callMs: number },
  ): { message: string; advice?: string } {
    const { name } = this.#options;
    if (error instanceof ProtocolError) {
      return { message: `The MCP server ${name} refused the call: ${plainText(error.message, MAX_SENTENCE)}` };
    }
    const advice = 'It may have done something; check before you repeat it.';
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      const seconds = (error.message.includes('total') ? callMs : idleMs) / 1000;
      const message = `The MCP server ${name} gave no answer and no sign of progress within ${seconds} s, so the call was cancelled.`;
      return { message, advice };
    }
    const detail = this.#state.status === 'connected' ? undefined : this.#state.detail;
    if (detail) return { message: detail, advice: GO_ON };
    const why = plainLine(messageOf(error), 300);
    return { message: `The connection to the MCP server ${name} broke off during the call (${why}).`, advice };
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
      const detail = `The MCP server ${name} requires authentication (HTTP ${status}). Set a key in "headers" or "headersHelper" in its settings.`;
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

const GO_ON = 'Go on without it, or ask the user.';

function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${plainLine(message, 200)} (${count})` : count;
}
