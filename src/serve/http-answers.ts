// Answers to plain HTTP requests: the files of the web view, sign-in and sign-out of browsers, health and metrics.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import type { AccessFile, Grant } from './access-file.js';
import type { BackEnd } from './back-end.js';
import type { ClientConnection } from './client-connection.js';
import type { ServeCounts } from './counts.js';
import { cookieLine, credentialsOf, grantOf } from './credentials.js';
import type { LoopLag } from './loop-lag.js';
import { METRICS_TYPE, metricsText } from './metrics.js';
import type { OpenConnections } from './open-connections.js';
import { type ReachedAt, type RequestRefusal, reachedAt, type ServerNames } from './request-guard.js';
import { Tries } from './tries.js';
import type { WebFile } from './web-files.js';

const MAX_BODY_BYTES = 4_096; // a token or a code

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of every answer. */
const SAFE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export interface HttpAnswersOptions {
  names: ServerNames;
  access: AccessFile;
  backEnd: BackEnd;
  counts: ServeCounts;
  clients: ReadonlySet<ClientConnection>;
  connections: OpenConnections;
  lag: LoopLag;
  version: string;
  protocol: number;
  webFiles(): ReadonlyMap<string, WebFile>;
}

export class HttpAnswers {
  readonly #options: HttpAnswersOptions;
  readonly #tries = new Tries();
  #files: ReadonlyMap<string, WebFile> | undefined;

  constructor(options: HttpAnswersOptions) {
    this.#options = options;
  }

  readonly notSignedIn: RequestRefusal = {
    status: 401,
    message: 'The request has no valid token and comes from no browser that is signed in.',
    next: 'Send "Authorization: Bearer TOKEN"; helve serve tokens add makes a token, helve serve code signs a browser in.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  };

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { counts, names } = this.#options;
    response.once('finish', () => {
      counts.httpRequests.set(response.statusCode, (counts.httpRequests.get(response.statusCode) ?? 0) + 1);
    });
    const at = reachedAt(request, names);
    if ('refusal' in at) return refuse(response, at.refusal);
    const { method = '', url = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    switch (`${method === 'HEAD' ? 'GET' : method} ${path}`) {
      case 'GET /healthz':
        return send(response, 200, { state: 'ok' });
      case 'GET /metrics':
        return await this.#metrics(request, response);
      case 'GET /auth/me':
        return this.#me(request, response);
      case 'POST /auth/exchange':
        return await this.#exchange(request, response, at);
      case 'POST /auth/leave':
        return await this.#leave(request, response, at);
      case 'GET /acp':
        return refuse(response, {
          status: 426,
          message: '/acp is served over WebSocket.',
          next: 'Send the request with "Upgrade: websocket".',
          headers: { Upgrade: 'websocket' },
        });
      default:
        return this.#file(request, response, path);
    }
  }

  #file({ method, headers }: IncomingMessage, response: ServerResponse, path: string): void {
    this.#files ??= this.#options.webFiles();
    const file = this.#files.get(path);
    if (method !== 'GET' && method !== 'HEAD') refuse(response, onlyRead);
    else if (!file) refuse(response, { status: 404, message: 'There is nothing at this address.', next: 'Open /.' });
    else {
      const gzip = acceptsGzip(headers['accept-encoding']) ? file.gzip : undefined;
      const bytes = gzip ?? file.bytes;
      const etag = `"${file.etag}${gzip ? '-gzip' : ''}"`;
      const isKnown = headers['if-none-match'] === etag;
      const encoding = gzip && { 'Content-Encoding': 'gzip' };
      const content = isKnown ? {} : { 'Content-Type': file.type, 'Content-Length': bytes.length, ...encoding };
      const caching = file.isFixed ? 'public, max-age=31536000, immutable' : 'no-cache';
      const about = { ETag: etag, 'Cache-Control': caching, Vary: 'Accept-Encoding' };
      response.writeHead(isKnown ? 304 : 200, { ...SAFE_HEADERS, ...about, ...content });
      response.end(isKnown || method === 'HEAD' ? undefined : bytes);
    }
  }

  #me(request: IncomingMessage, response: ServerResponse): void {
    const grant = grantOf(request, this.#options.access);
    if (grant) send(response, 200, this.#about(grant));
    else refuse(response, this.notSignedIn);
  }

  #about({ name, role }: Grant) {
    const { version, protocol } = this.#options;
    return { name, role, version, protocol };
  }

  async #metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!grantOf(request, this.#options.access)) return refuse(response, this.notSignedIn);
    const { backEnd, counts, clients, connections, lag, version } = this.#options;
    const { dropped } = connections;
    const states = await backEnd.sessionStates();
    const queued = [...clients].reduce((sum, client) => sum + client.queuedBytes, 0);
    const facts = { states, clients: clients.size, queued, dropped, lagSeconds: lag.take(), version };
    const text = metricsText({ counts, ...facts });
    response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }).end(text);
  }

  async #exchange(request: IncomingMessage, response: ServerResponse, { isSecure }: ReachedAt): Promise<void> {
    const { access, counts } = this.#options;
    // A page of another origin can't send this type without a preflight, which is not answered.
    if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
      return refuse(response, {
        status: 415,
        message: 'The body must be JSON.',
        next: 'Send "Content-Type: application/json".',
      });
    }
    const text = await bodyOf(request);
    if (text === undefined) {
      return refuse(response, {
        status: 413,
        message: `The body has more than ${MAX_BODY_BYTES} bytes.`,
        next: 'Send a token or a code.',
      });
    }
    const given = readSignIn(parseJson(text));
    if (!given) {
      return refuse(response, {
        status: 400,
        message: 'The body must be { "token": "…" } or { "code": "…" }.',
        next: 'Correct it.',
      });
    }
    // Once the body is here: else requests whose bodies come later would all be below the limit.
    const address = request.socket.remoteAddress ?? '';
    const seconds = this.#tries.waitSeconds(address);
    if (seconds !== undefined) {
      return refuse(response, {
        status: 429,
        message: 'Too many sign-ins have failed.',
        next: `Try again in ${seconds} s.`,
        headers: { 'Retry-After': String(seconds) },
      });
    }
    const signedIn = await access.signIn(given);
    if (!signedIn) {
      this.#tries.failed(address);
      counts.failedSignIns += 1;
      const isCode = 'code' in given;
      return refuse(response, {
        status: 401,
        message: isCode
          ? 'This code is not valid: it was used, is older than five minutes, or was mistyped.'
          : 'This token is not valid: it was revoked, has expired, or was mistyped.',
        next: isCode ? 'helve serve code prints another one.' : 'helve serve tokens list shows the tokens.',
      });
    }
    const headers = { 'Set-Cookie': cookieLine(signedIn.cookie, { isSecure }) };
    send(response, 200, { ...this.#about(signedIn), key: signedIn.key }, headers);
  }

  async #leave(request: IncomingMessage, response: ServerResponse, { isSecure }: ReachedAt): Promise<void> {
    const given = credentialsOf(request);
    const { access } = this.#options;
    if (!given || 'token' in given || !access.byBrowser(given)) return refuse(response, this.notSignedIn);
    await access.signOut(given);
    response.writeHead(204, { ...SAFE_HEADERS, 'Set-Cookie': cookieLine('', { isSecure }) }).end();
  }
}

/** Without the error, which may name files of this machine, and the client may be a stranger. */
export const serverFailed: RequestRefusal = {
  status: 503,
  message: 'The server has a problem, which its log describes.',
  next: 'See the output of helve serve.',
};

const onlyRead: RequestRefusal = {
  status: 405,
  message: 'This address can only be read.',
  next: 'Use GET.',
  headers: { Allow: 'GET, HEAD' },
};

function readSignIn(body: unknown): { token: string } | { code: string } | undefined {
  if (!isObject(body)) return undefined;
  const { token, code } = body;
  if (typeof token === 'string' && code === undefined) return { token };
  return typeof code === 'string' && token === undefined ? { code } : undefined;
}

/** Undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SAFE_HEADERS,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(JSON.stringify(body));
}

const acceptsGzip = (accepted = ''): boolean => /(?:^|,)\s*gzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

/** Ends the connection, too: the rest of the request is not read. */
export function refuse(response: ServerResponse, { status, message, next, headers = {} }: RequestRefusal): void {
  send(response, status, { error: { message, next } }, { Connection: 'close', ...headers });
}
