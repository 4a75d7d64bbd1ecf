// JSON-RPC 2.0 in both directions over lines of text. It knows nothing of the Agent Client Protocol, nor where the
// lines come from.

import { UserFacingError } from '../contract/user-facing-error.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { jsonLine } from '../platform/text/json-line.js';

export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The caller has cancelled the request. */
  cancelled: -32_800,
  /** The following two are those of the Agent Client Protocol. */
  authRequired: -32_000,
  notFound: -32_002,
  /** The role of the client does not allow it. `data` has the role and the one that is needed. */
  forbidden: -32_003,
} as const;

const MAX_RUNNING = 512; // requests of the peer whose answers it has not read yet

/** An error that the peer gets with its code. Every other error is an internal one. */
export class RpcError extends UserFacingError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Lines to and from the peer. A line that was too long is reported by its length. */
export interface RpcTransport {
  readonly lines: AsyncIterable<{ text: string } | { tooLong: number }>;
  /** Resolves once the line is accepted, so that a slow reader is noticed. */
  write(line: string): Promise<void>;
}

export type RpcParams = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: RpcParams;
  /** Aborts when the peer cancels the request, and when the connection ends. */
  readonly signal: AbortSignal;
  /** Calls the function once the answer is written. */
  afterAnswer(then: () => void): void;
}

export type RpcId = string | number | null;

export interface RpcHandlers {
  /** Answers with the value that it resolves to. Undefined: there is no such method. */
  request(request: RpcRequest): Promise<unknown> | undefined;
  notification(method: string, params: RpcParams): void;
  /** The result of a request that is no longer waited for. */
  lateResult(result: unknown): void;
  /** Something for the log: the peer sent what can't be answered. */
  onProblem(sentence: string): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class RpcConnection {
  readonly #transport: RpcTransport;
  readonly #handlers: RpcHandlers;
  readonly #pending = new Map<RpcId, Pending>();
  readonly #running = new Map<RpcId, AbortController>();
  /** Answers that wait for the peer to read. */
  #unsent = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(transport: RpcTransport, handlers: RpcHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads until the peer closes its side. Requests of ours that are open then are rejected, and those of the peer aborted. */
  async serve(): Promise<void> {
    try {
      for await (const line of this.#transport.lines) {
        if ('tooLong' in line) await this.#refuse(null, rpcCodes.invalidRequest, tooLong(line.tooLong));
        else if (line.text.trim() !== '') await this.#takeLine(line.text);
      }
    } finally {
      this.#isClosed = true;
      const gone = new Error('The client has closed the connection.');
      for (const { reject } of this.#pending.values()) reject(gone);
      for (const controller of this.#running.values()) controller.abort(gone);
      this.#pending.clear();
    }
  }

  /** Rejects with the peer's `RpcError`. When the signal aborts, the peer gets a cancellation, and this rejects. */
  async request(method: string, params: RpcParams, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('The client has closed the connection.');
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#pending.set(id, answered);
    const onAbort = (): void => {
      answered.reject(signal.reason);
      this.#pending.delete(id);
      void this.notify('$/cancel_request', { requestId: id });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#write({ jsonrpc: '2.0', id, method, params }), answered.promise]);
      return await answered.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
    }
  }

  async notify(method: string, params: RpcParams): Promise<void> {
    await this.#write({ jsonrpc: '2.0', method, params });
  }

  /** Aborts a request of the peer. Returns whether it was running. */
  cancel(id: unknown): boolean {
    const controller = isId(id) ? this.#running.get(id) : undefined;
    controller?.abort(new RpcError(rpcCodes.cancelled, 'The request was cancelled.'));
    return controller !== undefined;
  }

  async #takeLine(text: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return await this.#refuse(null, rpcCodes.parseError, `The line is not valid JSON: ${messageOf(error)}`);
    }
    if (Array.isArray(message)) {
      return await this.#refuse(null, rpcCodes.invalidRequest, 'Batches are not supported. Send one message a line.');
    }
    if (!isObject(message)) return await this.#refuse(null, rpcCodes.invalidRequest, 'The message is not an object.');
    const { id, method, params = {} } = message;
    if (method === undefined && ('result' in message || 'error' in message)) return this.#takeAnswer(id, message);
    const knownId = isId(id) ? id : null;
    if (typeof method !== 'string') {
      return await this.#refuse(knownId, rpcCodes.invalidRequest, '"method" must be the name of a method.');
    }
    if (id !== undefined && !isId(id)) {
      return await this.#refuse(null, rpcCodes.invalidRequest, '"id" must be a string, a whole number or null.');
    }
    if (!isObject(params) && params !== null) {
      const sentence = `"params" of ${method} must be an object.`;
      return id === undefined
        ? this.#handlers.onProblem(sentence)
        : await this.#refuse(id, rpcCodes.invalidParams, sentence);
    }
    if (id === undefined) return this.#handlers.notification(method, params ?? {});
    if (this.#running.has(id)) {
      return await this.#refuse(
        id,
        rpcCodes.invalidRequest,
        `A request with the id ${JSON.stringify(id)} is still open.`,
      );
    }
    if (this.#running.size + this.#unsent >= MAX_RUNNING) {
      const sentence = `${MAX_RUNNING} requests are open already. Wait for an answer, then send this one again.`;
      return await this.#refuse(id, rpcCodes.internalError, sentence);
    }
    void this.#answer(id, method, params ?? {}); // not awaited: a request may run for long, and others come meanwhile
  }

  async #answer(id: RpcId, method: string, params: RpcParams): Promise<void> {
    const controller = new AbortController();
    const after: Array<() => void> = [];
    this.#running.set(id, controller);
    try {
      const { signal } = controller;
      const work = this.#handlers.request({ id, method, params, signal, afterAnswer: (then) => void after.push(then) });
      if (!work)
        throw new RpcError(rpcCodes.methodNotFound, `There is no method ${JSON.stringify(method.slice(0, 80))}.`);
      const result = await work;
      this.#running.delete(id);
      await this.#writeAnswer({ jsonrpc: '2.0', id, result: result ?? {} });
      for (const then of after) then();
    } catch (error) {
      this.#running.delete(id);
      const { code, data } = error instanceof RpcError ? error : { code: rpcCodes.internalError, data: undefined };
      const fields = { code, message: messageOf(error), ...(data !== undefined && { data }) };
      await this.#writeAnswer({ jsonrpc: '2.0', id, error: fields });
    }
  }

  async #writeAnswer(answer: RpcParams): Promise<void> {
    this.#unsent += 1;
    await this.#write(answer).finally(() => {
      this.#unsent -= 1;
    });
  }

  #takeAnswer(id: unknown, message: RpcParams): void {
    const pending = isId(id) ? this.#pending.get(id) : undefined;
    const { error, result } = message;
    if (!pending) {
      if (typeof id === 'number' && id > 0 && id <= this.#lastId) this.#handlers.lateResult(result);
      else
        this.#handlers.onProblem(`An answer came to no request of ours${isId(id) ? `: ${JSON.stringify(id)}` : ''}.`);
      return;
    }
    if (error === undefined || error === null) {
      pending.resolve(result);
      return;
    }
    const { code, message: text, data } = isObject(error) ? error : {};
    const sentence = typeof text === 'string' ? text : 'The client answered with an error.';
    pending.reject(new RpcError(typeof code === 'number' ? code : rpcCodes.internalError, sentence, data));
  }

  async #refuse(id: RpcId, code: number, message: string, data?: unknown): Promise<void> {
    await this.#write({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  async #write(message: RpcParams): Promise<void> {
    if (!this.#isClosed) await this.#transport.write(jsonLine(message));
  }
}

const isId = (id: unknown): id is RpcId =>
  id === null || typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));

const tooLong = (bytes: number): string =>
  `The line has ${bytes} bytes, which is more than is accepted, so it was not read. Send large files as files, and name them in the prompt.`;
