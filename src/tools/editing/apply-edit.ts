import { diffChars } from 'diff';
import { type Splice, spliceText } from '../../platform/encodings/text-file.js';
import { normalizeEndings } from '../../platform/text/line-endings.js';
import type { IndentationChange } from './match/find-indented.js';
import { type Found, type Match, passageOf } from './match/find-text.js';
import type { LineChange, LineRange } from './match/line-ranges.js';
import { back, forward } from './match/search-text.js';
import { type TextLines, textLines } from './match/text-lines.js';

const MAX_CHARACTER_EDITS = 400; // with more edits than this, nothing of the old passage is worth keeping
const MAX_CHARACTERS_COMPARED = 100_000;
const MAX_SPLICES = 1_000_000; // in all matches together

export interface TextEdit {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
  expected_replacements?: number | undefined;
  /** Its 1-based position among all edits of the call; undefined if it is the only one. */
  number?: number;
}

export interface AppliedEdit {
  splices: Splice[];
  /** The resulting text. */
  after: TextLines;
  changes: LineChange[];
  /** The lines of the new text, one range per match. */
  places: LineRange[];
  /** The new texts, by offsets in the resulting text. */
  spans: Array<{ start: number; end: number }>;
}

/** Replaces all matches, in memory. Unchanged text, including line endings, is in no splice. */
export function applyEdit(text: TextLines, found: Found, edit: TextEdit): AppliedEdit {
  const perMatch = splicesPerMatch(text, found, edit);
  const splices = perMatch.flat();
  const after = textLines(spliceText(text.raw, splices));

  const changes: LineChange[] = [];
  const places: LineRange[] = [];
  const spans: AppliedEdit['spans'] = [];
  let moved = 0; // how far text after the last match has moved, in characters
  let movedLines = 0;
  for (const [index, { start, end, lines }] of found.matches.entries()) {
    const first = after.lineAt(start + moved);
    const span = { start: start + moved, end: 0 };
    for (const splice of perMatch[index] ?? []) moved += splice.text.length - (splice.end - splice.start);
    span.end = end + moved;
    spans.push(span);
    places.push([first, Math.max(first, after.lineAt(end + moved - 1))]);
    const added = after.lineAt(end + moved) - text.lineAt(end) - movedLines;
    changes.push({ lines, added });
    movedLines += added;
  }
  return { splices, after, changes, places, spans };
}

/** The changes within each match. */
export function splicesPerMatch(text: TextLines, found: Found, { old_string, new_string }: TextEdit): Splice[][] {
  if (found.indentation) return indentedSplices(text, found, found.indentation, new_string);
  const rewrite = isMeantAsGiven(found, old_string, new_string)
    ? ({ start, end }: Match): Splice[] => [{ start, end, text: new_string }]
    : rewriter(text, found, passageOf(found, old_string), new_string.replace(/\r\n/g, '\n'));
  return found.matches.map(rewrite);
}

/** Indents the new text as the file is; the file's own characters stay wherever the two texts agree. */
function indentedSplices(text: TextLines, found: Found, change: IndentationChange, new_string: string): Splice[][] {
  const fresh = change.reindent(normalizeEndings(new_string)) ?? new_string;
  return found.matches.map((match) => {
    const passage = normalizeEndings(text.raw.slice(match.start, match.end));
    return rewriter(text, { ...found, matches: [match] }, passage, fresh)(match);
  });
}

// Line endings are normally kept as the file has them. They are taken from the edit if it changes nothing else, or if
// the old text was sent with carriage returns, so that those in the new text (or their absence in a single line) are
// intended.
function isMeantAsGiven({ how }: Found, old: string, fresh: string): boolean {
  if (how === 'bytes' || normalizeEndings(old) === normalizeEndings(fresh)) return true;
  return how === 'verbatim' && (fresh.includes('\r') || !fresh.includes('\n'));
}

/** All matches have the same text, so the changes are computed once. Offsets in the passage count \r\n as one. */
function rewriter(
  text: TextLines,
  { matches }: Found,
  passage: string,
  replacement: string,
): (match: Match) => Splice[] {
  const { raw } = text;
  const head = commonStart(passage, replacement);
  const tail = commonEnd(passage.slice(head), replacement.slice(head));
  const middle = passage.slice(head, passage.length - tail);
  const fresh = replacement.slice(head, replacement.length - tail);
  let parts: ReturnType<typeof comparedParts> | 'not compared' = 'not compared'; // most matches need no comparison

  return (match) => {
    const ending = endingNear(text, match.lines[0]);
    const splice = (start: number, end: number, inserted: string): Splice => ({
      start,
      end,
      text: withEndings(raw, start, end, inserted, ending),
    });
    const start = forward(raw, match.start, head);
    const end = back(raw, match.end, tail, 'endings');
    if (start === end && fresh === '') return [];
    if (raw.slice(start, end) === middle) return [splice(start, end, fresh)];
    // If the file's characters differ from those sent, all that both texts share must be kept.
    if (parts === 'not compared') parts = comparedParts(middle, fresh, matches.length);
    if (!parts) return [splice(start, end, fresh)];
    const splices: Splice[] = [];
    let at = start;
    for (const { value, added, removed } of parts) {
      const next = added ? at : forward(raw, at, value.length);
      if (added || removed) splices.push(splice(at, next, added ? value : ''));
      at = next;
    }
    return splices;
  };
}

function comparedParts(middle: string, fresh: string, matches: number): ReturnType<typeof diffChars> | undefined {
  if (middle.length + fresh.length > MAX_CHARACTERS_COMPARED) return undefined;
  const parts = diffChars(middle, fresh, { maxEditLength: MAX_CHARACTER_EDITS });
  return parts && parts.length * matches <= MAX_SPLICES ? parts : undefined;
}

// A \n after a lone \r, or a \r before a lone \n, would merge with it into one ending, and a line would be lost.
function withEndings(raw: string, start: number, end: number, inserted: string, ending: string): string {
  const wouldJoin =
    (ending === '\n' && raw[start - 1] === '\r' && inserted.startsWith('\n')) ||
    (ending === '\n' && inserted.includes('\r\n')) ||
    (ending === '\r' && raw[end] === '\n' && inserted.endsWith('\n'));
  return inserted.replaceAll('\n', wouldJoin ? '\r\n' : ending);
}

/** The ending for new lines: that of the line where the match starts, else of the line before. */
const endingNear = (text: TextLines, line: number): string => text.ending(line) || text.ending(line - 1) || '\n';

function commonStart(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one[length] === other[length]) length += 1;
  return length > 0 && isHighSurrogate(one, length - 1) ? length - 1 : length; // never splits a surrogate pair
}

function commonEnd(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one[one.length - 1 - length] === other[other.length - 1 - length]) length += 1;
  return length > 0 && isLowSurrogate(one, one.length - length) ? length - 1 : length;
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
