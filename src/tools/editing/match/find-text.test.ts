import { expect, test } from 'vitest';
import { findText } from './find-text.js';
import { textLines } from './text-lines.js';

test('a near match in a file of equal lines is not compared in full at each line', () => {
  const text = textLines('a\n'.repeat(200_000));
  expect(findText(text, `${'a\n'.repeat(100_000)}y`, 1).matches).toEqual([]);
});

test('several matches in one long line count as one passage', () => {
  const text = textLines(`first\n  ${'a b '.repeat(50_000)}\nlast\n`);
  const { matches, how } = findText(text, `first  \n  ${'a b '.repeat(50_000)}`, 1);
  expect(matches.map(({ lines }) => lines)).toEqual([[1, 2]]);
  expect(how).toBe('blanks');
});
