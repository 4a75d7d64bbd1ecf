import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchCounts } from '../../display/patch-rows.js';
import { unifiedPatch } from '../../platform/text/diff.js';
import { Theme } from '../screen/theme.js';
import { DiffView } from './diff-view.js';

const none = new Theme({ name: 'none', depth: 'many' });
const numbers = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
const changed = numbers.with(6, 'line seven').with(7, 'line eight');
const patch = unifiedPatch('a.txt', numbers.join('\n'), changed.join('\n'));

const drawn = (text: string, width: number, theme = none): string[] =>
  new DiffView(theme, { patch: text }).render(width);

test.each([40, 80, 120])('draws one column of numbers at %i columns', (width) => {
  expect(drawn(patch, width)).toEqual([
    ' 4   line 4',
    ' 5   line 5',
    ' 6   line 6',
    ' 7 - line 7',
    ' 8 - line 8',
    ' 7 + line seven',
    ' 8 + line eight',
    ' 9   line 9',
    '10   line 10',
    '11   line 11',
  ]);
});

test('draws before and after side by side if there is space', () => {
  const lines = drawn(patch, 140);
  const half = 40; // as wide as the longest line, but not narrower than this
  expect(lines[0]).toBe(`${' 4   line 4'.padEnd(half)} │  4   line 4`);
  expect(lines[3]).toBe(`${' 7 - line 7'.padEnd(half)} │  7 + line seven`);
  expect(lines).toHaveLength(8);
});

test('draws a new file as its text at any width', () => {
  expect(drawn(unifiedPatch('a', '', 'one\ntwo\n'), 160)).toEqual(['1 one', '2 two']);
  expect(patchCounts(unifiedPatch('a', '', 'one\ntwo\n'))).toEqual({ added: 2, removed: 0, isNew: true });
});

test('draws a changed line on a background over the width, its words on a stronger one, in the colours of its language', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const view = new DiffView(theme, { path: 'a.ts', patch: '@@ -1 +1 @@\n-const a = 1;\n+const a = 22;' });
  const [before = '', after = ''] = view.render(30);
  expect(before).toContain(theme.paint.keyword('const'));
  expect(before).toContain(`\u001b[48;5;88m${theme.paint.number('1')}\u001b[49m\u001b[48;5;52m;`);
  expect(after).toContain(`\u001b[48;5;28m${theme.paint.number('22')}\u001b[49m\u001b[48;5;22m;`);
  expect([before, after].map((line) => visibleWidth(line))).toEqual([30, 30]);
});

test('marks each word that differs, and none if two lines have little in common', () => {
  const theme = new Theme({ name: 'dark', depth: 'basic' });
  const [, after = ''] = drawn('@@ -1 +1 @@\n-let one = f(two, 3);\n+let uno = f(due, 3);', 80, theme);
  expect(after).toContain(theme.paint.addedPart('uno'));
  expect(after).toContain(theme.paint.addedPart('due'));
  const apart = drawn('@@ -1 +1 @@\n-import a from "b";\n+export function x() {', 80, theme).join('');
  expect(apart).not.toContain('\u001b[7;');
});

test('a large replacement shows as many removed lines as added ones', () => {
  const many = (word: string) => Array.from({ length: 30 }, (_, index) => `${word} ${index}`);
  const text = `@@ -1,30 +1,30 @@\n${many('-old').join('\n')}\n${many('+new').join('\n')}`;
  const view = new DiffView(none, { patch: text }, { maxRows: 6 });
  expect(view.render(40)).toEqual([
    '1 - old 0',
    '2 - old 1',
    '3 - old 2',
    '  ⋯ 27 more lines removed',
    '1 + new 0',
    '2 + new 1',
    '3 + new 2',
    '  ⋯ 27 more lines added',
  ]);
  expect(view.hidden).toBe(54);
});

test('separates hunks by the lines that follow, and marks a missing line feed', () => {
  const text =
    '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -40,1 +40,2 @@ function f()\n-c\n+d\n+e';
  expect(drawn(text, 40)).toEqual([
    ' 1 - a',
    ' 1 + b',
    'No newline at end of file',
    '   ⋯ lines 40–41 · function f()',
    '40 - c',
    '40 + d',
    '41 + e',
  ]);
});

test('treats a removed line that looks like a header as a line', () => {
  expect(drawn('--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-- old\n--- older\n+new', 40)).toEqual([
    '1 - - old',
    '2 - -- older',
    '1 + new',
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

test('shows escapes and hidden characters of a file, and wraps long lines with a hanging indent', () => {
  expect(drawn('@@ -1 +1,2 @@\n a\n+\u001b[2J\u202e\u200b', 60)[1]).toBe('2 + \\u001b[2J\\u202e\\u{200b}');
  expect(drawn(`@@ -1 +1,2 @@\n a\n+  ${'abcdefghij'.repeat(5)}`, 40)).toEqual([
    '1   a',
    '2 +   abcdefghijabcdefghijabcdefghijabcd',
    '        efghijabcdefghij',
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

test.each(['dark', 'light', 'dark-colorblind', 'light-colorblind'] as const)(
  'changed words stand on a stronger background than their line, on both sides (%s)',
  (name) => {
    for (const depth of ['many', 'true'] as const) {
      const theme = new Theme({ name, depth });
      const [removed = '', added = ''] = drawn('@@ -1 +1 @@\n-total = rate * 100;\n+total = price * 100;', 40, theme);
      const ground = (role: 'removedPart' | 'addedPart'): string => theme.on(role, '').replace('\u001b[49m', '');
      expect(removed).toContain(`${ground('removedPart')}rate\u001b[49m`);
      expect(added).toContain(`${ground('addedPart')}price\u001b[49m`);
    }
  },
);

test('marks the changed words of a replacement that is shown in part, in one column and side by side', () => {
  const lines = (sign: string, word: string): string[] =>
    Array.from({ length: 11 }, (_, index) => `${sign}const value${index} = compute("${word}");`);
  const patch = ['@@ -1,11 +1,11 @@', ...lines('-', 'old'), ...lines('+', 'new'), ''].join('\n');
  const theme = new Theme({ name: 'dark', depth: 'true' });
  const view = new DiffView(theme, { patch, path: 'a.txt' }, { maxRows: 10 });
  for (const width of [80, 200]) {
    const shown = view.render(width).join('\n');
    expect(shown.split(theme.on('removedPart', 'old'))).toHaveLength(6);
    expect(shown.split(theme.on('addedPart', 'new'))).toHaveLength(6);
  }
});

test('in a dialog, the rest of a bar is erased in its colour, which a narrower terminal does not wrap', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const view = new DiffView(theme, { patch: '@@ -1 +1 @@\n-a\n+b' }, { isInDialog: true });
  for (const line of view.render(100)) {
    expect(visibleWidth(line)).toBe(60);
    expect(line.endsWith('\u001b[K\u001b[49m')).toBe(true);
  }
  for (const line of view.render(60)) expect(line.includes('\u001b[K')).toBe(false);
  const [, after] = (view.render(200)[0] ?? '').split('│'); // side by side: so does the right side
  expect(after?.endsWith('\u001b[K\u001b[49m')).toBe(true);
});
