import { normalizeEndings } from '../../../platform/text/line-endings.js';
import { findIndented, type IndentationChange } from './find-indented.js';
import { findTrimmed } from './find-trimmed.js';
import type { LineRange } from './line-ranges.js';
import { type Alike, foldQuotes, type SearchResult, searchText } from './search-text.js';
import type { TextLines } from './text-lines.js';

/** Where a text was found, by offsets in the text as it is. */
export interface Match {
  start: number;
  end: number;
  lines: LineRange;
}

export interface Found {
  /** From the top, none inside another; no more than were asked for. */
  matches: Match[];
  /** There are more than those. */
  hasMore: boolean;
  /** It also occurs in places that overlap the matches, as "aa" does in "aaa". */
  overlaps: boolean;
  /**
   * `bytes`: found character for character, since it has a lone carriage return, which may be half of a line ending.
   * `verbatim`: found with the very line endings that were sent. `exact`: with others. `quotes`: straight quotes stood
   * for typographic ones as well. `blanks`: there are other blanks at the ends of lines. `indentation`: all lines are
   * indented in another way.
   */
  how: 'bytes' | 'verbatim' | 'exact' | 'quotes' | 'blanks' | 'indentation';
  /** What is to be done to the new text, where the blanks there are not as sent. */
  indentation?: IndentationChange;
}

/**
 * Looks for the text, first as it is but for line endings, then with straight quotes for typographic ones, then with other
 * blanks at the ends of lines and then indented in another way, which both count only in one place. A carriage return without a line feed is no line ending that anybody is shown: whoever sends one means that character.
 */
export function findText(text: TextLines, wanted: string, limit: number): Found {
  const find = (alike: Alike, how: Found['how']): Found => {
    const result = searchText(text.raw, wanted, alike, limit);
    return { ...result, matches: matchesOf(text, result), how };
  };
  if (hasLoneReturn(wanted)) return find('nothing', 'bytes');
  // A text that begins with \n could be found in the middle of \r\n, which stands for one ending.
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

const matchesOf = (text: TextLines, { matches: ranges }: Pick<SearchResult, 'matches'>): Match[] =>
  ranges.map(({ start, end }) => ({ start, end, lines: [text.lineAt(start), text.lineAt(end - 1)] }));

/** What all the matches read like, with every ending as \n. */
export function passageOf({ how }: Found, wanted: string): string {
  const normal = normalizeEndings(wanted);
  return how === 'quotes' ? foldQuotes(normal) : normal;
}

/** "12, 48, 90", with what is left out counted. */
export function lineList({ matches, hasMore }: Pick<Found, 'matches' | 'hasMore'>): string {
  const all = [...new Set(matches.map(({ lines: [first] }) => first))]; // one line may hold several
  const lines = all.slice(0, 20);
  const left = all.length - lines.length;
  const more = hasMore ? ' and more' : left > 0 ? ` and ${left} more` : '';
  return `${all.length === 1 && !hasMore ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
}

const PREFIX = /^ *(\d+)(?:\t|→)/;

/** What was sent with the line numbers that Read puts before each line, taken apart; undefined if a line has none. */
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
