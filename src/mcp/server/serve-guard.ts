// Who may speak to a server on this machine: every program here can reach its port, and so can every page in a browser.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../platform/crypto.js';

export interface Refusal {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** Headers each as often as they were sent: of two that differ, another reader might believe the other. */
export type GuardedRequest = Pick<IncomingMessage, 'headersDistinct' | 'url'>;

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Why the request is turned away, before anything else of it is looked at; undefined where it may go on. */
export function refusalOf(
  request: GuardedRequest,
  { token, port }: { token: string; port: number },
): Refusal | undefined {
  return wrongHost(request, port) ?? wrongOrigin(request) ?? wrongToken(request, token);
}

/** A name that an attacker has pointed at this machine comes with the request, so only our own names are answered. */
function wrongHost({ headersDistinct, url = '' }: GuardedRequest, port: number): Refusal | undefined {
  const [host = '', ...more] = headersDistinct['host'] ?? [];
  const isOurs = LOOPBACK_NAMES.some((name) => host.toLowerCase() === `${name}:${port}`);
  if (isOurs && more.length === 0 && url.startsWith('/')) return undefined;
  return { status: 403, text: `The Host of a request must be 127.0.0.1:${port} or localhost:${port}.` };
}

/** Programs send none; a browser says here which page is at work. */
function wrongOrigin({ headersDistinct }: GuardedRequest): Refusal | undefined {
  const origins = headersDistinct['origin'] ?? [];
  if (origins.every(isLoopback)) return undefined;
  return { status: 403, text: 'The Origin of a request must be this machine, or be left out.' };
}

function isLoopback(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return ['http:', 'https:'].includes(protocol) && LOOPBACK_NAMES.includes(hostname);
}

function wrongToken({ headersDistinct }: GuardedRequest, token: string): Refusal | undefined {
  const [given = '', ...more] = headersDistinct['authorization'] ?? [];
  const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(given) ?? [];
  if (more.length === 0 && isSame(bearer, token)) return undefined;
  const text = 'Send the token that helve mcp serve printed, as "Authorization: Bearer TOKEN".';
  return { status: 401, text, headers: { 'WWW-Authenticate': 'Bearer' } };
}

/** Takes the same time wherever they differ, and whatever their lengths. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => sha256().update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
