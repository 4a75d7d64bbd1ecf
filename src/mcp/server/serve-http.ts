// MCP over HTTP, for this machine only. A client's session is found by its id; clients with the protocol of 2026-07-28
// or later have no sessions and share one, which belongs to the holder of the token.

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { UserFacingError } from '../../contract/user-facing-error.js';
import { monotonicMs } from '../../platform/clock.js';
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import { cutMiddle } from '../../platform/text/truncate.js';
import type { Offer } from './offer.js';
import { ServedConnection } from './serve-connection.js';
import { type Refusal, refusalOf } from './serve-guard.js';
import type { OpenSession, ServerIdentity } from './serve-port.js';
import { CallRounds } from './serve-rounds.js';
import { createServer, type ServerOptions } from './server.js';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024 * 1024; // a written file arrives in one message
const MAX_PROBLEM_CHARS = 1_000; // a problem may quote a whole message
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
export class PortRefused extends UserFacingError {}

export async function serveOverHttp(options: HttpServerOptions): Promise<HttpService> {
  const { maxBodyBytes = MAX_BODY_BYTES, token } = options;
  const onProblem = (text: string): void => options.onProblem(cutMiddle(text, MAX_PROBLEM_CHARS));
  const sessions = new Sessions({ ...options, onProblem });
  const http = createHttpServer((request, response) => {
    const refusal = refusalOf(request, { token, port }) ?? notHere(request);
    if (refusal) return refuse(request, response, refusal);
    sessions.watch(headerOf(request), response);
    const handle = toNodeHandler(
      { fetch: (received) => sessions.serve(received, response) },
      { maxRequestBodySize: maxBodyBytes, onerror: ({ message }) => onProblem(message) },
    );
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
const VERSION_HEADER = 'mcp-protocol-version';

function headerOf({ headers }: IncomingMessage): string | undefined {
  const id = headers[SESSION_HEADER];
  return typeof id === 'string' ? id : undefined;
}

class Sessions {
  readonly #options: HttpServerOptions;
  readonly #byId = new Map<string, HttpSession>();
  readonly #newer: Pick<McpHttpHandler, 'fetch'> & { end(): Promise<void> };
  readonly #responses = new WeakMap<Request, ServerResponse>();
  /** Resolves once the client has received enough of an answer to be sent more. */
  readonly #flow = async ({ http }: ServerContext): Promise<void> => {
    const response = http?.req && this.#responses.get(http.req);
    if (!response?.writableNeedDrain || response.destroyed) return;
    const waiting = new AbortController();
    const options = { signal: waiting.signal };
    await Promise.race([once(response, 'drain', options), once(response, 'close', options)]).finally(() =>
      waiting.abort(),
    );
  };

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { open, identity, offer, onProblem, maxBodyBytes = MAX_BODY_BYTES } = options;
    const { maxSubscriptions = MAX_SUBSCRIPTIONS, maxWaiting } = options;
    const connection = new ServedConnection(open);
    const rounds = new CallRounds(connection, maxWaiting === undefined ? {} : { maxWaiting });
    const onToolsChanged = (): void => handler.notify.toolsChanged();
    const served = { connection, identity, offer, rounds, onToolsChanged, hasStreams: true, flow: this.#flow };
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

  async serve(request: Request, response: ServerResponse): Promise<Response> {
    this.#responses.set(request, response);
    if (request.method !== 'POST') return await this.#serveSession(request, undefined);
    if (!isJsonContentType(request.headers.get('content-type'))) {
      return answer(415, -32_000, 'The Content-Type of a message must be application/json.');
    }
    const parsedBody = parsed(await request.text()); // once, since a message may be long
    if (parsedBody === undefined) return answer(400, -32_700, 'The body of the request is not valid JSON.');
    if (await isLegacyRequest(request, parsedBody)) return await this.#serveSession(request, parsedBody);
    return await this.#newer.fetch(request, { parsedBody });
  }

  /** A request of the revisions with sessions. */
  async #serveSession(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return await this.#begin(request, parsedBody);
    const session = this.#byId.get(id);
    if (session) return await session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody });
    return answer(
      404,
      -32_001,
      'There is no such session: it has ended or never existed. Start with initialize.',
      parsedBody,
    );
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    const isNewer = request.headers.get(VERSION_HEADER) === '2026-07-28';
    if (isNewer && request.method !== 'POST') {
      return answer(405, -32_000, `${request.method} belongs to sessions, which 2026-07-28 does not have. Use POST.`);
    }
    if (isNewer && Array.isArray(parsedBody)) {
      return answer(400, -32_600, '2026-07-28 has no batches. Send each message in a request of its own.');
    }
    if (!isInitializeRequest(parsedBody)) {
      return answer(
        400,
        -32_000,
        `A session starts with initialize; other requests must send its id in ${SESSION_HEADER}.`,
        parsedBody,
      );
    }
    const { maxSessions = MAX_SESSIONS } = this.#options;
    if (this.#byId.size >= maxSessions && !this.#endLongestIdle()) {
      return answer(
        503,
        -32_000,
        `There are ${maxSessions} sessions already, which is the limit, and all are in use. End one, or try later.`,
        parsedBody,
      );
    }
    const session = new HttpSession(this.#options, { onEnd: (ended) => this.#byId.delete(ended), flow: this.#flow });
    await session.connect();
    this.#byId.set(session.id, session);
    return await session.transport.handleRequest(request, { parsedBody });
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

interface SessionOwner {
  onEnd(id: string): void;
  flow: ServerOptions['flow'];
}

class HttpSession {
  readonly id = randomId();
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly #connection: ServedConnection;
  readonly #options: HttpServerOptions;
  readonly #owner: SessionOwner;
  idleSince = monotonicMs();
  #connections = 0;
  #timer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: HttpServerOptions, owner: SessionOwner) {
    this.#options = options;
    this.#owner = owner;
    this.#connection = new ServedConnection(options.open);
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      maxRequestBodySize: options.maxBodyBytes ?? MAX_BODY_BYTES,
    });
  }

  async connect(): Promise<void> {
    const { identity, offer, onProblem } = this.#options;
    const server = createServer({ connection: this.#connection, identity, offer, flow: this.#owner.flow });
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
    this.#owner.onEnd(this.id);
    await this.#connection.end();
    await this.transport.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `body`: the request, whose id the answer repeats. */
function answer(status: number, code: number, message: string, body?: unknown): Response {
  const id = isJSONRPCRequest(body) ? body.id : null;
  const response = Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status });
  if (status === 405) response.headers.set('Allow', 'POST');
  return response;
}
