import { expect, test } from 'vitest';
import { grouped } from './digits.js';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [30_000, '30,000'],
  [1_234_567, '1,234,567'],
])('%i is written as %s', (count, text) => {
  expect(grouped(count)).toBe(text);
});
