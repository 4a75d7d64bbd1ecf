// Describes an error in a JSON text: its position, its reason, and the text around it.

const EXCERPT_BEFORE = 40;
const EXCERPT_AFTER = 20;

/** Where and why a text is not valid JSON. */
export interface JsonProblem {
  /** Offset of the first invalid character, in UTF-16 units; for a truncated text, its length. */
  position: number;
  /** Both counted from 1, the column in UTF-16 units. */
  line: number;
  column: number;
  /** Part of a sentence, without a full stop: "expected ',' or '}' after a property value, found 'x'". */
  reason: string;
  /** The text around the position on one line: control characters as symbols (␊), `…` where it continues. */
  excerpt: string;
  /** Valid so far and merely truncated. */
  truncated: boolean;
}

/** An error as the parser finds it, before the text around it is known. */
export interface JsonFault {
  position: number;
  /**
   * Formatted on demand: the offending character may be a surrogate pair whose second half comes with the next chunk.
   */
  reason: (found: string) => string;
  truncated: boolean;
}

export function describeFault({ position, reason, truncated }: JsonFault, text: string): JsonProblem {
  const before = text.slice(0, position);
  return {
    position,
    line: before.split('\n').length,
    column: position - before.lastIndexOf('\n'),
    reason: reason(`found ${shown(text.codePointAt(position))}`),
    excerpt: excerptAround(text, position),
    truncated,
  };
}

function shown(codePoint: number | undefined): string {
  if (codePoint === undefined) return 'the end';
  const char = String.fromCodePoint(codePoint);
  if (char === "'") return `"'"`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) ? `'${char}'` : `U+${hex(char)}`;
}

/** The number of a character, as in U+0041. */
export const hex = (char: string): string => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

function excerptAround(text: string, position: number): string {
  let start = Math.max(0, position - EXCERPT_BEFORE);
  let end = Math.min(text.length, position + EXCERPT_AFTER);
  // Cutting a surrogate pair would leave half a character, which some providers reject.
  if (isLowSurrogate(text.charCodeAt(start))) start += 1;
  if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  const line = text
    .slice(start, end)
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/\p{Cc}/gu, (char) => (char < ' ' ? String.fromCharCode(0x2400 + char.charCodeAt(0)) : '\uFFFD'));
  return (start > 0 ? '…' : '') + line + (end < text.length ? '…' : '');
}

export const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
