import { expect, test } from 'vitest';
import { findImports, withoutEnding } from './find-imports.js';

test.each([
  ['@a.md', ['a.md']],
  ['See @docs/a.md and\n@~/b.md.', ['docs/a.md', '~/b.md.']],
  ['- @a\\ b.md', ['a b.md']],
  ['me@example.com, (@c.md)', []],
  ['`@a.md` @b.md', ['b.md']],
  ['``@a.md ` @b.md`` @c.md', ['c.md']],
  ['an open ` tick @a.md', ['a.md']],
  ['an open ` tick\n\n@a.md and ` again', ['a.md']],
  ['```\n@a.md\n```\n@b.md', ['b.md']],
  ['~~~ts\n@a.md\n```\n@b.md\n~~~\n@c.md', ['c.md']],
  ['````\n```\n@a.md\n````\n@b.md', ['b.md']],
  ['```\n@a.md, never closed', []],
  ['@a.md @a.md', ['a.md']],
])('finds the imports in %j: %j', (text, imports) => {
  expect(findImports(text)).toEqual(imports);
});

test('punctuation at the end of a sentence is not part of the path', () => {
  expect(['a.md.', 'a.md),', '**a.md**', 'a.md'].map(withoutEnding)).toEqual(['a.md', 'a.md', '**a.md', 'a.md']);
});

test('reads a long text of only backticks and signs quickly', () => {
  expect(findImports('`'.repeat(20_000) + ' @'.repeat(20_000) + '` `` '.repeat(10_000))).toEqual([]);
});
