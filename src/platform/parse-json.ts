import { messageOf } from './message-of.js';

/** The value of a JSON text, or why it is not JSON. */
export function readJson(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The value of a JSON text; undefined if it is not JSON. */
export const parseJson = (text: string): unknown => readJson(text).value;
