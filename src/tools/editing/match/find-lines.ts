import { once } from '../../../platform/lazy.js';
import type { Found } from './find-text.js';
import { foldLookAlikes } from './look-alikes.js';
import { fallbacksOf, foldQuotes } from './search-text.js';
import type { TextLines } from './text-lines.js';

export interface FoundLines {
  /** The first line of each match, in order; matches may overlap. */
  starts: number[];
  /** `blanks`: except for whitespace around lines, or for look-alike characters. */
  how: Extract<Found['how'], 'exact' | 'quotes' | 'blanks'>;
}

/** Finds lines in a text repeatedly, without scanning all of it each time. */
export interface LineFinder {
  /**
   * Where the lines occur, whole and consecutive: first exactly, then with straight quotes for typographic ones, then
   * without trailing whitespace, without surrounding whitespace, and with look-alike characters made plain. Line
   * endings are ignored. With `accepts`, only matches that it accepts count.
   */
  find(wanted: readonly string[], accepts?: (start: number) => boolean): FoundLines;
  /** The lines that equal this one, ignoring surrounding whitespace. */
  findReading(wanted: string): FoundLines;
}

/** Only lines in `sought` can be found; `spend` is called with the number of lines compared. */
export function lineFinder(text: TextLines, sought: ReadonlySet<string>, spend: (lines: number) => void): LineFinder {
  const indexBy = (read: (line: string) => string): (() => LineIndex) => once(() => indexLines(text, sought, read));
  const exact = indexBy((line) => line);
  const folded = indexBy(foldQuotes);
  const trimmed = indexBy((line) => line.trim());
  const trimmedAndFolded = indexBy((line) => foldQuotes(line.trim()));

  const withoutEnds = indexBy((line) => line.trimEnd());
  const plain = indexBy((line) => foldLookAlikes(line).trim());

  type Step = readonly [() => LineIndex, FoundLines['how']];
  const search = (
    wanted: readonly string[],
    steps: readonly Step[],
    accepts: (start: number) => boolean = () => true,
  ): FoundLines => {
    for (const [index, how] of steps) {
      const starts = index().search(wanted, spend);
      if (starts.some(accepts)) return { starts, how };
    }
    return { starts: [], how: 'exact' };
  };
  const whole: readonly Step[] = [
    [exact, 'exact'],
    [folded, 'quotes'],
    [withoutEnds, 'blanks'],
    [trimmed, 'blanks'],
    [plain, 'blanks'],
  ];
  const reading: readonly Step[] = [
    [trimmed, 'exact'],
    [trimmedAndFolded, 'quotes'],
    [plain, 'blanks'],
  ];
  return {
    find: (wanted, accepts) => search(wanted, whole, accepts),
    findReading: (wanted) => search([wanted], reading),
  };
}

interface LineIndex {
  search(wanted: readonly string[], spend: (lines: number) => void): number[];
}

/**
 * Assigns numbers to the sought lines, so that lines are compared as numbers. All others are 0: a text may be much
 * longer than what is sought in it.
 */
function indexLines(text: TextLines, sought: ReadonlySet<string>, read: (line: string) => string): LineIndex {
  const ids = new Map<string, number>();
  for (const line of sought) {
    const key = read(line);
    if (!ids.has(key)) ids.set(key, ids.size + 1);
  }
  const lines = new Uint32Array(text.lineCount);
  const ends = new Uint32Array(ids.size + 1); // where the positions of each number end in `places`
  for (let at = 0; at < lines.length; at += 1) {
    const id = ids.get(read(text.line(at + 1))) ?? 0;
    lines[at] = id;
    if (id > 0) ends[id] = (ends[id] ?? 0) + 1;
  }
  for (let id = 1; id < ends.length; id += 1) ends[id] = (ends[id] ?? 0) + (ends[id - 1] ?? 0);
  const places = new Uint32Array(ends.at(-1) ?? 0);
  const next = Uint32Array.from(ends.subarray(0, -1)); // the positions of a number start where those of the one before end
  for (let at = 0; at < lines.length; at += 1) {
    const id = lines[at] ?? 0;
    if (id === 0) continue;
    places[next[id - 1] ?? 0] = at;
    next[id - 1] = (next[id - 1] ?? 0) + 1;
  }
  const placesOf = (id: number): Uint32Array => places.subarray(ends[id - 1], ends[id]);

  return {
    search(wanted, spend) {
      const needle = Uint32Array.from(wanted, (line) => ids.get(read(line)) ?? 0);
      if (needle.length === 0 || needle.includes(0)) return [];
      const counts = Array.from(needle, (id) => placesOf(id).length);
      const rarest = counts.reduce((best, count, at) => (count < (counts[best] ?? 0) ? at : best), 0);
      const candidates = placesOf(needle[rarest] ?? 0);
      // If even the rarest line is frequent, scanning the whole text once is no slower.
      if (candidates.length * needle.length > lines.length) {
        spend(lines.length + needle.length);
        return searchAll(lines, needle);
      }
      spend((candidates.length + 1) * needle.length);
      const starts: number[] = [];
      for (const candidate of candidates) {
        const start = candidate - rarest;
        if (start >= 0 && standsAt(lines, needle, start)) starts.push(start + 1);
      }
      return starts;
    },
  };
}

function standsAt(lines: Uint32Array, needle: Uint32Array, start: number): boolean {
  for (let at = 0; at < needle.length; at += 1) if (lines[start + at] !== needle[at]) return false;
  return true;
}

/** Knuth-Morris-Pratt: scans the lines once, so that a file of equal lines takes no longer than any other. */
function searchAll(lines: Uint32Array, needle: Uint32Array): number[] {
  const starts: number[] = [];
  const fallback = fallbacksOf(needle);
  let matched = 0;
  for (let at = 0; at < lines.length; at += 1) {
    while (matched > 0 && needle[matched] !== lines[at]) matched = fallback[matched - 1] ?? 0;
    if (needle[matched] === lines[at]) matched += 1;
    if (matched < needle.length) continue;
    starts.push(at - needle.length + 2);
    matched = fallback[matched - 1] ?? 0;
  }
  return starts;
}
