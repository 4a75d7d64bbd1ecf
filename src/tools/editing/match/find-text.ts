import { normalizeEndings } from '../../../platform/text/line-endings.js';
import { findIndented, type IndentationChange } from './find-indented.js';
import { findTrimmed } from './find-trimmed.js';
import type { LineRange } from './line-ranges.js';
import { type Alike, foldQuotes, type Occurrences, searchText } from './search-text.js';
import type { TextLines } from './text-lines.js';

/** Where a text was found, by offsets in the original text. */
export interface Match {
  start: number;
  end: number;
  lines: LineRange;
}

export interface Found {
  /** In order, without overlaps; no more than requested. */
  matches: Match[];
  /** There are more than those. */
  hasMore: boolean;
  /** It also occurs in places that overlap the matches, as "aa" does in "aaa". */
  overlaps: boolean;
  /**
   * `bytes`: found byte for byte, since it contains a lone carriage return, which may be half of a line ending.
   * `verbatim`: with the same line endings as sent. `exact`: with other line endings. `quotes`: with typographic quotes
   * for straight ones. `blanks`: with other trailing whitespace. `indentation`: with another indentation of all lines.
   */
  how: 'bytes' | 'verbatim' | 'exact' | 'quotes' | 'blanks' | 'indentation';
  /** How to adapt the new text, if the file's whitespace differs from what was sent. */
  indentation?: IndentationChange;
}

/**
 * Searches for the text: first exactly except for line endings, then with straight quotes for typographic ones, then
 * with other trailing whitespace, then with another indentation; the last two count only if there is a single match. A
 * carriage return without a line feed is never shown as a line ending, so a text that contains one means that
 * character.
 */
export function findText(text: TextLines, wanted: string, limit: number): Found {
  const find = (alike: Alike, how: Found['how']): Found => {
    const result = searchText(text.raw, wanted, alike, limit);
    return { ...result, matches: matchesOf(text, result), how };
  };
  if (hasLoneReturn(wanted)) return find('nothing', 'bytes');
  // A text that starts with \n could match in the middle of \r\n, which is one ending.
  if (wanted.includes('\r') && !wanted.startsWith('\n')) {
    const verbatim = find('nothing', 'verbatim');
    if (verbatim.matches.length > 0) return verbatim;
  }
  const exact = find('endings', 'exact');
  if (exact.matches.length > 0) return exact;
  const quoted = QUOTES.test(wanted) ? find('endings and quotes', 'quotes') : exact;
  if (quoted.matches.length > 0) return quoted;
  const trimmed = findTrimmed(text, wanted);
  const lenient = trimmed?.length === 0 ? findIndented(text, wanted) : trimmed;
  const [place, ...others] = lenient ?? [];
  if (!place || others.length > 0) return exact;
  return {
    ...exact,
    matches: matchesOf(text, { matches: [place] }),
    how: lenient === trimmed ? 'blanks' : 'indentation',
    indentation: place.change,
  };
}

const QUOTES = /['"‘’′“”″]/;

export const isUnique = ({ matches, overlaps }: Found): boolean => matches.length === 1 && !overlaps;

export const hasLoneReturn = (text: string): boolean => /\r(?!\n)/.test(text);

const matchesOf = (text: TextLines, { matches: ranges }: Pick<Occurrences, 'matches'>): Match[] =>
  ranges.map(({ start, end }) => ({ start, end, lines: [text.lineAt(start), text.lineAt(end - 1)] }));

/** The text that all matches share, with every ending as \n. */
export function passageOf({ how }: Found, wanted: string): string {
  const normal = normalizeEndings(wanted);
  return how === 'quotes' ? foldQuotes(normal) : normal;
}

/** "12, 48, 90", with a count of those left out. */
export function lineList({ matches, hasMore }: Pick<Found, 'matches' | 'hasMore'>): string {
  const all = [...new Set(matches.map(({ lines: [first] }) => first))]; // several may be on one line
  const lines = all.slice(0, 20);
  const left = all.length - lines.length;
  const more = hasMore ? ' and more' : left > 0 ? ` and ${left} more` : '';
  return `${all.length === 1 && !hasMore ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
}

const PREFIX = /^ *(\d+)(?:\t|→)/;

/** Removes the line numbers that Read prints, if they were sent along; undefined if a line has none. */
export function withoutLineNumbers(wanted: string): { text: string; prefix: string; first: number } | undefined {
  const lines = normalizeEndings(wanted).split('\n');
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  const prefixes = lines.map((line) => PREFIX.exec(line));
  const first = prefixes[0];
  if (!first || prefixes.includes(null)) return undefined;
  const stripped = lines.map((line) => line.replace(PREFIX, '')).join('\n');
  return {
    text: wanted.endsWith('\n') ? `${stripped}\n` : stripped,
    prefix: JSON.stringify(first[0].trimStart()),
    first: Number(first[1]),
  };
}
