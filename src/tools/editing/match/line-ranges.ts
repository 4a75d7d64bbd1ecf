import type { SeenFile } from '../../../contract/tool-context.js';
import type { LineRange } from '../../../platform/text/three-way-merge.js';

export type { LineRange };

/** Sorted, with adjacent ranges merged. */
export function joinRanges(ranges: readonly LineRange[]): LineRange[] {
  const joined: Array<[number, number]> = [];
  for (const [first, last] of [...ranges].sort(([one], [other]) => one - other)) {
    const previous = joined.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

export function covers(seen: SeenFile['lines'], [first, last]: LineRange): boolean {
  return seen === 'all' || joinRanges(seen).some(([from, to]) => from <= first && last <= to);
}

/** The ranges without the holes, which are sorted and may be empty. */
export function withoutRanges(ranges: readonly LineRange[], holes: readonly LineRange[]): LineRange[] {
  const left: LineRange[] = [];
  for (const [first, last] of ranges) {
    let from = first;
    for (const [start, end] of holes) {
      if (end < start || end < from) continue;
      if (start > last) break;
      if (start > from) left.push([from, start - 1]);
      from = end + 1;
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

/** A passage that was replaced by one with `added` more lines, or fewer. */
export interface LineChange {
  lines: LineRange;
  added: number;
}

/** The lines seen, renumbered after changes inside of them. */
export function afterChanges(seen: SeenFile['lines'], changes: readonly LineChange[]): SeenFile['lines'] {
  if (seen === 'all') return 'all';
  const total = (isBefore: (change: LineChange) => boolean): number =>
    changes.filter(isBefore).reduce((sum, { added }) => sum + added, 0);
  const moved = seen.map(
    ([first, last]): LineRange => [
      first + total(({ lines }) => lines[1] < first),
      last + total(({ lines }) => lines[0] <= last),
    ],
  );
  return joinRanges(moved.filter(([first, last]) => first <= last));
}
