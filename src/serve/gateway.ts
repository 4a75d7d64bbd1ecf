// The front of `helve serve`: HTTP and WebSocket on one port. What is behind it is a port of its own (`BackEnd`).

import { watch } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { UserFacingError } from '../contract/user-facing-error.js';
import { codeOf } from '../platform/error-code.js';
import { makePrivateFolder } from '../platform/files/private-files.js';
import { messageOf } from '../platform/message-of.js';
import { LOOPBACK_NAMES } from '../platform/web/guarded-request.js';
import type { AccessFile, Grant } from './access-file.js';
import type { BackEnd } from './back-end.js';
import { ClientConnection, closeCodes } from './client-connection.js';
import { newCounts } from './counts.js';
import { grantOf, SUBPROTOCOL } from './credentials.js';
import { HttpAnswers, refuse, serverFailed } from './http-answers.js';
import { LoopLag } from './loop-lag.js';
import { OpenConnections } from './open-connections.js';
import { type RequestRefusal, reachedAt, type ServerNames } from './request-guard.js';
import type { WebFile } from './web-files.js';

const MAX_FRAME_BYTES = 16 * 1024 * 1024; // a prompt with images arrives in one
const MAX_CLIENTS = 200;
const MAX_OF_ONE_TOKEN = 64; // of the clients: a guest must not lock out the others
const MAX_CONNECTIONS = 312; // that are not those of clients
const MAX_HEADER_BYTES = 16 * 1024;
const REQUEST_MS = 10_000; // for a request to arrive: more is a client that only holds connections
const PING_MS = 30_000;
const CHECK_MS = 1_000;
const CLOSE_MS = 2_000; // for a client to answer that it closes

export interface GatewayOptions {
  address: string;
  /** 0 for any free port. */
  port: number;
  /** PEM texts. */
  tls?: { cert: string; key: string } | undefined;
  isBehindProxy: boolean;
  /** Names beside those of the address itself. */
  allowedHosts: readonly string[];
  access: AccessFile;
  backEnd: BackEnd;
  webFiles(): ReadonlyMap<string, WebFile>;
  version: string;
  protocol: number;
  onProblem(sentence: string): void;
  maxClients?: number;
  maxOfOneToken?: number;
  /** How many connections may be open that are not those of clients. */
  maxConnections?: number;
  /** How long a request may take to arrive. */
  requestMs?: number;
}

/** It can't listen; the message says why and what to do. */
export class ListenProblem extends UserFacingError {
  override readonly name = 'ListenProblem';
}

export interface Gateway {
  /** As a person on this machine reaches it. */
  readonly url: string;
  readonly port: number;
  readonly clientCount: number;
  /** Tells clients, waits for open requests, and closes everything. */
  drain(sentence: string, limitMs: number): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { access, tls, address, onProblem, maxClients = MAX_CLIENTS, requestMs = REQUEST_MS } = options;
  const { maxOfOneToken = MAX_OF_ONE_TOKEN, maxConnections = MAX_CONNECTIONS } = options;
  const counts = newCounts();
  const clients = new Set<ClientConnection>();
  const names: { -readonly [Name in keyof ServerNames]: ServerNames[Name] } = {
    hosts: [],
    isTls: tls !== undefined,
    isBehindProxy: options.isBehindProxy,
  };
  const lag = new LoopLag();
  const connections = new OpenConnections({ max: maxConnections, onProblem });
  const answers = new HttpAnswers({ ...options, names, counts, lag, clients, connections });
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(requestMs / 4),
  };
  const server: Server = tls ? createHttps({ ...tls, ...limits, handshakeTimeout: requestMs }) : createHttp(limits);
  server.timeout = 3 * requestMs; // of a connection on which nothing moves: its client may not read
  server.maxRequestsPerSocket = 1_000;
  let isDraining = false;

  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answers.answer(request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return; // its client left before it had sent all of it
      onProblem(messageOf(error));
      if (!response.headersSent) refuse(response, serverFailed);
      else response.destroy();
    });
  });
  server.on('clientError', (error, socket) => {
    const status = badRequests[codeOf(error) ?? ''] ?? '400 Bad Request';
    if (socket.writable) endWith(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    else socket.destroy();
  });

  // Without compression: a small message could unpack to any size.
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_FRAME_BYTES,
    ...{ closeTimeout: CLOSE_MS }, // its types do not have it yet
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {}); // it is gone
    const grant = upgradeGrant(request);
    if ('refusal' in grant) refuseUpgrade(socket, grant.refusal);
    else {
      sockets.handleUpgrade(request, socket, head, (client) => {
        connections.letIn(request.socket);
        void serve(client, grant);
      });
    }
  });

  function upgradeGrant(request: IncomingMessage): Grant | { refusal: RequestRefusal } {
    const at = reachedAt(request, names);
    if ('refusal' in at) return at;
    if (request.method !== 'GET' || request.url !== '/acp') {
      return { refusal: { status: 404, message: 'WebSockets are served at /acp.', next: 'Connect to /acp.' } };
    }
    if (isDraining || clients.size >= maxClients) {
      const message = isDraining ? 'The server is ending.' : `There are ${maxClients} clients already, the limit.`;
      return { refusal: { status: 503, message, next: 'Connect again later.', headers: { 'Retry-After': '5' } } };
    }
    try {
      const grant = grantOf(request, access);
      if (!grant) return { refusal: answers.notSignedIn };
      const ofSame = [...clients].filter((client) => client.grant.id === grant.id).length;
      if (ofSame < maxOfOneToken) return grant;
      const message = `There are ${ofSame} clients with the token "${grant.name}" already, the limit for one token.`;
      return { refusal: { status: 503, message, next: 'Close one of them.', headers: { 'Retry-After': '5' } } };
    } catch (error) {
      onProblem(messageOf(error));
      return { refusal: serverFailed };
    }
  }

  async function serve(socket: WebSocket, grant: Grant): Promise<void> {
    withReasons(socket);
    const { backEnd, version } = options;
    const client = new ClientConnection({ socket, grant, backEnd, version, counts, check, onProblem });
    clients.add(client);
    counts.connections += 1;
    let isAlive = true;
    socket.on('pong', () => {
      isAlive = true;
    });
    const pings = setInterval(() => {
      if (isAlive) socket.ping();
      else {
        if (client.queuedBytes > 0) counts.slowCloses += 1;
        socket.terminate(); // it sleeps, reads nothing, or is gone without a word
      }
      isAlive = false;
    }, PING_MS);
    try {
      await client.serve();
    } finally {
      clearInterval(pings);
      clients.delete(client);
    }
  }

  /** Ends the connection if its token was revoked, has expired or has another role now. */
  function check(client: ClientConnection): boolean {
    try {
      if (access.holds(client.grant)) return true;
      const { name } = client.grant;
      client.close(
        closeCodes.refused,
        `The token "${name}" was revoked, has expired or has another role now, or the browser was signed out.`,
      );
    } catch (error) {
      onProblem(messageOf(error));
      client.close(closeCodes.later, serverFailed.message);
    }
    return false;
  }
  const checkAll = (): void => {
    for (const client of clients) check(client); // reads the file only if it has changed
  };
  makePrivateFolder(access.folder); // may throw, so it comes before what would keep the process
  const port = await listen(server, options);
  names.hosts = hostNames(address, port, options);
  const checks = setInterval(checkAll, CHECK_MS); // for what no change of the file tells, such as the end of a token's time
  const stopWatching = watchFolder(access.folder, checkAll);
  lag.begin();
  return {
    url: `${tls ? 'https' : 'http'}://${isAny(address) ? '127.0.0.1' : nameOf(address)}:${port}`,
    port,
    get clientCount() {
      return clients.size;
    },
    async drain(sentence, limitMs) {
      isDraining = true;
      server.close();
      for (const client of clients) client.notify('_helve/server/draining', { sentence });
      const open = [...clients];
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([Promise.all(open.map((client) => client.settled())), limit]);
      clearTimeout(timer);
      clearInterval(checks);
      stopWatching();
      lag.end();
      for (const client of open) client.close(closeCodes.goingAway, sentence);
      await Promise.race([
        new Promise<void>((resolve) => server.once('close', resolve)),
        new Promise<void>((resolve) => setTimeout(resolve, 1_000)),
      ]);
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

/** Where changes can't be watched, as with no inotify watches left, the timer does the same, later. */
function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, onChange).on('error', () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

const badRequests: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** A frame that is too big is refused by the library, which gives no reason. */
function withReasons(socket: WebSocket): void {
  const close = socket.close.bind(socket);
  const tooBig = `A frame has at most ${MAX_FRAME_BYTES / 1024 / 1024} MiB. Send large files as files, and name them in the prompt.`;
  socket.close = (code, reason) => close(code, code === closeCodes.tooBig ? tooBig : reason);
}

function refuseUpgrade(socket: Duplex, { status, message, next, headers = {} }: RequestRefusal): void {
  const body = JSON.stringify({ error: { message, next } });
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  endWith(socket, [`HTTP/1.1 ${status} Refused`, 'Connection: close', ...lines, length, '', body].join('\r\n'));
}

/** Does not wait for the client to close its side: it would hold one of the connections for as long as it likes. */
function endWith(socket: Duplex, text: string): void {
  socket.end(text, () => socket.destroy());
}

async function listen(server: Server, { address, port }: GatewayOptions): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenProblem(whyNot(error, address, port))));
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port)); // it listens on a port, so it has one
  });
}

function whyNot(error: Error, address: string, port: number): string {
  const at = `${address}:${port}`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `The port ${port} is in use, perhaps by another helve serve. Choose another one with --port, or --port 0 for any that is free.`;
    case 'EACCES':
      return `This user may not listen on ${at}. Choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${address} is not an address of this machine. Give one that is with --listen, or 0.0.0.0 for all.`;
    default:
      return `Nothing can listen on ${at} (${error.message}). Choose another address or port.`;
  }
}

export const isLoopback = (address: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(address);

const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::';

const nameOf = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** The first one is recommended to clients that use another one. */
function hostNames(address: string, port: number, { allowedHosts, isBehindProxy, tls }: GatewayOptions): string[] {
  const own = isAny(address) ? LOOPBACK_NAMES : [...new Set([nameOf(address), ...LOOPBACK_NAMES])];
  const isDefault = port === (tls ? 443 : 80);
  const withPort = (name: string): string => (isDefault ? name : `${name}:${port}`);
  const given = allowedHosts.map((name) => name.toLowerCase());
  // Behind a proxy the client's port is another one, so the names are used as they were given, too.
  const names = [...own.map(withPort), ...given, ...given.map(withPort)];
  return isBehindProxy ? [...given, ...names] : names;
}
