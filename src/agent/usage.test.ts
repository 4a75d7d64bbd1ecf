import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf } from './usage.js';

const prices = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

test('a million tokens of each kind cost the listed prices', () => {
  const usage = {
    input_tokens: 1e6,
    output_tokens: 1e6,
    cache_read_input_tokens: 1e6,
    cache_creation_input_tokens: 1e6,
  };
  expect(costOf(usage, prices)).toBeCloseTo(7.35, 10);
  expect(costOf(usage, { input: 1, output: 5 })).toBe(8);
});

test('a negative token count, which some servers report, does not reduce the cost', () => {
  const count = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(count, count, count, count, (input, output, read, written) => {
      const usage = (least: number) => ({
        input_tokens: Math.max(least, input),
        output_tokens: Math.max(least, output),
        cache_read_input_tokens: Math.max(least, read),
        cache_creation_input_tokens: Math.max(least, written),
      });
      expect(costOf(usage(Number.NEGATIVE_INFINITY), prices)).toBe(costOf(usage(0), prices));
    }),
  );
});
