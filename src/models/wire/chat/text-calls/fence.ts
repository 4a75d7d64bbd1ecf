import { matchAt } from './literal.js';

const FENCE = '```';
const OPENING = /```(?:json|python|tool_call|tool_code|xml)?[ \t]{0,20}\r?\n\s{0,20}/y;

/** The opening line of a code block at this position; empty if there is none. */
export const fenceAt = (text: string, at: number): string => matchAt(OPENING, text, at)?.[0] ?? '';

/** Whether the closing line of a code block is at this position. */
export const closesFence = (text: string, at: number): boolean => text.startsWith(FENCE, at);

export const FENCE_LENGTH = FENCE.length;

/** The text in the code block that a message begins with, or the message without one; or whether it may become one. */
export function insideFence(text: string): { inside: string } | 'maybe' | 'no' {
  if (!text.startsWith('`')) return { inside: text };
  const opening = fenceAt(text, 0);
  if (opening !== '' && opening.length < text.length) return { inside: text.slice(opening.length) };
  return /^`{1,2}$|^```[a-z_]{0,10}[ \t]{0,20}(?:\r?\n?\s{0,20})?$/.test(text) ? 'maybe' : 'no';
}
