import { fields } from '../http/exchange.js';
import { brokenStreamFailure, type Endpoint } from '../http/failures.js';

/** The fields of an event; throws `ModelFailure` if its data is not JSON. */
export function eventFields(data: string, endpoint: Endpoint): Record<string, unknown> {
  try {
    return fields(JSON.parse(data));
  } catch (error) {
    throw brokenStreamFailure(endpoint, 'it held an event that is not JSON', error);
  }
}

/** An empty string for anything that is not a string. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether two texts are equal, or the same JSON apart from whitespace. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
}
