import { expect, test } from 'vitest';
import { clause, errorClause, summaryOf } from './clause.js';

test.each([
  ['it is full', 'it is full'],
  ['it is full.', 'it is full'],
  ['It is full. Make room.\n', 'It is full. Make room'],
  ['and so on...', 'and so on...'],
  ['is it?', 'is it?'],
  ['.', ''],
])('%j inside a sentence is %j', (text, inside) => {
  expect(clause(text)).toBe(inside);
});

test('an error inside a sentence is its message', () => {
  expect(errorClause(new Error('The folder is read-only.'))).toBe('The folder is read-only');
  expect(errorClause('gone')).toBe('gone');
});

test.each([
  [{ about: 'Reads a file.', description: 'Read a file. Use it first.' }, 'Reads a file.'],
  [{ about: 'Reads a file. Or two.\nMore', description: '' }, 'Reads a file. Or two.'],
  [{ description: 'Read a file, e.g.x. Use it first.\nMore.' }, 'Read a file, e.g.x.'],
  [{ description: '\nRead a file\nUse it first.' }, 'Read a file'],
  [{ description: '' }, ''],
])('a list says of %j: %j', (of, summary) => {
  expect(summaryOf(of)).toBe(summary);
});
