import { fields } from '../http/exchange.js';
import { brokenStreamFailure, type Endpoint } from '../http/failures.js';

/** What an event of a stream says; the stream is broken where it is no JSON. */
export function eventFields(data: string, endpoint: Endpoint): Record<string, unknown> {
  try {
    return fields(JSON.parse(data));
  } catch (error) {
    throw brokenStreamFailure(endpoint, 'it held an event that is not JSON', error);
  }
}

/** What is not a text has no words. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
