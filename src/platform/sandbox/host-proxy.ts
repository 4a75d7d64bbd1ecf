import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorClause } from '../text/clause.js';
import { listSome } from '../text/counted.js';
import { type Lookup, lookupOf, systemLookup } from '../web/dns.js';
import {
  type Destination,
  type HostLists,
  hostLists,
  isAddressAllowed,
  isHostAllowed,
  isLocal,
  normalizeHost,
} from './allowed-hosts.js';

const MAX_SHOWN_HOSTS = 10;
const CONNECT_MS = 30_000;

export interface HostProxyOptions {
  /** The allowed hosts; read for each connection, so that changes apply at once. */
  hosts(): { allowed: readonly string[]; denied: readonly string[] };
  /** Receives a sentence about each refused connection, for the caller of the command. */
  onRefused(sentence: string): void;
  /** Resolves names to addresses. Default: the system's resolver. */
  lookup?: Lookup;
}

export interface HostProxy {
  /** The address of the proxy: a socket file, or a port on the loopback interface. */
  listen(place: string | { port: number }): Promise<{ port?: number }>;
  close(): Promise<void>;
}

/**
 * An HTTP proxy, for plain requests and CONNECT tunnels, that connects only to listed hosts. It resolves names itself
 * and connects to exactly the addresses that it has checked, so DNS rebinding can't redirect a connection. Traffic
 * inside a tunnel is encrypted and not inspected.
 */
export async function createHostProxy({
  hosts,
  onRefused,
  lookup = systemLookup,
}: HostProxyOptions): Promise<HostProxy> {
  const [http, net] = await Promise.all([import('node:http'), import('node:net')]);
  const tunnels = new Set<Duplex>();
  const keepTrack = (socket: Duplex): void => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
  };

  /** The addresses that a connection may use; throws a refusal if none is allowed. */
  const judge = async (destination: Destination): Promise<LookupAddress[]> => {
    const lists = hostLists(hosts());
    if (!isHostAllowed(destination, lists)) throw refusal(destination, lists, '');
    const family = net.isIP(destination.host);
    const addresses = family === 0 ? await lookup(destination.host) : [{ address: destination.host, family }];
    const open = addresses.filter(({ address }) => isAddressAllowed(address, destination, lists));
    if (open.length > 0) return open;
    const [first] = addresses;
    throw refusal(destination, lists, first && isLocal(first.address) ? first.address : '');
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    const host = url?.protocol === 'http:' ? normalizeHost(url.hostname) : undefined;
    if (!url || host === undefined)
      throw new Refusal(400, 'This is a proxy. It takes http://HOST/ and CONNECT HOST:PORT.');
    const port = url.port === '' ? 80 : Number(url.port);
    const addresses = await judge({ host, port });
    const forwarded = http.request({
      host,
      port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      // The host that was checked, regardless of the client's Host header.
      headers: { ...endToEnd(request.headers), ...lengthOf(request.headers), host: url.host },
      lookup: lookupOf(addresses),
      agent: false,
    });
    request.pipe(forwarded);
    response.once('close', () => forwarded.destroy());
    const answered = Promise.withResolvers<IncomingMessage>();
    forwarded.on('response', answered.resolve);
    forwarded.on('error', (error) => {
      answered.reject(error);
      if (response.headersSent) response.destroy();
    });
    const answer = await answered.promise;
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  };

  const onConnect = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const [, name = '', digits = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(request.url ?? '') ?? [];
    const host = normalizeHost(name);
    if (host === undefined) throw new Refusal(400, 'CONNECT takes HOST:PORT.');
    const port = Number(digits);
    const server = net.connect({ host, port, lookup: lookupOf(await judge({ host, port })), allowHalfOpen: true });
    keepTrack(server);
    client.once('close', () => server.destroy());
    server.setTimeout(CONNECT_MS, () => server.destroy(new Error('the host did not answer in time')));
    await once(server, 'connect');
    server.setTimeout(0);
    server.on('error', () => client.destroy());
    server.once('close', () => client.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.write(head);
    client.pipe(server);
    server.pipe(client);
  };

  const server = http
    .createServer({ requestTimeout: 0 }, (request, response) => {
      onRequest(request, response).catch((error: unknown) => {
        const { status, message } = explain(error, onRefused);
        if (response.headersSent) response.destroy();
        else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`);
      });
    })
    .on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      keepTrack(client);
      client.on('error', () => client.destroy());
      onConnect(request, client, head).catch((error: unknown) => {
        const { status, message } = explain(error, onRefused);
        const body = `${message}\n`;
        client.end(
          `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Failed'}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
        );
      });
    })
    .on('clientError', (_error: Error, client: Socket) => client.destroy());
  server.unref();

  return {
    async listen(place) {
      if (typeof place === 'string') server.listen(place);
      else server.listen(place.port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      return typeof address === 'object' && address !== null ? { port: address.port } : {};
    },
    async close() {
      for (const socket of tunnels) socket.destroy();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

class Refusal extends Error {
  readonly status: 400 | 403;

  constructor(status: 400 | 403, message: string) {
    super(message);
    this.status = status;
  }
}

function refusal({ host, port }: Destination, { allowed }: HostLists, localAddress: string): Refusal {
  const shown = listSome(allowed.map(written), MAX_SHOWN_HOSTS);
  const why =
    localAddress === ''
      ? ''
      : ` It leads to ${localAddress}, an address of this machine or its network, which has to be allowed by itself.`;
  const name = host.includes(':') ? `[${host}]` : host;
  return new Refusal(403, `The sandbox refused a connection to ${name}:${port}.${why} Allowed are: ${shown}.`);
}

const written = ({ kind, host, port }: HostLists['allowed'][number]): string => {
  const name = kind === 'everything' ? '*' : kind === 'below' ? `*.${host}` : host;
  return port === undefined ? name : `${name.includes(':') ? `[${name}]` : name}:${port}`;
};

function explain(error: unknown, onRefused: (sentence: string) => void): { status: number; message: string } {
  if (error instanceof Refusal) {
    if (error.status === 403) onRefused(error.message);
    return error;
  }
  return { status: 502, message: `The connection failed: ${errorClause(error)}.` };
}

/** Hop-by-hop headers, and headers addressed to a proxy. */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.test(name) || named.includes(name) ? [] : [[name, value]],
    ),
  );
}

/**
 * Restates the body's length as this parser understood it. Without it, the body of a request that usually has none
 * would be sent unframed, and the server would parse it as another request, to a host that was never checked.
 */
function lengthOf(headers: IncomingHttpHeaders): Record<string, string> {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const { 'content-length': length } = headers;
  return length === undefined ? {} : { 'content-length': length };
}
