import { fullyVisible } from './visible.js';

const MAX_CHARS = 2_000;

/**
 * Text of a stranger, such as the author of a plugin, for a person who decides by it: on one line, of limited length, with
 * control, bidirectional and zero-width characters as symbols. So it can't imitate a line of ours or hide a part of itself.
 */
export function shownLine(text: string, maxChars = MAX_CHARS): string {
  // Cut first: a long text would be searched whole. No character becomes shorter.
  const begin = text.length > maxChars ? text.slice(0, maxChars) : text;
  const line = fullyVisible(begin).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  const isCut = line.length > maxChars || begin !== text;
  return isCut ? `${line.slice(0, maxChars)}…` : line;
}

/** The same for every text in a value; names of fields are ours. */
export function withShownTexts<T>(value: T): T {
  return mapped(value) as T; // the same shape with other texts
}

function mapped(value: unknown): unknown {
  if (typeof value === 'string') return shownLine(value);
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapped(inner)]));
}
