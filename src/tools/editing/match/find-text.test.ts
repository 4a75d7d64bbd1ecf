import { expect, test } from 'vitest';
import { findText } from './find-text.js';
import { textLines } from './text-lines.js';

test('a text that is almost in a file of equal lines is not searched at each of them in full', () => {
  const text = textLines('a\n'.repeat(200_000));
  expect(findText(text, `${'a\n'.repeat(100_000)}y`, 1).matches).toEqual([]);
});

test('a text that occurs often in one long line is found there once', () => {
  const text = textLines(`first\n  ${'a b '.repeat(50_000)}\nlast\n`);
  const { matches, how } = findText(text, `first  \n  ${'a b '.repeat(50_000)}`, 1);
  expect(matches.map(({ lines }) => lines)).toEqual([[1, 2]]);
  expect(how).toBe('blanks');
});
