import { isObject } from '../../platform/is-object.js';
import type { ServerError } from './failures.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What an error in Google's format says beside its message and code: a status, and details of several types. Empty for
 * other errors. https://google.aip.dev/193
 */
export function googleError({ status, details }: Fields): Omit<ServerError, 'words'> {
  if (typeof status !== 'string') return {};
  const all: Fields[] = Array.isArray(details) ? details.filter(isObject) : [];
  const detail = (type: string): Fields => all.find((one) => String(one['@type']).endsWith(`google.rpc.${type}`)) ?? {};
  const { reason } = detail('ErrorInfo');
  const { violations } = detail('QuotaFailure');
  const wait = milliseconds(detail('RetryInfo')['retryDelay']);
  const isExhausted = Array.isArray(violations) && violations.filter(isObject).some(isBeyondMinutes);
  return {
    type: status,
    ...(typeof reason === 'string' && { reason }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(isExhausted && { isExhausted }),
  };
}

/** "34.074824224s" */
function milliseconds(duration: unknown): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(duration)) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

/** A quota of a day, or one of zero: the server still names a wait of seconds, after which it refuses again. */
const isBeyondMinutes = ({ quotaId, quotaValue }: Fields): boolean =>
  /PerDay/i.test(String(quotaId)) || String(quotaValue) === '0';
