import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globFilter, globMatcher, globProblem } from './glob-matcher.js';

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
  ['src/**/*.ts', 'srca.ts', false],
  ['**/a.ts', 'a.ts', true],
  ['**/a.ts', 'b/a.ts', true],
  ['**/a.ts', 'ba.ts', false],
  ['docs/**', 'docs/a/b', true],
  ['docs/**', 'docs', false],
  ['**', 'a', true],
  ['a/**/b/**/c', 'a/b/c', true],
  ['a/**/b/**/c', 'a/x/y/b/z/c', true],
  ['a/**/b/**/c', 'a/x/c', false],
  ['a/x**z', 'a/xyz', true],
  ['a/x**z', 'a/x/y/z', false],
  ['**/**/a', 'a', true],
  ['**/**/a', 'b/c/a', true],
  ['a/**/**', 'a/b', true],
  ['*.{t{s,sx},js}', 'a.tsx', true],
  ['{src,test/{a,b}}/*.ts', 'test/b/c.ts', true],
  ['{src,test/{a,b}}/*.ts', 'test/c.ts', false],
  ['{**/x,y}', 'a/b/x', true],
  ['\\*.ts', '*.ts', true],
  ['\\*.ts', 'a.ts', false],
  ['\\[id\\].ts', '[id].ts', true],
  ['[^ab].c', 'x.c', true],
  ['[^ab].c', 'a.c', false],
  ['[]a]', ']', true],
  ['[!]]x', 'ax', true],
  ['/src', 'src', true],
  ['./src/a', 'src/a', true],
  ['*.{js,ts}', 'a.ts', true],
  ['*.{js,ts}', 'a.tsx', false],
  ['{a*,b?}.{c,d}', 'b1.d', true],
  ['{a*,b?}.{c,d}', 'b12.d', false],
  ['x{,y}', 'x', true],
  ['{a,b', '{a,b', true],
  ['[ab].c', 'b.c', true],
  ['[!ab].c', 'b.c', false],
  ['[!ab].c', 'x.c', true],
  ['[a-c]x', 'bx', true],
  ['[a-c]x', 'dx', false],
  ['[a-]', '-', true],
  ['[z-a]', '[z-a]', true],
  ['[z-a]', 'm', false],
  ['[!z-a]', '[!z-a]', true],
  ['[]', '[]', true],
  ['[\\d]', '\\', true],
  ['[\\d]', '7', false],
  ['a[!x]b/c', 'a/b/c', false],
  ['a?c', 'abc', true],
  ['a?c', 'a👍c', true],
  ['[👍-👏]', '👎', true],
  ['x/a?c', 'x/a/c', false],
  ['a.c', 'abc', false],
  ['a+(b)', 'a+(b)', true],
  ['[', '[', true],
  ['*', 'two\nlines', true],
  ['', '', true],
])('glob %s on %s: %s', (glob, path, matches) => {
  expect(globMatcher([glob])(path)).toBe(matches);
});

test('matches nothing without a glob', () => {
  expect(globMatcher([])('a')).toBe(false);
});

test.each([
  ['*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(60)],
  [`${'**/'.repeat(40)}b`, 'a/'.repeat(60)],
  [`${'{a,a,*}'.repeat(28)}b`, 'a'.repeat(60)],
  [`${'**a'.repeat(60)}/b`, 'a'.repeat(250)],
])('decides at once that %s does not match, however many combinations there are', (glob, path) => {
  expect(globMatcher([glob])(path)).toBe(false);
});

test('follows the definition of stars and question marks', () => {
  const meansMatch = (glob: string, name: string): boolean => {
    const [first, ...rest] = glob;
    if (first === undefined) return name === '';
    const after = rest.join('');
    if (first === '*') return meansMatch(after, name) || (name !== '' && meansMatch(glob, name.slice(1)));
    return name !== '' && (first === '?' || first === name[0]) && meansMatch(after, name.slice(1));
  };
  const text = (...letters: string[]) =>
    fc.array(fc.constantFrom(...letters), { maxLength: 7 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text('a', 'b', '*', '?'), text('a', 'b'), (glob, name) => {
      expect(globMatcher([glob])(name)).toBe(meansMatch(glob, name));
    }),
    { numRuns: 2_000 },
  );
});

test('the regular expression and the step-by-step matcher agree', () => {
  const text = fc.array(fc.constantFrom(...'ab[]{}!-,*?/\\.^'), { maxLength: 8 }).map((all) => all.join(''));
  const path = fc.array(fc.constantFrom(...'ab/.'), { maxLength: 6 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, path, (glob, path) => {
      // More repetitions than an expression is trusted with, in an alternative that never matches.
      expect(globMatcher([`{${glob},\\0/***\\0*\\0*}`])(path)).toBe(globMatcher([`{${glob},\\0/\\0\\0}`])(path));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [['*.ts', '!*.test.ts'], 'src/a.ts', true],
  [['*.ts', '!*.test.ts'], 'src/a.test.ts', false],
  [['!*.test.ts', '*.ts'], 'src/a.test.ts', true],
  [['*.ts', '!src'], 'src/deep/a.ts', false],
  [['!src'], 'src/deep/a.ts', false],
  [['!src'], 'other/a.ts', true],
  [['src'], 'src/a.ts', false],
  [[], 'a', true],
])('of the globs %j, the last that matches decides about %s: %s', (globs, path, isWanted) => {
  expect(globFilter(globs)(path)).toBe(isWanted);
});

test.each([
  ['*.{js,ts}', undefined],
  ['[]a]', undefined],
  ['a[', /unclosed character class/],
  ['[z-a]', /invalid range in \[z-a\]/],
  ['{a,b', /unclosed alternate/],
  ['a}', /unopened alternate/],
  ['a\\', /dangling/],
])('reports the problem with the glob %s', (glob, problem) => {
  const found = globProblem(glob);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

test('accepts any text as a glob', () => {
  const text = fc.array(fc.constantFrom(...'a[]{}!-,*?/\\^z')).map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (glob, path) => {
      expect(typeof globMatcher([glob])(path)).toBe('boolean');
    }),
    { numRuns: 2_000 },
  );
});
