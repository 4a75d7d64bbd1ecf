// What a request shows to be let in: a token in Authorization, or the cookie of a browser with the key of its page. A
// cookie is sent to every port of a host, so it alone proves nothing; the key is kept where only pages of this port read it.

import { bearerToken, type GuardedRequest } from '../platform/web/guarded-request.js';
import type { AccessFile, BrowserSecrets, Grant } from './access-file.js';

export const COOKIE = 'helve_session';
const KEY_HEADER = 'helve-key';
export const SUBPROTOCOL = 'helve';
const KEY_PROTOCOL = /^helve\.key\.([0-9a-f]{64})$/;
const MONTH_SECONDS = 30 * 24 * 3_600;

export type Credentials = { token: string } | BrowserSecrets;

/** Undefined if there are none, or some that contradict each other. */
export function credentialsOf(request: GuardedRequest): Credentials | undefined {
  const { headersDistinct: headers } = request;
  if (headers['authorization']) {
    const token = bearerToken(request);
    return token === '' ? undefined : { token };
  }
  const cookies = cookiesIn(headers['cookie'] ?? []);
  const keys = [...(headers[KEY_HEADER] ?? []), ...keysIn(headers['sec-websocket-protocol'] ?? [])];
  const [[cookie, another], [key, anotherKey]] = [cookies, keys];
  if (cookie === undefined || key === undefined || another !== undefined || anotherKey !== undefined) return undefined;
  return { cookie, key };
}

/** Undefined if the request may not be let in. Throws `AccessProblem`. */
export function grantOf(request: GuardedRequest, access: AccessFile): Grant | undefined {
  const given = credentialsOf(request);
  return given && ('token' in given ? access.byToken(given.token) : access.byBrowser(given));
}

function cookiesIn(headers: readonly string[]): string[] {
  const pairs = headers.flatMap((header) => header.split(';')).map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1));
}

/** A page can't set headers of a WebSocket, only names of subprotocols. */
function keysIn(headers: readonly string[]): string[] {
  const names = headers.flatMap((header) => header.split(',')).map((name) => name.trim());
  return names.flatMap((name) => KEY_PROTOCOL.exec(name)?.[1] ?? []);
}

export function cookieLine(value: string, { isSecure }: { isSecure: boolean }): string {
  const age = value === '' ? 0 : MONTH_SECONDS;
  return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure ? '; Secure' : ''}`;
}
