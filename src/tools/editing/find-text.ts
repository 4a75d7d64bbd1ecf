import { similarity } from '../../platform/text/similar-text.js';
import type { LineRange } from './line-ranges.js';
import { type NormalText, normalizeEndings } from './normal-text.js';

/** Where a text was found, by offsets in the normal text. */
export interface Match {
  start: number;
  end: number;
  lines: LineRange;
}

export interface Found {
  /** From the top, none inside another. */
  matches: Match[];
  /** All places where it occurs; more than there are matches when it overlaps itself, as "aa" does in "aaa". */
  places: number;
  /** `verbatim`: found with the very line endings that were sent. `quotes`: straight quotes stood for typographic ones. */
  how: 'verbatim' | 'exact' | 'quotes';
}

/** Looks for the text, first as it is but for line endings, then with straight quotes for typographic ones. */
export function findText(text: NormalText, wanted: string): Found {
  if (wanted.includes('\r')) {
    const verbatim = findVerbatim(text, wanted);
    if (verbatim.matches.length > 0) return verbatim;
  }
  const plain = normalizeEndings(wanted);
  const exact = { ...occurrences(text, text.normal, plain), how: 'exact' as const };
  if (exact.matches.length > 0) return exact;
  return { ...occurrences(text, foldQuotes(text.normal), foldQuotes(plain)), how: 'quotes' };
}

/** One character for one, so that offsets stay what they are. */
export const foldQuotes = (text: string): string => text.replace(/[‘’′]/g, "'").replace(/[“”″]/g, '"');

function findVerbatim(text: NormalText, wanted: string): Found {
  const found = occurrences(text, text.normal, normalizeEndings(wanted));
  const matches = found.matches.filter(
    ({ start, end }) => text.raw.slice(text.toRaw(start), text.toRaw(end)) === wanted,
  );
  return { matches, places: matches.length === found.matches.length ? found.places : matches.length, how: 'verbatim' };
}

function occurrences(text: NormalText, haystack: string, needle: string): Pick<Found, 'matches' | 'places'> {
  const matches: Match[] = [];
  let places = 0;
  if (needle === '') return { matches, places };
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
    places += 1;
    const end = at + needle.length;
    if (at >= (matches.at(-1)?.end ?? 0)) {
      matches.push({ start: at, end, lines: [text.lineAt(at), text.lineAt(end - 1)] });
    }
  }
  return { matches, places };
}

/** "12, 48, 90", with what is left out counted. */
export function lineList(matches: readonly Match[]): string {
  const lines = matches.slice(0, 20).map(({ lines: [first] }) => first);
  const more = matches.length - lines.length;
  return `${matches.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
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

export interface Passage {
  lines: LineRange;
  score: number;
}

const MAX_LINES_COMPARED = 50_000;
const MAX_PASSAGES = 3;
const MIN_SCORE = 0.5;
const CANDIDATES = 12;

/** The passages most similar to the text, best first. */
export function nearestPassages(text: NormalText, wanted: string): Passage[] {
  const sought = normalizeEndings(wanted)
    .replace(/^\n+|\n+$/g, '')
    .split('\n');
  // The longest line says most. Whole passages are compared only around the lines that are most like it.
  const anchor = sought.reduce(
    (best, line, index) => (line.trim().length > (sought[best] ?? '').trim().length ? index : best),
    0,
  );
  const anchorLine = (sought[anchor] ?? '').trim();
  if (anchorLine === '') return [];
  const candidates: Array<{ line: number; score: number }> = [];
  for (let line = 1; line <= Math.min(text.lineCount, MAX_LINES_COMPARED); line += 1) {
    const score = lineSimilarity(anchorLine, text.line(line).trim());
    if (score >= MIN_SCORE) candidates.push({ line, score });
  }
  candidates.sort((one, other) => other.score - one.score || one.line - other.line);

  const passages = candidates.slice(0, CANDIDATES).map(({ line }): Passage => {
    const first = Math.max(1, line - anchor);
    const last = Math.min(text.lineCount, first + sought.length - 1);
    const scores = sought.map((part, index) => similarity(part.trim(), text.line(first + index).trim()));
    return { lines: [first, last], score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
  });
  return passages
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((one, other) => other.score - one.score || one.lines[0] - other.lines[0])
    .slice(0, MAX_PASSAGES);
}

// A short text may be part of a longer line, and lines of very different length are never worth the comparison.
function lineSimilarity(anchor: string, line: string): number {
  if (anchor.length >= 4 && line.toLowerCase().includes(anchor.toLowerCase())) return 1;
  const [short, long] = anchor.length < line.length ? [anchor, line] : [line, anchor];
  return short.length * 3 < long.length ? 0 : similarity(anchor, line);
}

/** In what respect the passage is not the text, where that is one thing alone. */
export function differenceOf(text: NormalText, wanted: string, { lines: [first, last] }: Passage): string | undefined {
  const theirs: string[] = [];
  for (let line = first; line <= last; line += 1) theirs.push(text.line(line));
  const sent = normalizeEndings(wanted)
    .replace(/^\n+|\n+$/g, '')
    .split('\n');
  const same = (change: (line: string) => string): boolean =>
    theirs.length === sent.length && theirs.every((line, index) => change(line) === change(sent[index] ?? ''));
  if (same((line) => line.trimEnd())) return 'in blanks at the end of a line';
  if (same((line) => line.trimStart())) {
    const index = theirs.findIndex((line, at) => line !== sent[at]);
    return `in indentation (${indentation(theirs[index] ?? '')}, not ${indentation(sent[index] ?? '')})`;
  }
  if (same((line) => line.replace(/\s+/g, ' ').trim())) return 'in blanks';
  if (same((line) => line.toLowerCase())) return 'in upper and lower case';
  return undefined;
}

function indentation(line: string): string {
  const blanks = /^\s*/.exec(line)?.[0] ?? '';
  if (blanks === '') return 'none';
  if (/^\t+$/.test(blanks)) return blanks.length === 1 ? 'tab' : `${blanks.length} tabs`;
  if (/^ +$/.test(blanks)) return blanks.length === 1 ? '1 space' : `${blanks.length} spaces`;
  return JSON.stringify(blanks);
}
