import { diffChars } from 'diff';
import { type Splice, spliceText } from '../../platform/files/text-file.js';
import { type Found, foldQuotes, type Match } from './find-text.js';
import type { LineChange, LineRange } from './line-ranges.js';
import { type NormalText, normalizeEndings } from './normal-text.js';

const MAX_CHARACTER_EDITS = 400; // more than this and nothing of the old passage is worth keeping

export interface Replacement {
  old_string: string;
  new_string: string;
}

export interface AppliedEdit {
  splices: Splice[];
  /** The text afterwards. */
  text: string;
  changes: LineChange[];
  /** The lines of the new text, one range for each place. */
  places: LineRange[];
}

/** Puts the new text in all the matches, in memory. What stays as it was, line endings included, is in no splice. */
export function applyEdit(text: NormalText, found: Found, { old_string, new_string }: Replacement): AppliedEdit {
  const asGiven = isMeantAsGiven(found, old_string, new_string);
  const splices = found.matches.flatMap((match) =>
    asGiven
      ? [{ start: text.toRaw(match.start), end: text.toRaw(match.end), text: new_string }]
      : rewrite(text, match, { replacement: new_string.replace(/\r\n/g, '\n'), quotes: found.how === 'quotes' }),
  );
  const added = lineEnds(new_string) - lineEnds(old_string);
  const changes = found.matches.map(({ lines }) => ({ lines, added }));
  const places = changes.map(
    ({ lines: [first, last] }, index): LineRange => [
      first + index * added,
      Math.max(first, last + added) + index * added,
    ],
  );
  return { splices, text: spliceText(text.raw, splices), changes, places };
}

// Line endings are normally the file's own business. They are the caller's when the edit is about nothing else, or when
// the old text was sent with carriage returns, so that those in the new text (or a text of one line) are on purpose.
function isMeantAsGiven({ how }: Found, old: string, fresh: string): boolean {
  if (normalizeEndings(old) === normalizeEndings(fresh)) return true;
  return how === 'verbatim' && (fresh.includes('\r') || !fresh.includes('\n'));
}

const lineEnds = (text: string): number => normalizeEndings(text).split('\n').length - 1;

function rewrite(text: NormalText, match: Match, options: { replacement: string; quotes: boolean }): Splice[] {
  const passage = text.normal.slice(match.start, match.end);
  const comparable = options.quotes ? foldQuotes(passage) : passage;
  const { replacement } = options;
  const head = commonStart(comparable, replacement);
  const tail = commonEnd(comparable.slice(head), replacement.slice(head));
  const [start, end] = [match.start + head, match.end - tail];
  const fresh = replacement.slice(head, replacement.length - tail);
  const ending = endingNear(text, match);
  const splice = (from: number, to: number, inserted: string): Splice => ({
    start: text.toRaw(from),
    end: text.toRaw(to),
    text: inserted.replaceAll('\n', ending),
  });

  const middle = comparable.slice(head, comparable.length - tail);
  const isPlain = text.raw.slice(text.toRaw(start), text.toRaw(end)) === middle;
  // Where the file's own characters differ from those that were sent, each one that both texts share has to survive.
  const parts = isPlain ? undefined : diffChars(middle, fresh, { maxEditLength: MAX_CHARACTER_EDITS });
  if (!parts) return start === end && fresh === '' ? [] : [splice(start, end, fresh)];
  const splices: Splice[] = [];
  let at = start;
  for (const { value, added, removed } of parts) {
    if (added) splices.push(splice(at, at, value));
    else {
      if (removed) splices.push(splice(at, at + value.length, ''));
      at += value.length;
    }
  }
  return splices;
}

/** The line ending that new lines take: that of the line where the match begins, else of the line before. */
function endingNear({ raw, toRaw }: NormalText, { start }: Match): string {
  const from = toRaw(start);
  const next = /\r\n|\r|\n/g;
  next.lastIndex = from;
  const after = next.exec(raw);
  if (after) return after[0];
  return /(\r\n|\r|\n)[^\r\n]*$/.exec(raw.slice(0, from))?.[1] ?? '\n';
}

function commonStart(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one[length] === other[length]) length += 1;
  return length > 0 && isHighSurrogate(one, length - 1) ? length - 1 : length; // never half of a pair
}

function commonEnd(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one[one.length - 1 - length] === other[other.length - 1 - length]) length += 1;
  return length > 0 && isLowSurrogate(one, one.length - length) ? length - 1 : length;
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
