import { expect, test } from 'vitest';
import { clause, errorClause } from './clause.js';

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
