import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedLines } from '../../../platform/text/three-way-merge.js';
import { afterChanges, covers, joinRanges, type LineRange, withoutRanges } from './line-ranges.js';

test('merges ranges that overlap or are adjacent, and no others', () => {
  expect(
    joinRanges([
      [8, 9],
      [1, 3],
      [4, 5],
      [2, 2],
    ]),
  ).toEqual([
    [1, 5],
    [8, 9],
  ]);
});

test('two adjacent ranges cover a passage that spans both', () => {
  expect(
    covers(
      [
        [1, 3],
        [4, 6],
      ],
      [2, 5],
    ),
  ).toBe(true);
  expect(
    covers(
      [
        [1, 3],
        [5, 6],
      ],
      [2, 5],
    ),
  ).toBe(false);
  expect(covers('all', [1, 1_000])).toBe(true);
});

test('lines seen below a change move with it', () => {
  expect(
    afterChanges(
      [
        [1, 10],
        [20, 30],
      ],
      [{ lines: [5, 5], added: 2 }],
    ),
  ).toEqual([
    [1, 12],
    [22, 32],
  ]);
  expect(
    afterChanges(
      [
        [1, 10],
        [20, 30],
      ],
      [{ lines: [5, 7], added: -2 }],
    ),
  ).toEqual([
    [1, 8],
    [18, 28],
  ]);
});

test('removes holes from ranges, and ignores empty holes', () => {
  const ranges: LineRange[] = [
    [1, 10],
    [20, 30],
  ];
  const holes: LineRange[] = [
    [3, 4],
    [6, 5],
    [9, 22],
    [30, 30],
  ];
  expect(withoutRanges(ranges, holes)).toEqual([
    [1, 2],
    [5, 8],
    [23, 29],
  ]);
});

test('after changes by another program, only lines that were seen count as seen', () => {
  const place = fc.nat({ max: 20 });
  const change = fc.record({ at: place, removed: fc.nat({ max: 4 }), added: fc.nat({ max: 4 }) });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 4 }),
      fc.array(fc.tuple(place, place), { maxLength: 3 }),
      (changes, spans) => {
        const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
        const after = [...before];
        for (const [index, { at, removed, added }] of changes.entries()) {
          after.splice(at, removed, ...Array.from({ length: added }, (_, number) => `new ${index} ${number}`));
        }
        const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
        const seen = spans.map(([one, other]): LineRange => [Math.min(one, other) + 1, Math.max(one, other)]);
        const wasSeen = new Set(seen.flatMap(([first, last]) => before.slice(first - 1, last)));
        const found = changedLines(text(before), text(after));
        const moved = afterChanges(
          seen,
          found.map((one) => ({
            lines: one.before,
            added: one.after[1] - one.after[0] - (one.before[1] - one.before[0]),
          })),
        );
        const known = withoutRanges(
          moved === 'all' ? [] : moved,
          found.map((one) => one.after),
        );
        for (const [first, last] of known) {
          for (const line of after.slice(first - 1, last)) expect(wasSeen).toContain(line);
        }
      },
    ),
  );
});
