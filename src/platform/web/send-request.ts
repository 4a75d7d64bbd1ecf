// Sends one request to an address that was checked before. The name is resolved here and the connection goes to the
// resolved address, which prevents DNS rebinding.

import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { ToolFailure } from '../../contract/failure.js';
import { abortable } from '../abortable.js';
import { codeOf } from '../error-code.js';
import { messageOf } from '../message-of.js';
import { clause } from '../text/clause.js';
import { type Lookup, lookupOf, systemLookup } from './dns.js';
import { isCertificate, networkReason } from './network-reason.js';
import { addressKind } from './special-addresses.js';
import { isLocalHost, type LocalHosts, shortened } from './web-address.js';

export interface WebLimits {
  /** Bytes of a body after decompression. */
  maxBytes: number;
  /** Time until connected; time without data from the server; total time. */
  connectMs: number;
  idleMs: number;
  totalMs: number;
}

export const webLimits: WebLimits = { maxBytes: 10_000_000, connectMs: 10_000, idleMs: 20_000, totalMs: 60_000 };

export interface RequestOptions {
  localHosts: LocalHosts;
  signal: AbortSignal;
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Default: the system's resolver. */
  lookup?: Lookup | undefined;
  limits?: Partial<WebLimits> | undefined;
}

export interface WebAnswer {
  status: number;
  statusText: string;
  header(name: string): string | undefined;
  /** The decompressed body, up to the limit. Call it at most once. */
  read(): Promise<{ bytes: Buffer; isCut: boolean }>;
  /** Closes the connection. Always call it. */
  close(): void;
}

/** Sends one request and follows no redirects. Throws `ToolFailure` with a sentence about the error. */
export async function sendRequest(url: URL, options: RequestOptions): Promise<WebAnswer> {
  const limits = { ...webLimits, ...options.limits };
  const clock = new RequestClock(url, limits, options.signal);
  try {
    const addresses = await abortable(() => judgedAddresses(url, options), clock.signal);
    const answer = await connect(url, addresses, options, clock);
    return {
      status: answer.statusCode ?? 0,
      // Not the server's own text, which could be anything.
      statusText: process.getBuiltinModule('node:http').STATUS_CODES[answer.statusCode ?? 0] ?? '',
      header: (name) => [answer.headers[name.toLowerCase()] ?? []].flat()[0],
      async read() {
        try {
          return await readBody(answer, limits.maxBytes, url);
        } catch (error) {
          throw failure(url, error, clock);
        }
      },
      close() {
        clock.stop();
        answer.destroy();
      },
    };
  } catch (error) {
    clock.stop();
    throw failure(url, error, clock);
  }
}

/** The timers of one request. */
class RequestClock {
  readonly limits: WebLimits;
  /** The signal of the call, and that of the call or a timeout. */
  readonly callSignal: AbortSignal;
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(url: URL, limits: WebLimits, callSignal: AbortSignal) {
    this.limits = limits;
    this.callSignal = callSignal;
    this.signal = AbortSignal.any([callSignal, this.#controller.signal]);
    this.#after(limits.totalMs, `${url.host} had not sent the whole answer after ${inSeconds(limits.totalMs)}`);
  }

  /** Aborts the request after a while, unless the returned function is called first. */
  until(ms: number, what: string): () => void {
    const timer = this.#after(ms, what);
    return () => clearTimeout(timer);
  }

  abort(why: string): void {
    this.#controller.abort(new TooSlow(why));
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, what: string): NodeJS.Timeout {
    const timer = setTimeout(() => this.abort(what), ms);
    this.#timers.push(timer);
    return timer;
  }
}

class TooSlow extends Error {}

const inSeconds = (ms: number): string => `${ms / 1_000} s`;

/** The resolved addresses, if all of them may be connected to. */
async function judgedAddresses(
  url: URL,
  { localHosts, lookup = systemLookup }: RequestOptions,
): Promise<LookupAddress[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  const mayBeLocal = isLocalHost(url, localHosts);
  const refused = addresses.find(({ address }) => {
    const kind = addressKind(address);
    return kind === 'never' || (kind === 'private' && !mayBeLocal);
  });
  if (refused) throw refusedAddress(url, refused.address);
  if (addresses.length === 0) throw new Error('the name leads to no address');
  return addresses;
}

function refusedAddress(url: URL, address: string): ToolFailure {
  const isPrivate = addressKind(address) === 'private';
  const leads = url.hostname.replace(/^\[(.*)\]$/, '$1') === address ? 'is' : `leads to ${address},`;
  const why = isPrivate
    ? 'an address of this machine or its network'
    : 'a special address: a metadata service, link-local, or unassigned';
  const next = isPrivate
    ? `Only the user can open it, by naming ${url.hostname} in the setting webFetch.localHosts; for what runs here, Bash with curl may do.`
    : 'It is never fetched. Go on without it.';
  return new ToolFailure(`${shortened(url.href)} was not fetched: ${url.hostname} ${leads} ${clause(why)}.`, {
    advice: next,
    kind: 'check_refused',
  });
}

async function connect(
  url: URL,
  addresses: readonly LookupAddress[],
  { method = 'GET', headers = {}, body }: RequestOptions,
  clock: RequestClock,
): Promise<IncomingMessage> {
  const client = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const { limits, signal } = clock;
  signal.throwIfAborted();
  const connected = clock.until(
    limits.connectMs,
    `${url.host} did not take the connection within ${inSeconds(limits.connectMs)}`,
  );
  const answered = Promise.withResolvers<IncomingMessage>();
  const request = client.request(
    url,
    {
      method,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      lookup: lookupOf(addresses),
      agent: false, // its own connection, to the checked addresses
      timeout: limits.idleMs,
      signal,
    },
    answered.resolve,
  );
  request.on('socket', (socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected));
  request.on('timeout', () => clock.abort(`${url.host} was silent for ${inSeconds(limits.idleMs)}`));
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    answered.reject(new Error('the server wants to speak another protocol'));
  });
  request.on('error', answered.reject);
  request.on('close', () => answered.reject(new Error('the connection was closed without an answer')));
  request.end(body);
  const answer = await answered.promise;
  answer.on('error', () => {}); // the reader of the body gets the error
  return answer;
}

async function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  url: URL,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await unpacked(answer, url)) {
    const bytes: Buffer = chunk; // byte streams yield buffers
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    if (size > maxBytes) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  if (!answer.complete) throw new Error('the connection broke in the middle of the answer');
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** Decompresses the body chunk by chunk, so that a decompression bomb is detected early. */
async function unpacked(answer: IncomingMessage, url: URL): Promise<Readable> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return answer;
  const { createBrotliDecompress, createGunzip } = await import('node:zlib');
  const unpack =
    encoding === 'br' ? createBrotliDecompress() : /^(?:x-)?gzip$/.test(encoding) ? createGunzip() : undefined;
  if (!unpack) throw new Error(`${url.host} has packed it as "${encoding.slice(0, 40)}", which was not requested`);
  answer.on('error', (error) => unpack.destroy(error));
  return answer.pipe(unpack);
}

function failure(url: URL, error: unknown, { callSignal, signal }: RequestClock): unknown {
  if (error instanceof ToolFailure) return error;
  if (callSignal.aborted) return callSignal.reason;
  const cause = signal.reason instanceof TooSlow ? signal.reason : error;
  const code = codeOf(cause) ?? '';
  const why = isCertificate(code) ? `${networkReason(cause)} (${code})` : messageOf(cause).slice(0, 300);
  return new ToolFailure(`${shortened(url.href)} could not be fetched: ${clause(WHY[code] ?? why)}.`, {
    advice: nextStep(code, url),
    cause,
  });
}

const WHY: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name is not known (ENOTFOUND)',
  EAI_AGAIN: 'names can not be looked up now (EAI_AGAIN)',
  ECONNREFUSED: 'no server accepts connections there (ECONNREFUSED)',
  ECONNRESET: 'the server closed the connection (ECONNRESET)',
};

function nextStep(code: string, { protocol, port }: URL): string {
  if (code === 'ENOTFOUND') return 'Check the spelling, or search for the page.';
  if (protocol === 'https:' && (port !== '' || /CERT|TLS|SSL|EPROTO|SELF_SIGNED/.test(code))) {
    return 'Pages are fetched over https only, with a valid certificate. Try another address.';
  }
  return 'Try again later, or go on without it.';
}
