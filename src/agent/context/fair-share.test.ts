import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fairShare } from './fair-share.js';

test('grants small demands in full, and large ones equal shares', () => {
  expect(fairShare([10, 20, 1000, 5000], 1030)).toBe(500);
  expect(fairShare([10, 20], 30)).toBe(Number.POSITIVE_INFINITY);
  expect(fairShare([], 0)).toBe(Number.POSITIVE_INFINITY);
  expect(fairShare([5], -3)).toBe(0);
});

test('never grants more than there is, and leaves nothing over while a demand is open', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000)), fc.nat(5000), (wishes, budget) => {
      const share = fairShare(wishes, budget);
      const given = wishes.map((wish) => Math.min(wish, share)).reduce((sum, part) => sum + part, 0);
      const wanted = wishes.reduce((sum, wish) => sum + wish, 0);
      expect(given).toBeCloseTo(Math.min(budget, wanted), 5);
    }),
  );
});
