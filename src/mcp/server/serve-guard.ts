// Decides who may use a server on this machine: every local program can reach its port, and so can every page in a
// browser.
import { bearerToken, type GuardedRequest, isSameSecret, LOOPBACK_NAMES } from '../../platform/web/guarded-request.js';

export interface Refusal {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

/** Why the request is refused, before anything else in it is read; undefined if it is accepted. */
export function refusalOf(
  request: GuardedRequest,
  { token, port }: { token: string; port: number },
): Refusal | undefined {
  return wrongHost(request, port) ?? wrongOrigin(request) ?? wrongToken(request, token);
}

/** DNS rebinding: the Host header carries the attacker's name, so only our own names are accepted. */
function wrongHost({ headersDistinct, url = '' }: GuardedRequest, port: number): Refusal | undefined {
  const [host = '', ...more] = headersDistinct['host'] ?? [];
  const isOurs = LOOPBACK_NAMES.some((name) => host.toLowerCase() === `${name}:${port}`);
  if (isOurs && more.length === 0 && url.startsWith('/')) return undefined;
  return { status: 403, text: `The Host of a request must be 127.0.0.1:${port} or localhost:${port}.` };
}

/** Programs send no Origin; a browser names the page here. */
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

function wrongToken(request: GuardedRequest, token: string): Refusal | undefined {
  if (isSameSecret(bearerToken(request), token)) return undefined;
  const text = 'Send the token that helve mcp serve printed, as "Authorization: Bearer TOKEN".';
  return { status: 401, text, headers: { 'WWW-Authenticate': 'Bearer' } };
}
