import { expect, test } from 'vitest';
import { table } from './table.js';

test('columns are aligned', () => {
  expect(
    table([
      ['a', 'one'],
      ['bcd', 'two'],
    ]),
  ).toEqual(['  a    one', '  bcd  two']);
});

test('the last column is wrapped at words, below its own beginning', () => {
  const rows = [['Read', 'Read a file from the disk, or a part of it.']];
  expect(table(rows, { indent: '', width: 30 })).toEqual([
    'Read  Read a file from the',
    '      disk, or a part of it.',
  ]);
});
