// A connection to the host process.

import { createConnection, type Socket } from 'node:net';
import { type HelveAbout, isHelveAbout } from '../../acp/helve-methods.js';
import { RpcConnection, type RpcParams } from '../../acp/json-rpc.js';
import { PROTOCOL_VERSION } from '../../acp/messages.js';
import { fieldsOf } from '../../acp/read-params.js';
import { UserFacingError } from '../../contract/user-facing-error.js';
import type { Caller } from '../../host/hosted-conversation.js';
import { codeOf } from '../../platform/error-code.js';
import { socketTransport } from './socket-transport.js';

/** The connection ended before the answer: the host was ended or killed. */
export class HostGone extends UserFacingError {
  override readonly name = 'HostGone';
}

export class HostClient {
  readonly #connection: RpcConnection;
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #onNotification: (method: string, params: RpcParams) => void = () => {};
  #isClosed = false;
  /** Facts of the host. */
  about: HelveAbout = { protocol: 0, version: '', pid: 0 };

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#connection = new RpcConnection(socketTransport(socket, new AbortController().signal), {
      request: () => undefined,
      notification: (method, params) => this.#onNotification(method, params),
      lateResult: () => {},
      onProblem: () => {},
    });
    this.#closed = this.#connection
      .serve()
      .catch(() => {}) // as when the host is killed
      .finally(() => {
        this.#isClosed = true;
        socket.destroy();
      });
  }

  /** Undefined if no host listens there. */
  static async connect(path: string, caller?: Caller): Promise<HostClient | undefined> {
    const socket = await connected(path);
    if (!socket) return undefined;
    const client = new HostClient(socket);
    try {
      await client.#initialize(caller);
      return client;
    } catch (error) {
      client.close();
      if (error instanceof HostGone) return undefined; // it was ending
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the host has ended the connection. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  listen(onNotification: (method: string, params: RpcParams) => void): void {
    this.#onNotification = onNotification;
  }

  /** Rejects with the host's `RpcError`, or with `HostGone`. */
  async request(method: string, params: RpcParams = {}): Promise<RpcParams> {
    try {
      return fieldsOf(await this.#connection.request(method, params, new AbortController().signal));
    } catch (error) {
      await Promise.race([this.#closed, new Promise((next) => setImmediate(next))]);
      throw this.#isClosed ? new HostGone('The host process has ended.', { cause: error }) : error;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #initialize(caller: Caller | undefined): Promise<void> {
    const answer = await this.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      ...(caller && { _meta: { helve: caller } }),
    });
    const about = fieldsOf(answer['_meta'])['helve'];
    if (!isHelveAbout(about)) throw new Error('What listens on the socket of the host is not a host of Helve.');
    this.about = about;
  }
}

/** Undefined if nothing listens, as after a kill, which leaves the file of the socket. */
async function connected(path: string): Promise<Socket | undefined> {
  return await new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTSOCK'].includes(codeOf(error) ?? ''))
        resolve(undefined);
      else reject(error);
    });
  });
}
