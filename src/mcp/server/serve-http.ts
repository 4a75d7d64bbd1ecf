// MCP over HTTP, for this machine only. A client's session is found by its id; clients with the protocol of 2026-07-28
// or later have no sessions and share one, which belongs to the holder of the token.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { monotonicMs } from '../../platform/clock.js';
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import type { Offer } from './offer.js';
import { ServedConnection } from './serve-connection.js';
import { type Refusal, refusalOf } from './serve-guard.js';
import type { OpenSession, ServerIdentity } from './serve-port.js';
import { CallRounds } from './serve-rounds.js';
import { createServer } from './server.js';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024 * 1024; // a written file arrives in one message
const MAX_SESSIONS = 32;
const MAX_SUBSCRIPTIONS = 64; // open streams of clients without sessions
const MAX_CONNECTIONS = 256; // each may be sending a message
const IDLE_MS = 30 * 60 * 1000;
const ABANDONED_MS = 30 * 1000; // a call runs, and no client is connected to receive its result

export interface HttpServerOptions {
  /** 0 for any free port. */
  port: number;
  token: string;
  open: OpenSession;
  identity: ServerIdentity;
  offer?: Offer | undefined;
  onProblem(text: string): void;
  maxSessions?: number;
  maxBodyBytes?: number;
  /** Open streams with notifications for clients without sessions. */
  maxSubscriptions?: number;
  /** Calls of clients without sessions that wait for an answer of the user. */
  maxWaiting?: number;
  maxConnections?: number;
  /** How long an unused session lives, and one whose client has disconnected during a call. */
  idleMs?: number;
  abandonedMs?: number;
}

export interface HttpService {
  readonly url: string;
  /** Ends all sessions, and everything that calls have left running. */
  close(): Promise<void>;
}

/** The port can't be opened; the message says why and what to do. */
export class PortRefused extends Error {}

export async function serveOverHttp(options: HttpServerOptions): Promise<HttpService> {
  const sessions = new Sessions(options);
  const { maxBodyBytes = MAX_BODY_BYTES, token, onProblem } = options;
  const handle = toNodeHandler(
    { fetch: (request) => sessions.serve(request) },
    { maxRequestBodySize: maxBodyBytes, onerror: ({ message }) => onProblem(message) },
  );
  const http = createHttpServer((request, response) => {
    const refusal = refusalOf(request, { token, port }) ?? notHere(request);
    if (refusal) return refuse(request, response, refusal);
    sessions.watch(headerOf(request), response);
    handle(request, response).catch((error: unknown) => {
      onProblem(messageOf(error));
      response.destroy();
    });
  });
  http.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  const port = await listen(http, options.port);
  return {
    url: `http://${HOST}:${port}${PATH}`,
    async close() {
      http.close();
      await sessions.close();
      http.closeAllConnections();
    },
  };
}

async function listen(http: Server, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(new PortRefused(whyNot(error, port))));
    http.listen(port, HOST, () => resolve((http.address() as AddressInfo).port)); // it listens on a port, so it has one
  });
}

function whyNot({ code, message }: NodeJS.ErrnoException, port: number): string {
  const other = 'Choose another port, or leave it out to get one that is free.';
  if (code === 'EADDRINUSE') return `The port ${port} is taken by another program. ${other}`;
  if (code === 'EACCES') return `The port ${port} may not be used by this user. ${other}`;
  return `Nothing can listen on the port ${port} (${message}). ${other}`;
}

function notHere({ url = '' }: IncomingMessage): Refusal | undefined {
  return url.split('?', 1)[0] === PATH ? undefined : { status: 404, text: `MCP is served at ${PATH}.` };
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, text, headers }: Refusal): void {
  request.resume(); // discards the rest of the body
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: text }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...headers }).end(body);
}

const SESSION_HEADER = 'mcp-session-id';

function headerOf({ headers }: IncomingMessage): string | undefined {
  const id = headers[SESSION_HEADER];
  return typeof id === 'string' ? id : undefined;
}

class Sessions {
  readonly #options: HttpServerOptions;
  readonly #byId = new Map<string, HttpSession>();
  readonly #newer: { fetch(request: Request): Promise<Response>; end(): Promise<void> };

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { open, identity, offer, onProblem, maxBodyBytes = MAX_BODY_BYTES } = options;
    const { maxSubscriptions = MAX_SUBSCRIPTIONS, maxWaiting } = options;
    const connection = new ServedConnection(open);
    const rounds = new CallRounds(connection, maxWaiting === undefined ? {} : { maxWaiting });
    const onToolsChanged = (): void => handler.notify.toolsChanged();
    const served = { connection, identity, offer, rounds, onToolsChanged, hasStreams: true };
    const handler = createMcpHandler(() => createServer(served), {
      legacy: 'reject',
      maxRequestBodySize: maxBodyBytes,
      maxSubscriptions,
      onerror: ({ message }) => onProblem(message),
    });
    const stop = offer?.subscribe((change) => handler.bus.publish(change));
    this.#newer = {
      fetch: handler.fetch,
      async end() {
        stop?.();
        await handler.close();
        await connection.end();
      },
    };
  }

  async serve(request: Request): Promise<Response> {
    const { maxBodyBytes = MAX_BODY_BYTES } = this.#options;
    if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes }))) {
      return await this.#newer.fetch(request);
    }
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) {
      const session = this.#byId.get(id);
      if (session) return await session.transport.handleRequest(request);
      return answer(404, -32_001, 'There is no such session: it has ended or never existed. Start with initialize.');
    }
    return await this.#begin(request);
  }

  async #begin(request: Request): Promise<Response> {
    const body: unknown = request.method === 'POST' ? await request.json().catch(() => undefined) : undefined;
    if (!isInitializeRequest(body)) {
      return answer(
        400,
        -32_000,
        `A session starts with initialize; other requests must send its id in ${SESSION_HEADER}.`,
      );
    }
    const { maxSessions = MAX_SESSIONS } = this.#options;
    if (this.#byId.size >= maxSessions && !this.#endLongestIdle()) {
      return answer(
        503,
        -32_000,
        `There are ${maxSessions} sessions already, which is the limit, and all are in use. End one, or try later.`,
      );
    }
    const session = new HttpSession(this.#options, (ended) => this.#byId.delete(ended));
    await session.connect();
    this.#byId.set(session.id, session);
    const bodyless = new Request(request.url, { method: request.method, headers: request.headers });
    return await session.transport.handleRequest(bodyless, { parsedBody: body });
  }

  /**
   * Frees a slot for another session: clients often disconnect without ending theirs. False if all sessions are in use.
   */
  #endLongestIdle(): boolean {
    const idle = [...this.#byId.values()].filter(({ isIdle }) => isIdle);
    const longest = idle.toSorted((one, other) => one.idleSince - other.idleSince)[0];
    void longest?.end();
    return longest !== undefined;
  }

  /** Counts open responses: a session is idle only while there are none. */
  watch(id: string | undefined, response: ServerResponse): void {
    const session = id === undefined ? undefined : this.#byId.get(id);
    if (!session) return;
    session.connected();
    response.once('close', () => session.disconnected());
  }

  async close(): Promise<void> {
    await Promise.all([this.#newer.end(), ...[...this.#byId.values()].map((session) => session.end())]);
  }
}

class HttpSession {
  readonly id = randomId();
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly #connection: ServedConnection;
  readonly #options: HttpServerOptions;
  readonly #onEnd: (id: string) => void;
  idleSince = monotonicMs();
  #connections = 0;
  #timer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: HttpServerOptions, onEnd: (id: string) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#connection = new ServedConnection(options.open);
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      maxRequestBodySize: options.maxBodyBytes ?? MAX_BODY_BYTES,
    });
  }

  async connect(): Promise<void> {
    const { identity, offer, onProblem } = this.#options;
    const server = createServer({ connection: this.#connection, identity, offer });
    const { onclose } = server;
    server.onclose = () => {
      onclose?.();
      void this.end(); // the client has ended it with DELETE
    };
    server.onerror = ({ message }) => onProblem(message);
    await server.connect(this.transport);
    this.#checkAbandoned();
  }

  get isIdle(): boolean {
    return this.#connections === 0 && !this.#connection.isBusy;
  }

  connected(): void {
    this.#connections += 1;
    clearTimeout(this.#timer);
  }

  disconnected(): void {
    this.#connections -= 1;
    this.idleSince = monotonicMs();
    if (this.#connections === 0) this.#checkAbandoned();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Checks repeatedly, since a call may start after its client has disconnected. */
  #checkAbandoned(waitedMs = 0): void {
    const { idleMs = IDLE_MS, abandonedMs = ABANDONED_MS } = this.#options;
    const stepMs = Math.min(abandonedMs, idleMs - waitedMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#connection.isBusy || waitedMs + stepMs >= idleMs) void this.end();
      else this.#checkAbandoned(waitedMs + stepMs);
    }, stepMs);
    this.#timer.unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#onEnd(this.id);
    await this.#connection.end();
    await this.transport.close();
  }
}

function answer(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
