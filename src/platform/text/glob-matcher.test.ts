import { expect, test } from 'vitest';
import { globMatcher } from './glob-matcher.js';

test.each([
  ['*.log', 'a.log', true],
  ['*.log', 'deep/down/a.log', true],
  ['*.log', 'a.logs', false],
  ['dist', 'packages/a/dist', true],
  ['dist/', 'dist', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/deep/down/a.ts', true],
  ['**/a.ts', 'a.ts', true],
  ['**/a.ts', 'b/a.ts', true],
  ['docs/**', 'docs/a/b', true],
  ['*.{js,ts}', 'a.ts', true],
  ['*.{js,ts}', 'a.tsx', false],
  ['[ab].c', 'b.c', true],
  ['[!ab].c', 'b.c', false],
  ['a?c', 'abc', true],
  ['a.c', 'abc', false],
  ['a+(b)', 'a+(b)', true],
  ['[', '[', true],
])('glob %s on %s: %s', (glob, path, matches) => {
  expect(globMatcher([glob])(path)).toBe(matches);
});

test('matches nothing without a glob', () => {
  expect(globMatcher([])('a')).toBe(false);
});
