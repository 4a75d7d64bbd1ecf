import { expect, test } from 'vitest';
import { afterChanges, covers, joinRanges } from './line-ranges.js';

test('joins ranges that overlap or touch, and no others', () => {
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

test('covers a passage that lies in two ranges which touch', () => {
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

test('moves what was seen below a change with it', () => {
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
