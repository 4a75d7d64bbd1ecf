import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedPatch } from './diff.js';

test('shows changes with three lines of context', () => {
  expect(unifiedPatch('a.txt', '1\n2\n3\n4\n5\n6\n', '1\n2\n3\n4\nfive\n6\n')).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6',
  );
});

test('shows lines that end in \\r\\n or \\r as lines', () => {
  expect(unifiedPatch('a.txt', 'a\r\nb\r\n', 'a\r\nc\r\n')).toContain('\n a\n-b\n+c');
  expect(unifiedPatch('a.txt', 'a\rb\r', 'a\rc\r')).toContain('\n a\n-b\n+c');
});

test('reports that only line endings changed', () => {
  expect(unifiedPatch('a.txt', 'a\r\n', 'a\n')).toBe('(only line endings changed)');
});

test('reports that a diff is too large instead of showing a part', () => {
  const lines = (prefix: string): string => Array.from({ length: 3_000 }, (_, n) => `${prefix}${n}\n`).join('');
  expect(unifiedPatch('a.txt', lines('old '), lines('new '))).toBe(
    '(the difference is too large to show: 3000 lines before, 3000 after)',
  );
});

test('shows one change in a large text with its line number', () => {
  const lines = Array.from({ length: 500_000 }, (_, index) => `line ${index + 1}\n`);
  const before = lines.join('');
  const after = lines.with(399_999, 'changed\n').join('');
  expect(unifiedPatch('a.txt', before, after)).toBe(
    [
      '--- a/a.txt\n+++ b/a.txt\n@@ -399997,7 +399997,7 @@\n line 399997\n line 399998\n line 399999',
      '-line 400000\n+changed\n line 400001\n line 400002\n line 400003',
    ].join('\n'),
  );
});

test('reports that the changed part is too large to compare', () => {
  const lines = 'the same line again and again\n'.repeat(400_000);
  expect(unifiedPatch('a.txt', `a\n${lines}b\n`, `A\n${lines}B\n`)).toBe(
    '(the difference is too large to show: 400002 lines before, 400002 after)',
  );
});

test('counts a single line in the singular', () => {
  expect(unifiedPatch('a.txt', 'a', 'b'.repeat(20_000))).toBe(
    '(the difference is too large to show: 1 line before, 1 after)',
  );
});

test('the patch turns one text into the other, for any change', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .chain((lines) => fc.boolean().map((ends) => lines.join('\n') + (ends ? '\n' : '')));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = unifiedPatch('a.txt', before, after);
      expect(patch === '' ? before : applyPatch(before, `${patch}\n`)).toBe(after);
    }),
    { numRuns: 2_000 },
  );
});
