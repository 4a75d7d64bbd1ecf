import type { SeenFile } from '../../contract/tool-context.js';
import { type Splice, spliceBytes, spliceText } from '../../platform/files/text-file.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { splicesPerMatch } from './apply-edit.js';
import { changedOnDisk, checkFitsChange, checkLinesSeen, hasChanged } from './check-editable.js';
import { findLines } from './find-lines.js';
import type { Found, Match } from './find-text.js';
import { afterChanges, joinRanges, type LineRange } from './line-ranges.js';
import type { LoadedText } from './load-text.js';
import type { Hunk, HunkChange } from './patch-format.js';
import { type HunkPlace, placeHunk } from './place-hunk.js';
import { CONTEXT_LINES } from './show-place.js';
import { type TextLines, textLines } from './text-lines.js';

export interface PatchedText {
  bytes: Buffer;
  text: TextLines;
  /** The lines of the new text that are new or stand where others were, one range for each hunk that is apart. */
  places: LineRange[];
  /** What the model knows of the new text. */
  lines: SeenFile['lines'];
  /** The file had other content than the model saw. */
  changed: boolean;
  /** A hunk was found only with straight quotes for typographic ones. */
  byQuotes: boolean;
}

/** Applies the hunks in memory, each to what the one before left. Throws a refusal at the first that does not fit. */
export function applyHunks(target: TargetFile, file: LoadedText, seen: SeenFile, hunks: readonly Hunk[]): PatchedText {
  const changed = hasChanged(seen, file);
  let current: LoadedText = file;
  let text = textLines(file.text);
  let lines = seen.lines;
  let places: SeenFile['lines'] = [];
  let byQuotes = false;
  let from = 1;
  for (const [index, hunk] of hunks.entries()) {
    const name = `hunk ${index + 1} (line ${hunk.line} of the patch)`;
    const place = placeHunk(hunk, { target, text, from, name });
    if (changed) checkUntouched(target, seen, file, place, { text, name });
    else checkLinesSeen(target, { lines }, { matches: matchesOf(text, place.lines) }, name);

    const splices = hunk.changes.flatMap((change) => splicesOf(text, place, change));
    const bytes = spliceBytes(current, splices);
    text = textLines(spliceText(text.raw, splices));
    current = { ...current, bytes, text: text.raw };

    const added = hunk.changes.reduce((sum, change) => sum + change.added.length - change.removed.length, 0);
    const moves = [{ lines: place.lines ?? ([1, 1] as const), added }];
    lines = afterChanges(lines, moves);
    places = [...rangesOf(afterChanges(places, moves)), placeAfter(place, hunk, added)];
    byQuotes ||= place.how === 'quotes';
    from = (place.lines?.[1] ?? 0) + 1 + added;
  }
  const apart = joinRanges(rangesOf(places));
  return { bytes: current.bytes, text, places: apart, lines: changed ? around(apart) : lines, changed, byQuotes };
}

const rangesOf = (lines: SeenFile['lines']): ReadonlyArray<LineRange> => (lines === 'all' ? [] : lines);

// Of a file with changes that the model has not seen, it now knows the places that it is shown and nothing more.
const around = (places: readonly LineRange[]): LineRange[] =>
  joinRanges(places.map(([first, last]) => [Math.max(1, first - CONTEXT_LINES), last + CONTEXT_LINES]));

/** In a file that has changed, what the place is known by must be there, once and exactly, before any hunk. */
function checkUntouched(
  target: TargetFile,
  seen: SeenFile,
  file: LoadedText,
  { lines, how, isEnd }: HunkPlace,
  { text, name }: { text: TextLines; name: string },
): void {
  if (isEnd || !lines) {
    throw refusal(
      `${changedOnDisk(target, seen, file)}, and ${name} adds lines at its end, which may be another one now. Nothing was written. Read it again, then send the patch again.`,
    );
  }
  const wanted: string[] = [];
  for (let number = lines[0]; number <= lines[1]; number += 1) wanted.push(text.line(number));
  const onDisk = textLines(file.text);
  const matches = findLines(onDisk, wanted).starts.flatMap((first) =>
    matchesOf(onDisk, [first, first + wanted.length - 1]),
  );
  checkFitsChange(target, seen, file, { matches, hasMore: false, overlaps: false, how }, name);
}

function matchesOf(text: TextLines, lines: LineRange | undefined): Match[] {
  return lines ? [{ start: text.start(lines[0]), end: text.start(lines[1] + 1), lines }] : [];
}

/** The lines that the hunk left at its place, without the context around them. */
function placeAfter({ first }: HunkPlace, { changes }: Hunk, added: number): LineRange {
  const [top, bottom] = [changes[0], changes.at(-1)];
  if (!top || !bottom) return [first, first];
  const start = first + top.at;
  return [start, Math.max(start, first + bottom.at + bottom.removed.length + added - 1)];
}

/**
 * Lines are changed together with their endings, so that none is left over. A last line without an ending stays one: what
 * comes after it brings the ending before, and what goes takes it along.
 */
function splicesOf(text: TextLines, place: HunkPlace, { at, removed, added }: HunkChange): Splice[] {
  if (removed.join('\n') === added.join('\n') && removed.length === added.length) return [];
  const first = place.first + at;
  const behind = first + removed.length;
  const last = Math.max(1, removed.length > 0 ? behind - 1 : Math.min(first - 1, text.lineCount));
  const match: Match = {
    start: text.start(first),
    end: text.start(behind),
    lines: [removed.length > 0 ? first : last, last],
  };
  let [old_string, new_string] = [withEndings(removed), withEndings(added)];
  const isOpen = text.lineCount > 0 && text.ending(text.lineCount) === '';
  if (isOpen && behind > text.lineCount) {
    old_string = removed.join('\n');
    new_string = added.join('\n');
    if (removed.length === 0) new_string = `\n${new_string}`;
    if (added.length === 0 && first > 1) {
      old_string = `\n${old_string}`;
      match.start -= text.ending(first - 1).length;
    }
  }
  const found: Found = { matches: [match], hasMore: false, overlaps: false, how: place.how };
  return splicesPerMatch(text, found, { old_string, new_string }).flat();
}

const withEndings = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
