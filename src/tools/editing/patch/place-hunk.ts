import { counted } from '../../../platform/text/counted.js';
import { refusal } from '../../refusal.js';
import type { TargetFile } from '../../target-file.js';
import type { FoundLines, LineFinder } from '../match/find-lines.js';
import type { LineRange } from '../match/line-ranges.js';
import { nearestPassages } from '../match/nearest-passages.js';
import { notFound } from '../match/not-found.js';
import { showLines } from '../match/show-place.js';
import type { TextLines } from '../match/text-lines.js';
import type { Hunk } from './patch-format.js';

/** The position of a hunk in the text. */
export interface HunkPlace {
  /** Where the first line of `before` is; added lines are inserted before it. */
  first: number;
  how: FoundLines['how'];
  /** The lines that identify the place; undefined in an empty file. */
  lines: LineRange | undefined;
  /** It is identified only by being the end of the text. */
  isEnd: boolean;
  /** All positions, including this one, where the first of these lines occurs. */
  alike: readonly number[];
}

export interface HunkTarget {
  target: TargetFile;
  /** Before the patch. */
  text: TextLines;
  finder: LineFinder;
  /** The line after the previous hunk: the search starts here. */
  from: number;
  /** The lines that earlier hunks remove, with the hunk's name. */
  taken: ReadonlyMap<number, string>;
  /** The lines that earlier hunks add. */
  added: ReadonlySet<string>;
  /** Called with the number of lines scanned. */
  spend(lines: number): void;
  /** The hunk's name in messages. */
  name: string;
}

/** Finds the only place that a hunk can mean; refuses it if there is none or more than one. */
export function placeHunk(hunk: Hunk, into: HunkTarget): HunkPlace {
  const anchor = findAnchor(hunk, into);
  return hunk.before.length === 0 ? placeAddition(hunk, anchor, into) : placeLines(hunk, anchor, into);
}

/** The line named by the last `@@`. */
interface Anchor {
  line: number;
  /** Its other possible positions. */
  others: readonly number[];
  how: FoundLines['how'];
  /** All lines with this text, anywhere. */
  starts: readonly number[];
}

function findAnchor({ anchors }: Hunk, into: HunkTarget): Anchor | undefined {
  const { target, text, finder, added, name } = into;
  let outer: Anchor | undefined;
  for (const wanted of anchors) {
    const { starts, how } = finder.findReading(wanted);
    const below = starts.filter((line) => line > (outer?.line ?? 0));
    const [line, ...others] = choose(below, outer, into);
    if (line === undefined) {
      throw refusal(anchorMissing(target, text, wanted, { name, outer, starts }) + hintAtAdded([wanted], added), {
        problem: `${name} names a line that is not in ${target.shown}.`,
      });
    }
    outer = { line, others, how, starts };
  }
  return outer;
}

/**
 * Narrows the candidates: to those after the previous hunk, if any; then to the one inside the block that the `@@` line
 * opens, by indentation.
 */
function choose(candidates: readonly number[], outer: Anchor | undefined, { text, from, spend }: HunkTarget): number[] {
  const below = candidates.filter((line) => line >= from);
  const left = below.length > 0 ? below : [...candidates];
  if (left.length < 2 || !outer || outer.others.length > 0) return left;
  const end = blockEnd(text, outer.line, spend);
  const inside = left.filter((line) => line <= end);
  return inside.length === 1 ? inside : left;
}

/** The last following line with deeper indentation. */
function blockEnd(text: TextLines, line: number, spend: HunkTarget['spend']): number {
  const indentation = (number: number): number => text.line(number).search(/\S/);
  let end = line;
  for (let next = line + 1; next <= text.lineCount; next += 1) {
    spend(1);
    const isBlank = indentation(next) === -1;
    if (!isBlank && indentation(next) <= indentation(line)) break;
    if (!isBlank) end = next;
  }
  return end;
}

function anchorMissing(
  { shown }: TargetFile,
  text: TextLines,
  wanted: string,
  { name, outer, starts }: { name: string; outer: Anchor | undefined; starts: readonly number[] },
): string {
  const anchor = JSON.stringify(`@@ ${wanted}`);
  if (outer && starts.length > 0) {
    return `${name} has no place: ${anchor} names a line that ${shown} has above the @@ line before it alone (${linesText(starts)}, and that is line ${outer.line}). Nothing was written. Send the @@ lines from the outermost to the innermost.`;
  }
  const [nearest] = nearestPassages(text, wanted);
  const next = nearest ? ` The nearest is:\n${showLines(text, nearest.lines)}` : '';
  return `${name} has no place: no line of ${shown} reads as ${anchor} says. Nothing was written. An @@ line must be a whole line of the file.${next}`;
}

function placeAddition({ atEnd }: Hunk, anchor: Anchor | undefined, { target, text, name }: HunkTarget): HunkPlace {
  if (!anchor || atEnd) {
    const { lineCount } = text;
    const lines: LineRange | undefined = lineCount === 0 ? undefined : [lineCount, lineCount];
    return { first: lineCount + 1, how: 'exact', lines, isEnd: true, alike: [] };
  }
  if (anchor.others.length > 0) {
    throw refusal(
      `${name} only adds lines, and its @@ line occurs ${anchor.others.length + 1} times in ${target.shown} (${linesText([anchor.line, ...anchor.others])}), so it is unclear where they belong. Nothing was written.`,
      { advice: 'Add the lines around the place as context.' },
    );
  }
  const { line, how, starts } = anchor;
  return { first: line + 1, how, lines: [line, line], isEnd: false, alike: starts };
}

function placeLines(hunk: Hunk, anchor: Anchor | undefined, into: HunkTarget): HunkPlace {
  const { target, text, added, name } = into;
  const { starts: all, how, count, isInside } = findContext(hunk, anchor, into);
  const starts = isInside ? all.filter(isInside) : all;
  const placeAt = (first: number): HunkPlace => ({
    first,
    how,
    lines: [first, first + count - 1],
    isEnd: false,
    alike: all,
  });
  if (starts.length === 0) {
    throw refusal(
      `${notFound(target, text, hunk.before.join('\n'), name)}\nNothing was written.${hintAtAdded(hunk.before, added)}`,
      { problem: `${name} was not found in ${target.shown}.` },
    );
  }
  if (how === 'blanks' && starts.length > 1) {
    throw refusal(
      `${name} is nowhere in ${target.shown} exactly, and but for blanks or look-alike characters it occurs ${starts.length} times${isInside ? ' in the block of its @@ line' : ''} (${linesText(starts)}). Nothing was written.`,
      { advice: 'Send its lines exactly as in the file.' },
    );
  }
  const free = withoutTaken(starts, count, into);
  // Some writers repeat the @@ line as the first context line.
  const below = free.filter((line) => line >= (anchor?.line ?? 0));
  if (anchor && below.length === 0) {
    throw refusal(
      `${name} was not found below line ${anchor.line} of ${target.shown}, which its @@ line names; it occurs above (${linesText(free)}). Nothing was written.`,
      { advice: 'Correct the @@ line.' },
    );
  }
  const last = text.lineCount - count + 1;
  if (hunk.atEnd) {
    if (below.includes(last)) return placeAt(last);
    throw refusal(
      `${name} says *** End of File, but its lines are not the last of ${target.shown}, which has ${counted(text.lineCount, 'line')}: they are at ${linesText(below)}. Nothing was written.`,
      { advice: 'Leave *** End of File out to change them there, or send the last lines of the file.' },
    );
  }
  if (anchor && free.length > 1) refuseOutside(free, anchor, into);
  const [only, ...others] = choose(below, anchor, into);
  if (only !== undefined && others.length === 0) return placeAt(only);
  const left = only === undefined ? below : [only, ...others];
  throw refusal(
    `${name} occurs ${left.length} times in ${target.shown} (${linesText(left)}), so it is not unique. Nothing was written.`,
    { advice: 'Add an @@ line that names what the place is in, or more lines of context.' },
  );
}

/** Where the block of the `@@` line has no such lines, one of several places elsewhere would be a guess. */
function refuseOutside(
  free: readonly number[],
  { line, others }: Anchor,
  { target, text, name, spend }: HunkTarget,
): void {
  const end = blockEnd(text, line, spend);
  if (others.length > 0 || end === line || free.some((start) => start >= line && start <= end)) return;
  throw refusal(
    `${name} has no place: the block of its @@ line (lines ${line} to ${end} of ${target.shown}) has no such lines, and they occur ${free.length} times outside of it (${linesText(free)}). Nothing was written.`,
    { advice: 'Correct the @@ line, or the lines of the hunk.' },
  );
}

/** The positions that earlier hunks leave unchanged. */
function withoutTaken(starts: readonly number[], count: number, into: HunkTarget): number[] {
  const { target, taken, name, spend } = into;
  if (taken.size === 0) return [...starts];
  spend(starts.length * count);
  let overlap: { line: number; other: string } | undefined;
  const free = starts.filter((start) => {
    for (let line = start; line < start + count; line += 1) {
      const other = taken.get(line);
      if (other === undefined) continue;
      overlap ??= { line, other };
      return false;
    }
    return true;
  });
  if (free.length > 0 || !overlap) return free;
  throw refusal(
    `${name} overlaps ${overlap.other}, which changes line ${overlap.line} of ${target.shown} already. Nothing was written.`,
    { advice: 'Merge them into one hunk.' },
  );
}

/** A model that thinks of the patched file sends lines that don't exist yet. */
function hintAtAdded(wanted: readonly string[], added: ReadonlySet<string>): string {
  const line = wanted.find((text) => text !== '' && added.has(text));
  if (line === undefined) return '';
  return `\nA hunk before adds ${JSON.stringify(line.slice(0, 80))}, but every hunk is looked for in the file as it is before the patch. Merge the two hunks into one.`;
}

type FoundContext = FoundLines & {
  count: number;
  /** Whether a position is in the block of the `@@` line; undefined if that does not decide. */
  isInside?: (start: number) => boolean;
};

/**
 * Searches the hunk's lines. A position inside the block that the `@@` line opens takes precedence over better matches
 * elsewhere, because that line says which block is meant.
 */
function findContext(hunk: Hunk, anchor: Anchor | undefined, into: HunkTarget): FoundContext {
  const anywhere = findGapless(hunk, into);
  if (!anchor || hunk.atEnd) return anywhere;
  const blocks = [anchor.line, ...anchor.others].map((line) => [line, blockEnd(into.text, line, into.spend)] as const);
  const isInside = (start: number): boolean =>
    !into.taken.has(start) && blocks.some(([first, last]) => first <= start && start <= last);
  // If the `@@` line is ambiguous, a position in one of the blocks is no better than an equal one elsewhere.
  if (blocks.length > 1 && anywhere.starts.some(isInside)) return anywhere;
  const inside = findGapless(hunk, into, isInside);
  return inside.starts.length > 0 ? { ...inside, isInside } : anywhere;
}

/** An empty line at the end of a hunk that has no match may be a gap in the patch. */
function findGapless(
  { before, changes }: Hunk,
  { finder }: HunkTarget,
  accepts?: (start: number) => boolean,
): FoundContext {
  const changed = changes.reduce((end, { at, removed }) => Math.max(end, at + removed.length), 1);
  let wanted = before;
  let found = finder.find(wanted, accepts);
  while (found.starts.length === 0 && wanted.length > changed && wanted.at(-1) === '') {
    wanted = wanted.slice(0, -1);
    found = finder.find(wanted, accepts);
  }
  return { ...found, count: wanted.length };
}

const MAX_LISTED = 20;

function linesText(lines: readonly number[]): string {
  const more = lines.length - MAX_LISTED;
  const listed = lines.slice(0, MAX_LISTED).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}
