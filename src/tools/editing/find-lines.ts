import type { Found } from './find-text.js';
import { foldQuotes } from './search-text.js';
import type { TextLines } from './text-lines.js';

export interface FoundLines {
  /** The number of the first line of each place, from the top; places may overlap. */
  starts: number[];
  how: Extract<Found['how'], 'exact' | 'quotes'>;
}

/**
 * Where the lines stand, whole and one after the other: first as they are, then with straight quotes for typographic
 * ones. What ends a line is no part of it.
 */
export function findLines(text: TextLines, wanted: readonly string[]): FoundLines {
  const exact = search(text, wanted, (line) => line);
  if (exact.length > 0) return { starts: exact, how: 'exact' };
  return { starts: search(text, wanted.map(foldQuotes), foldQuotes), how: 'quotes' };
}

/** Goes through the text once (Knuth, Morris and Pratt): a file of equal lines takes no longer than any other. */
function search(text: TextLines, wanted: readonly string[], read: (line: string) => string): number[] {
  const starts: number[] = [];
  if (wanted.length === 0) return starts;
  const fallback = fallbacksOf(wanted);
  let matched = 0;
  for (let number = 1; number <= text.lineCount; number += 1) {
    const line = read(text.line(number));
    while (matched > 0 && wanted[matched] !== line) matched = fallback[matched - 1] ?? 0;
    if (wanted[matched] === line) matched += 1;
    if (matched < wanted.length) continue;
    starts.push(number - wanted.length + 1);
    matched = fallback[matched - 1] ?? 0;
  }
  return starts;
}

/** For each beginning of the lines, the length of the longest shorter one that it ends with. */
function fallbacksOf(wanted: readonly string[]): number[] {
  const fallback = [0];
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[matched] !== wanted[at]) matched = fallback[matched - 1] ?? 0;
    if (wanted[matched] === wanted[at]) matched += 1;
    fallback.push(matched);
  }
  return fallback;
}
