import { setImmediate } from 'node:timers/promises';
import type { SeenFile } from '../../../contract/tool-context.js';
import { type Splice, spliceBytes, spliceText } from '../../../platform/encodings/text-file.js';
import { counted } from '../../../platform/text/counted.js';
import { refusal } from '../../refusal.js';
import type { TargetFile } from '../../target-file.js';
import { splicesPerMatch } from '../apply-edit.js';
import { changedOnDisk, checkFitsChange, checkLinesSeen, hasChanged, isProof } from '../check-editable.js';
import { around } from '../fit-to-disk.js';
import type { LoadedText } from '../load-text.js';
import type { ChangedText } from '../match/edit-text.js';
import { lineFinder } from '../match/find-lines.js';
import type { Found, Match } from '../match/find-text.js';
import { joinRanges, type LineRange, withoutRanges } from '../match/line-ranges.js';
import { type TextLines, textLines } from '../match/text-lines.js';
import { indentAsFile } from './indent-hunk.js';
import type { Hunk, HunkChange } from './patch-format.js';
import { type HunkPlace, placeHunk } from './place-hunk.js';

const HUNKS_AT_ONCE = 200; // then other work gets a turn, and a cancel is noticed
const CHANGES_AT_ONCE = 20; // comparing long lines by character takes milliseconds
const LINES_AT_ONCE = 1_000_000;
const MAX_LINES_COMPARED = 20_000_000; // a few seconds; only many hunks of very frequent lines come near it
const MAX_TIMES_THROUGH = 8; // a single hunk may scan a whole file, however long

/**
 * Applies the hunks in memory. Each is searched in the text before the patch, so that all are applied at once. Throws a
 * refusal for the first that does not fit.
 */
export async function applyHunks(
  target: TargetFile,
  file: LoadedText,
  seen: SeenFile,
  hunks: readonly Hunk[],
  signal: AbortSignal,
): Promise<ChangedText> {
  const text = textLines(file.text);
  const changed = hasChanged(seen, file);
  const placed = await placeHunks(target, file, text, seen, hunks, signal);
  const changes = inOrder(placed);
  const splices: Splice[] = [];
  for (const [index, change] of joinedAtOpenEnd(text, changes).entries()) {
    if (index % CHANGES_AT_ONCE === 0) await yieldToEventLoop(signal);
    splices.push(...splicesOf(text, change));
  }
  const apart = joinRanges(placed.map(placeAfter));
  return {
    bytes: spliceBytes(file, splices),
    text: textLines(spliceText(text.raw, splices)),
    places: apart,
    lines: changed ? around(apart) : linesAfter(seen.lines, placed),
    replacements: apart.length,
    done: `${counted(apart.length, 'place')} at ${placeList(apart)}`,
    notes: [
      ...(placed.some(({ place }) => place.how === 'quotes')
        ? ['Lines matched after quote normalisation; the quotes in the file were kept.']
        : []),
      ...(placed.some(({ place }) => place.how === 'blanks')
        ? ['Lines matched but for blanks around them or look-alike characters; new lines were indented as the file is.']
        : []),
    ],
  };
}

function placeList(places: readonly LineRange[]): string {
  const listed = places.slice(0, 20).map(([first]) => first);
  const more = places.length - listed.length;
  return `${places.length === 1 ? 'line' : 'lines'} ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Yields to the event loop, so that a cancel is noticed. */
async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** A change with its position. */
interface PlacedChange {
  /** The first removed line; added lines are inserted before it. */
  first: number;
  /** The same in the new text. */
  firstAfter: number;
  removed: readonly string[];
  added: readonly string[];
  how: HunkPlace['how'];
}

interface PlacedHunk {
  place: HunkPlace;
  /** At least one, even if it is empty. */
  changes: PlacedChange[];
}

async function placeHunks(
  target: TargetFile,
  file: LoadedText,
  text: TextLines,
  seen: SeenFile,
  hunks: readonly Hunk[],
  signal: AbortSignal,
): Promise<PlacedHunk[]> {
  const limit = Math.max(MAX_LINES_COMPARED, text.lineCount * MAX_TIMES_THROUGH);
  let compared = 0;
  let comparedAtTurn = 0;
  const spend = (lines: number): void => {
    compared += lines;
  };
  const sought = new Set(hunks.flatMap(({ anchors, before }) => [...anchors, ...before]));
  const finder = lineFinder(text, sought, spend);
  const checkPlace = hasChanged(seen, file)
    ? (place: HunkPlace, name: string) => checkUntouched(target, seen, file, place, { text, name })
    : seenChecker(target, text, seen);
  const taken = new Map<number, string>();
  const added = new Set<string>();
  const placed: PlacedHunk[] = [];
  let from = 1;
  for (const [index, hunk] of hunks.entries()) {
    if (index % HUNKS_AT_ONCE === 0 || compared - comparedAtTurn > LINES_AT_ONCE) {
      comparedAtTurn = compared;
      await yieldToEventLoop(signal);
    }
    const name = `hunk ${index + 1} (line ${hunk.line} of the patch)`;
    const place = placeHunk(hunk, { target, text, finder, from, taken, added, name, spend });
    checkPlace(place, name);
    if (compared > limit) {
      throw refusal(
        `The lines of the hunks occur so often in ${target.shown} that their places were not all found: ${name} is where ${limit} comparisons were reached. Nothing was written.`,
        { advice: 'Send fewer hunks at once, with lines that are rare in the file.' },
      );
    }
    const changes = changesAt(text, place, indentAsFile(hunk, place, { target, text, name }));
    for (const { first, removed, added: fresh } of changes) {
      for (const offset of removed.keys()) taken.set(first + offset, name);
      for (const line of fresh) added.add(line);
    }
    placed.push({ place, changes });
    from = (place.lines?.[1] ?? 0) + 1;
  }
  return placed;
}

function changesAt(text: TextLines, { first, how }: HunkPlace, { changes }: Hunk): PlacedChange[] {
  const all: readonly HunkChange[] = changes.length > 0 ? changes : [{ at: 0, removed: [], added: [] }];
  return all.map(({ at, removed, added }): PlacedChange => {
    const place = { first: first + at, firstAfter: first + at, added };
    if (how !== 'blanks') return { ...place, removed, how };
    // The removed lines are taken from the file, even if the patch spells them differently.
    return { ...place, removed: removed.map((_, index) => text.line(first + at + index)), how: 'exact' };
  });
}

/**
 * In order, with their positions in the new text. Lines that several hunks add at one position keep the hunks' order.
 */
function inOrder(placed: readonly PlacedHunk[]): PlacedChange[] {
  const changes = placed
    .flatMap((hunk) => hunk.changes)
    .sort((one, other) => one.first - other.first || one.removed.length - other.removed.length);
  let moved = 0;
  for (const change of changes) {
    change.firstAfter = change.first + moved;
    moved += change.added.length - change.removed.length;
  }
  return changes;
}

/** The lines that the hunk produced, without context. */
function placeAfter({ changes }: PlacedHunk): LineRange {
  const [top, bottom] = [changes[0], changes.at(-1)];
  if (!top || !bottom) return [1, 1];
  return [top.firstAfter, Math.max(top.firstAfter, bottom.firstAfter + bottom.added.length - 1)];
}

/** The lines seen, renumbered. For a hunk outside of them, the lines that it produced are added. */
function linesAfter(seen: SeenFile['lines'], placed: readonly PlacedHunk[]): SeenFile['lines'] {
  if (seen === 'all') return 'all';
  const known = joinRanges(seen);
  const unknown = placed.filter(({ place: { lines } }) => lines && !isWithin(known, lines));
  const holes = joinRanges(unknown.flatMap(({ place: { lines } }) => (lines ? [lines] : [])));
  const moves = placed.map(({ place, changes }) => ({
    lines: place.lines ?? ([1, 1] as const),
    added: changes.reduce((sum, { added, removed }) => sum + added.length - removed.length, 0),
  }));
  const addedBy = (end: 0 | 1): ((line: number) => number) => {
    const sorted = moves.toSorted((one, other) => one.lines[end] - other.lines[end]);
    let [next, total] = [0, 0];
    return (line) => {
      for (let move = sorted[next]; move && move.lines[end] <= line; move = sorted[next]) {
        total += move.added;
        next += 1;
      }
      return total;
    };
  };
  const [begunBy, endedBy] = [addedBy(0), addedBy(1)]; // queried from the top, so that each change is visited once
  const ranges = withoutRanges(known, holes).map(
    ([first, last]): LineRange => [first + endedBy(first - 1), last + begunBy(last)],
  );
  return joinRanges([...ranges.filter(([first, last]) => first <= last), ...unknown.map(placeAfter)]);
}

/** In an unchanged file, the lines that identify the place must have been shown. */
function seenChecker(target: TargetFile, text: TextLines, seen: SeenFile): (place: HunkPlace, name: string) => void {
  if (seen.lines === 'all') return () => {};
  const ranges = joinRanges(seen.lines);
  return ({ lines, how, isEnd, alike }, name) => {
    if (!lines) return;
    const found: Found = { matches: matchesOf(text, lines), hasMore: false, overlaps: alike.length > 1, how };
    const sought = text.raw.slice(text.start(lines[0]), text.start(lines[1] + 1));
    if (!seen.merged && !isEnd && isProof(found, sought)) return;
    if (isWithin(ranges, lines)) return;
    checkLinesSeen(target, seen, { matches: matchesOf(text, lines) }, name);
  };
}

/** Whether one of the ranges, which are sorted and disjoint, contains all of these lines. */
function isWithin(ranges: readonly LineRange[], lines: LineRange): boolean {
  const around = ranges[countWhile(ranges, ([first]) => first <= lines[0]) - 1];
  return around !== undefined && lines[1] <= around[1];
}

/** Binary search: how many items at the start satisfy `holds`, which is false for all others. */
function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In a changed file, the lines that identify the place must occur once and exactly. */
function checkUntouched(
  target: TargetFile,
  seen: SeenFile,
  file: LoadedText,
  { lines, how, isEnd, alike }: HunkPlace,
  { text, name }: { text: TextLines; name: string },
): void {
  if (isEnd || !lines) {
    throw refusal(
      `${changedOnDisk(target, seen, file)}, and ${name} adds lines at its end, which may be another one now. Nothing was written.`,
      { advice: 'Read it again, then send the patch again.' },
    );
  }
  const firstLine = text.line(lines[0]); // an @@ line is matched without its indentation, which counts here
  const matches = alike
    .filter((line) => text.line(line) === firstLine)
    .flatMap((line) => matchesOf(text, [line, line + lines[1] - lines[0]]));
  checkFitsChange(target, seen, file, { matches, hasMore: false, overlaps: false, how }, name);
}

function matchesOf(text: TextLines, lines: LineRange | undefined): Match[] {
  return lines ? [{ start: text.start(lines[0]), end: text.start(lines[1] + 1), lines }] : [];
}

/**
 * Merges adjacent changes at a last line without an ending, if one alone could not decide about the ending before:
 * those that only remove lines are merged with the one above, and all at the very end.
 */
function joinedAtOpenEnd(text: TextLines, all: readonly PlacedChange[]): PlacedChange[] {
  const changes = all.filter(({ removed, added }) => !isSame(removed, added));
  const last = changes.at(-1);
  if (!last || !isOpen(text) || behindOf(last) <= text.lineCount) return changes;
  let top = last;
  let count = 1;
  let addsLines = last.added.length > 0;
  for (let above = changes.at(-2); above && behindOf(above) === top.first; above = changes.at(-count - 1)) {
    if (addsLines && behindOf(above) <= text.lineCount) break;
    top = above;
    count += 1;
    addsLines ||= above.added.length > 0;
  }
  const joined = changes.slice(-count);
  const one: PlacedChange = {
    ...top,
    removed: joined.flatMap(({ removed }) => removed),
    added: joined.flatMap(({ added }) => added),
    how: joined.some(({ how }) => how === 'quotes') ? 'quotes' : 'exact',
  };
  return [...changes.slice(0, -count), one];
}

const isOpen = ({ lineCount, ending }: TextLines): boolean => lineCount > 0 && ending(lineCount) === '';
const behindOf = ({ first, removed }: PlacedChange): number => first + removed.length;
const isSame = (removed: readonly string[], added: readonly string[]): boolean =>
  removed.length === added.length && removed.every((line, index) => line === added[index]);

/**
 * Lines are changed together with their endings, so that none is left over. A last line without an ending stays so:
 * lines added after it bring the ending before them, and removed lines take it with them.
 */
function splicesOf(text: TextLines, change: PlacedChange): Splice[] {
  const { first, removed, added, how } = change;
  if (isSame(removed, added)) return [];
  const behind = behindOf(change);
  const last = Math.max(1, removed.length > 0 ? behind - 1 : Math.min(first - 1, text.lineCount));
  const match: Match = {
    start: text.start(first),
    end: text.start(behind),
    lines: [removed.length > 0 ? first : last, last],
  };
  let [old_string, new_string] = [withEndings(removed), withEndings(added)];
  if (isOpen(text) && behind > text.lineCount) {
    old_string = removed.join('\n');
    new_string = added.join('\n');
    if (removed.length === 0) new_string = `\n${new_string}`;
    if (added.length === 0 && first > 1) {
      old_string = `\n${old_string}`;
      match.start -= text.ending(first - 1).length;
    }
  }
  // Most files have the lines verbatim, and then there are no characters of theirs to keep.
  const isVerbatim = text.raw.slice(match.start, match.end) === old_string && text.raw[match.start - 1] !== '\r';
  if (isVerbatim && (old_string.includes('\n') || !new_string.includes('\n'))) {
    return [{ start: match.start, end: match.end, text: new_string }];
  }
  const found: Found = { matches: [match], hasMore: false, overlaps: false, how };
  return splicesPerMatch(text, found, { old_string, new_string }).flat();
}

const withEndings = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
