import { isObject } from '../../platform/is-object.js';

const MAX_TTL_MS = 24 * 60 * 60_000;

/** For how long the server allows a result to be used again, in milliseconds; 0 if it does not say. */
export function timeToLive(result: unknown): number {
  const said = isObject(result) ? result['ttlMs'] : undefined;
  return typeof said === 'number' && said > 0 ? Math.min(said, MAX_TTL_MS) : 0;
}
