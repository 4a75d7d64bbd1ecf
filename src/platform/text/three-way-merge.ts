import { diffArrays } from 'diff';
import { countLines, forEachEnding } from './line-endings.js';

const MAX_LINES = 2_000_000; // of the three texts together; more would take gigabytes as a list of lines
const MAX_CHANGED_LINES = 3_000; // the time to compare grows quadratically: this many take about half a second

/** Lines of a text, 1-based and inclusive. For an empty range, `last` is one less than `first`. */
export type LineRange = readonly [first: number, last: number];

export interface MergeConflict {
  oursLines: LineRange;
  theirsLines: LineRange;
  baseLines: LineRange;
}

export interface MergedText {
  /** Both sets of changes merged; for a conflict, both versions between markers. */
  text: string;
  conflicts: MergeConflict[];
  /** Lines of `text` that came from theirs alone. A mere deletion in theirs has no lines. */
  theirHunks: LineRange[];
  /**
   * False if too much changed for a comparison line by line: a side's changes then count as one from its first to its
   * last, so a conflict may be larger than necessary. The merge is still correct.
   */
  exact: boolean;
}

/**
 * Merges the changes from base to ours and from base to theirs. A line is its text with its unmodified ending.
 * Changes to the same or to adjacent lines conflict, unless both sides made the same change.
 */
export function mergeThreeWay(
  base: string,
  ours: string,
  theirs: string,
  labels: { ours: string; theirs: string } = { ours: 'yours', theirs: 'on disk' },
): MergedText {
  if (ours === theirs || theirs === base) return { text: ours, conflicts: [], theirHunks: [], exact: true };
  const ending = markerEnding([ours, theirs, base]);
  const merged = mergedText({ ours: `<<<<<<< ${labels.ours}`, theirs: `>>>>>>> ${labels.theirs}`, ending });

  const counts = [base, ours, theirs].map(countLines);
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_LINES) {
    const [baseCount = 0, oursCount = 0, theirsCount = 0] = counts;
    if (ours === base) merged.addTheirs([theirs], theirsCount);
    else {
      merged.addConflict([ours], [theirs], {
        baseLines: [1, baseCount],
        oursLines: [1, oursCount],
        theirsLines: [1, theirsCount],
      });
    }
    return { ...merged.result(), exact: false };
  }

  const baseLines = splitLines(base);
  const oursLines = splitLines(ours);
  const theirsLines = splitLines(theirs);
  const number = lineNumbers();
  const baseNumbers = baseLines.map(number);
  const oursDiff = compare(baseNumbers, oursLines.map(number));
  const theirsDiff = compare(baseNumbers, theirsLines.map(number));

  let copied = 0; // lines of base that are in the result or were replaced
  for (const region of regions(oursDiff.changes, theirsDiff.changes)) {
    merged.addSettled(baseLines.slice(copied, region.base.start));
    copied = region.base.end;
    const fromOurs = oursLines.slice(region.ours.start, region.ours.end);
    const fromTheirs = theirsLines.slice(region.theirs.start, region.theirs.end);
    if (region.changedBy === 'theirs') merged.addTheirs(fromTheirs, fromTheirs.length);
    else if (region.changedBy === 'ours' || sameLines(fromOurs, fromTheirs)) merged.addSettled(fromOurs);
    else {
      merged.addConflict(fromOurs, fromTheirs, {
        oursLines: lineRange(region.ours),
        theirsLines: lineRange(region.theirs),
        baseLines: lineRange(region.base),
      });
    }
  }
  merged.addSettled(baseLines.slice(copied));
  return { ...merged.result(), exact: oursDiff.exact && theirsDiff.exact };
}

/** The lines of a text that differ from another, and their counterparts in it. */
export function changedLines(before: string, after: string): Array<{ before: LineRange; after: LineRange }> {
  const counts = { before: countLines(before), after: countLines(after) };
  if (counts.before + counts.after > MAX_LINES) return [{ before: [1, counts.before], after: [1, counts.after] }];
  const number = lineNumbers();
  const { changes } = compare(splitLines(before).map(number), splitLines(after).map(number));
  return changes.map(({ base, other }) => ({ before: lineRange(base), after: lineRange(other) }));
}

/** From `start` up to, not including, `end`; 0-based. */
interface Span {
  start: number;
  end: number;
}

/** One replacement on the way from base to another text. */
interface Change {
  base: Span;
  other: Span;
}

interface Region {
  base: Span;
  ours: Span;
  theirs: Span;
  changedBy: 'ours' | 'theirs' | 'both';
}

const lineRange = ({ start, end }: Span): LineRange => [start + 1, end];

const sameLines = (first: readonly string[], second: readonly string[]): boolean =>
  first.length === second.length && first.every((line, index) => line === second[index]);

/**
 * A line that ends in a single \r, followed by a line that is only \n, would look like one \r\n; so \r counts as an
 * ending only in texts without \n.
 */
function markerEnding(texts: readonly string[]): string {
  if (!texts.some((text) => text.includes('\n'))) return texts.some((text) => text.includes('\r')) ? '\r' : '\n';
  for (const text of texts) {
    const feed = text.indexOf('\n');
    if (feed !== -1) return text[feed - 1] === '\r' ? '\r\n' : '\n';
  }
  return '\n';
}

function splitLines(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  forEachEnding(text, (_, end) => {
    lines.push(text.slice(from, end));
    from = end;
  });
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/** Maps equal lines to equal numbers, which are compared in constant time. */
function lineNumbers(): (line: string) => number {
  const known = new Map<string, number>();
  return (line) => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  };
}

function compare(base: readonly number[], other: readonly number[]): { changes: Change[]; exact: boolean } {
  const shorter = Math.min(base.length, other.length);
  let same = 0;
  while (same < shorter && base[same] === other[same]) same += 1;
  let alike = 0;
  while (alike < shorter - same && base[base.length - 1 - alike] === other[other.length - 1 - alike]) alike += 1;

  const changedBase = base.slice(same, base.length - alike);
  const changedOther = other.slice(same, other.length - alike);
  if (changedBase.length === 0 && changedOther.length === 0) return { changes: [], exact: true };
  const parts = diffArrays(changedBase, changedOther, { maxEditLength: MAX_CHANGED_LINES });
  if (!parts) {
    const whole = {
      base: { start: same, end: base.length - alike },
      other: { start: same, end: other.length - alike },
    };
    return { changes: [whole], exact: false };
  }

  const changes: Change[] = [];
  let open: Change | undefined;
  let [basePlace, otherPlace] = [same, same];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) open = undefined;
    else if (!open) {
      open = { base: { start: basePlace, end: basePlace }, other: { start: otherPlace, end: otherPlace } };
      changes.push(open);
    }
    if (!added) basePlace += count;
    if (!removed) otherPlace += count;
    if (open) {
      open.base.end = basePlace;
      open.other.end = otherPlace;
    }
  }
  return { changes, exact: true };
}

/** The changed parts of base, in order. Changes that overlap or touch form one region. */
function* regions(ours: readonly Change[], theirs: readonly Change[]): Generator<Region> {
  let [nextOurs, nextTheirs] = [0, 0];
  let [oursShift, theirsShift] = [0, 0]; // how far a side is ahead of base after its changes so far
  for (;;) {
    const first = Math.min(
      ours[nextOurs]?.base.start ?? Number.POSITIVE_INFINITY,
      theirs[nextTheirs]?.base.start ?? Number.POSITIVE_INFINITY,
    );
    if (first === Number.POSITIVE_INFINITY) return;
    const base = { start: first, end: first };
    const before = { ours: first + oursShift, theirs: first + theirsShift, nextOurs, nextTheirs };
    for (;;) {
      const our = ours[nextOurs];
      const their = theirs[nextTheirs];
      if (our && our.base.start <= base.end) {
        base.end = Math.max(base.end, our.base.end);
        oursShift = our.other.end - our.base.end;
        nextOurs += 1;
      } else if (their && their.base.start <= base.end) {
        base.end = Math.max(base.end, their.base.end);
        theirsShift = their.other.end - their.base.end;
        nextTheirs += 1;
      } else break;
    }
    yield {
      base,
      ours: { start: before.ours, end: base.end + oursShift },
      theirs: { start: before.theirs, end: base.end + theirsShift },
      changedBy: nextTheirs === before.nextTheirs ? 'ours' : nextOurs === before.nextOurs ? 'theirs' : 'both',
    };
  }
}

/** Assembles the result, counting its lines. */
function mergedText(markers: { ours: string; theirs: string; ending: string }) {
  const parts: string[] = [];
  const conflicts: MergeConflict[] = [];
  const theirHunks: LineRange[] = [];
  let lines = 0;

  const add = (added: readonly string[], count: number): void => {
    for (const part of added) parts.push(part);
    lines += count;
  };
  const addMarker = (marker: string): void => {
    const before = parts.at(-1);
    if (before && !/[\r\n]$/.test(before)) parts.push(markers.ending);
    add([marker + markers.ending], 1);
  };
  return {
    addSettled: (added: readonly string[]): void => add(added, added.length),
    addTheirs(added: readonly string[], count: number): void {
      if (count > 0) theirHunks.push([lines + 1, lines + count]);
      add(added, count);
    },
    addConflict(ours: readonly string[], theirs: readonly string[], conflict: MergeConflict): void {
      addMarker(markers.ours);
      add(ours, conflict.oursLines[1] - conflict.oursLines[0] + 1);
      addMarker('=======');
      add(theirs, conflict.theirsLines[1] - conflict.theirsLines[0] + 1);
      addMarker(markers.theirs);
      conflicts.push(conflict);
    },
    result: () => ({ text: parts.join(''), conflicts, theirHunks }),
  };
}
