import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedPatch } from '../../platform/text/diff.js';
import { Theme } from '../screen/theme.js';
import { DiffView } from './diff-view.js';

const none = new Theme({ name: 'none', depth: 'many' });
const numbers = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
const changed = numbers.with(6, 'line seven').with(7, 'line eight');
const patch = unifiedPatch('a.txt', numbers.join('\n'), changed.join('\n'));

const drawn = (text: string, width: number, theme = none): string[] =>
  new DiffView(theme, { patch: text }).render(width);

test.each([40, 80, 120])('draws both numbers of each line at %i columns', (width) => {
  expect(drawn(patch, width)).toEqual([
    ' 4  4   line 4',
    ' 5  5   line 5',
    ' 6  6   line 6',
    ' 7    - line 7',
    ' 8    - line 8',
    '    7 + line seven',
    '    8 + line eight',
    ' 9  9   line 9',
    '10 10   line 10',
    '11 11   line 11',
  ]);
});

test('draws before and after side by side if there is space', () => {
  const lines = drawn(patch, 140);
  const half = 68;
  expect(lines[0]).toBe(`${' 4   line 4'.padEnd(half)} │  4   line 4`);
  expect(lines[3]).toBe(`${' 7 - line 7'.padEnd(half)} │  7 + line seven`);
  expect(lines).toHaveLength(8);
});

test('draws a new file in one column at any width', () => {
  expect(drawn(unifiedPatch('a', '', 'one\ntwo\n'), 160)).toEqual(['  1 + one', '  2 + two']);
});

test('highlights the difference within a line', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const [before = '', after = ''] = drawn('@@ -1 +1 @@\n-const a = 1;\n+const a = 22;', 80, theme);
  expect(before).toContain(theme.paint.removedPart('1'));
  expect(after).toContain(theme.paint.addedPart('22'));
});

test('highlights nothing if two lines have little in common', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  expect(drawn('@@ -1 +1 @@\n-import a from "b";\n+export function x() {', 80, theme).join('')).not.toContain('48;5');
});

test('separates hunks, and marks a missing line feed', () => {
  const text =
    '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -40,1 +40,1 @@ function f()\n-c\n+d';
  expect(drawn(text, 40)).toEqual([
    ' 1    - a',
    '    1 + b',
    'No newline at end of file',
    '⋯ function f()',
    '40    - c',
    '   40 + d',
  ]);
});

test('treats a removed line that looks like a header as a line', () => {
  expect(drawn('--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-- old\n--- older\n+new', 40)).toEqual([
    '1   - - old',
    '2   - -- older',
    '  1 + new',
  ]);
});

test('draws a patch of another format, and a sentence instead of one', () => {
  expect(drawn('*** Begin Patch\n*** Update File: a\n@@ def f():\n-x\n+y', 40)).toEqual([
    '*** Begin Patch',
    '*** Update File: a',
    '⋯ def f():',
    '- x',
    '+ y',
  ]);
  expect(drawn('(only line endings changed)', 20)).toEqual(['(only line endings', 'changed)']);
});

test('shows escapes and hidden characters of a file, and wraps long lines under their text', () => {
  expect(drawn('@@ -0,0 +1 @@\n+\u001b[2J\u202e\u200b', 60)).toEqual(['  1 + \\u001b[2J\\u202e\\u{200b}']);
  expect(drawn(`@@ -0,0 +1 @@\n+${'abcdefghij'.repeat(5)}`, 40)).toEqual([
    '  1 + abcdefghijabcdefghijabcdefghijabcd',
    '      efghijabcdefghij',
  ]);
});

test('fits any patch into the width', () => {
  const line = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(line), fc.array(line), fc.constantFrom(40, 80, 120, 160), (before, after, width) => {
      for (const each of drawn(unifiedPatch('x', before.join('\n'), after.join('\n')), width)) {
        expect(visibleWidth(each)).toBeLessThanOrEqual(width);
      }
    }),
  );
});
