import { normalizeEndings } from '../../../platform/text/line-endings.js';
import { nearestWords, similarity } from '../../../platform/text/similar-text.js';
import type { LineRange } from './line-ranges.js';
import { foldLookAlikes, lookAlikesIn } from './look-alikes.js';
import type { TextLines } from './text-lines.js';

const MAX_PASSAGES = 3;
const MIN_SCORE = 0.5;
const CANDIDATES = 12;
const MIN_SHARED_CHARS = 10; // shorter lines occur in too many places
const MAX_LINES_SEARCHED = 50_000;
// A hint must stay cheap, however long the texts are.
const MAX_CHARS_COMPARED = 4_000_000;
const MAX_LINE_CHARS = 1_000;
const MAX_PASSAGE_LINES = 200;
const MAX_WORD_CHARS = 64;
const MAX_WORDS_COMPARED = 3_000;

export interface Passage {
  lines: LineRange;
  score: number;
}

/** The passages most similar to the text, best first. */
export function nearestPassages(text: TextLines, wanted: string): Passage[] {
  const sought = soughtLines(wanted);
  // The longest line is the most specific. Whole passages are compared only around the lines most similar to it.
  const anchor = sought.reduce(
    (best, line, index) => (line.trim().length > (sought[best] ?? '').trim().length ? index : best),
    0,
  );
  const from = Math.max(0, anchor - MAX_PASSAGE_LINES / 2);
  const compared = sought.slice(from, from + MAX_PASSAGE_LINES).map(comparable);
  const passages = linesLike(text, comparable(sought[anchor] ?? '')).map((line): Passage => {
    const first = Math.max(1, line - anchor);
    const last = Math.min(text.lineCount, first + sought.length - 1);
    const scores = compared.map((part, index) => similarity(part, comparable(text.line(first + from + index))));
    return { lines: [first, last], score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
  });
  const near = passages
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((one, other) => other.score - one.score || one.lines[0] - other.lines[0])
    .slice(0, MAX_PASSAGES);
  if (near.length > 0) return near;
  return sought.length > 1 ? passagesWithLine(text, sought) : linesWithWord(text, (sought[0] ?? '').trim());
}

/** Passages that share only one line with the text: the longest common one. */
function passagesWithLine(text: TextLines, sought: readonly string[]): Passage[] {
  const places = new Map<string, number[]>();
  for (const line of sought) if (comparable(line).length >= MIN_SHARED_CHARS) places.set(comparable(line), []);
  for (let line = 1; line <= Math.min(text.lineCount, MAX_LINES_SEARCHED); line += 1) {
    const found = places.get(comparable(text.line(line)));
    if (found && found.length < MAX_PASSAGES) found.push(line);
  }
  const [shared] = [...places.keys()]
    .filter((line) => places.get(line)?.length)
    .sort((one, other) => other.length - one.length);
  if (shared === undefined) return [];
  const index = sought.findIndex((line) => comparable(line) === shared);
  return (places.get(shared) ?? []).map((line): Passage => {
    const first = Math.max(1, line - index);
    return { lines: [first, Math.min(text.lineCount, first + sought.length - 1)], score: MIN_SCORE };
  });
}

/** A short text is compared with single words and short lines, where one typo leaves little in common. */
function linesWithWord(text: TextLines, wanted: string): Passage[] {
  if (wanted === '' || wanted.length > MAX_WORD_CHARS) return [];
  const isCandidate = (word: string): boolean =>
    word.length <= MAX_WORD_CHARS && word.length * 2 >= wanted.length && word.length <= wanted.length * 2;
  const lines = new Map<string, number>();
  for (let line = 1; line <= Math.min(text.lineCount, MAX_LINES_SEARCHED); line += 1) {
    const trimmed = text.line(line).slice(0, MAX_LINE_CHARS).trim();
    for (const word of [trimmed, ...trimmed.split(/\s+/)].filter(isCandidate)) {
      if (!lines.has(word)) lines.set(word, line);
    }
    if (lines.size > MAX_WORDS_COMPARED) break;
  }
  const near = nearestWords(wanted, [...lines.keys()]).map((word) => lines.get(word) ?? 1);
  return [...new Set(near)].map((line) => ({ lines: [line, line], score: MIN_SCORE }));
}

/** Without leading and trailing line breaks, which say nothing about the place. */
function soughtLines(wanted: string): string[] {
  const lines = normalizeEndings(wanted).split('\n');
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [''] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}

const comparable = (line: string): string => foldLookAlikes(line.slice(0, MAX_LINE_CHARS)).trim();

/** The numbers of the lines most similar to the given one. */
function linesLike(text: TextLines, anchor: string): number[] {
  if (anchor === '') return [];
  const part = anchor.toLowerCase();
  const candidates: Array<{ line: number; score: number }> = [];
  let compared = 0;
  for (let line = 1; line <= Math.min(text.lineCount, MAX_LINES_SEARCHED); line += 1) {
    const other = comparable(text.line(line));
    const [short, long] = anchor.length < other.length ? [anchor, other] : [other, anchor];
    // A short text may be part of a longer line; lines of very different length are not worth comparing.
    const holdsPart = anchor.length >= 4 && anchor.length <= other.length && other.toLowerCase().includes(part);
    let score = holdsPart ? 1 : 0;
    if (!holdsPart && short.length * 3 >= long.length) {
      compared += anchor.length + other.length;
      score = similarity(anchor, other);
    }
    if (score >= MIN_SCORE) candidates.push({ line, score });
    if (compared > MAX_CHARS_COMPARED) break;
  }
  return candidates
    .sort((one, other) => other.score - one.score || one.line - other.line)
    .slice(0, CANDIDATES)
    .map(({ line }) => line);
}

/** How the passage differs from the text, if it is in one respect only. */
export function differenceOf(text: TextLines, wanted: string, passage: Passage): string | undefined {
  const { sent, there } = sideBySide(text, wanted, passage);
  // A single line that was sent may be part of a line.
  const same = (change: (line: string) => string): boolean =>
    sent.length === 1 && there.length === 1
      ? change(there[0] ?? '').includes(change(sent[0] ?? ''))
      : there.length === sent.length && there.every((line, index) => change(line) === change(sent[index] ?? ''));
  if (same((line) => line)) return undefined; // the text is there, so something else is wrong with the place
  if (same((line) => line.trimEnd())) return 'in blanks at the end of a line';
  if (same((line) => line.trimStart())) {
    const index = there.findIndex((line, at) => line !== sent[at]);
    return `in indentation (${indentation(there[index] ?? '')}, not ${indentation(sent[index] ?? '')})`;
  }
  if (same((line) => line.replace(/[ \t]+/g, ' ').trim())) return 'in blanks';
  if (same(foldLookAlikes)) {
    const inFile = lookAlikesIn(there.join('\n'));
    const wasSent = lookAlikesIn(sent.join('\n'));
    return `in characters that look alike or are not seen${inFile || wasSent ? ` (${inFile || `sent: ${wasSent}`})` : ''}`;
  }
  if (same((line) => line.toLowerCase())) return 'in upper and lower case';
  return undefined;
}

/** The sent lines and those of the passage. */
export function sideBySide(
  text: TextLines,
  wanted: string,
  { lines: [first, last] }: Passage,
): { sent: string[]; there: string[] } {
  const there: string[] = [];
  for (let line = first; line <= last; line += 1) there.push(text.line(line));
  return { sent: soughtLines(wanted), there };
}

function indentation(line: string): string {
  const blanks = /^\s*/.exec(line)?.[0] ?? '';
  if (blanks === '') return 'none';
  if (/^\t+$/.test(blanks)) return blanks.length === 1 ? 'tab' : `${blanks.length} tabs`;
  if (/^ +$/.test(blanks)) return blanks.length === 1 ? '1 space' : `${blanks.length} spaces`;
  return JSON.stringify(blanks);
}
