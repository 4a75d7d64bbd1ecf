// What the guards of our HTTP servers on this machine have in common.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../crypto.js';

/** Repeated headers stay separate: if two differ, another reader might use the other one. */
export type GuardedRequest = Pick<IncomingMessage, 'headersDistinct' | 'url'>;

/** As they are in a Host header. */
export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** The token in Authorization; empty if there is none, or more than one header. */
export function bearerToken({ headersDistinct }: GuardedRequest): string {
  const [given = '', ...more] = headersDistinct['authorization'] ?? [];
  const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(given) ?? [];
  return more.length === 0 ? bearer : '';
}

/** Constant time, regardless of content and length. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => sha256().update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
