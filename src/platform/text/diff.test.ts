import { expect, test } from 'vitest';
import { unifiedPatch } from './diff.js';

test('shows what changed with three lines around it', () => {
  expect(unifiedPatch('a.txt', '1\n2\n3\n4\n5\n6\n', '1\n2\n3\n4\nfive\n6\n')).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6',
  );
});

test('shows lines that end in \\r\\n or \\r as lines', () => {
  expect(unifiedPatch('a.txt', 'a\r\nb\r\n', 'a\r\nc\r\n')).toContain('\n a\n-b\n+c');
  expect(unifiedPatch('a.txt', 'a\rb\r', 'a\rc\r')).toContain('\n a\n-b\n+c');
});

test('says so when only line endings changed', () => {
  expect(unifiedPatch('a.txt', 'a\r\n', 'a\n')).toBe('(only line endings changed)');
});

test('says that a difference is too large to show rather than showing a part', () => {
  const lines = (prefix: string): string => Array.from({ length: 3_000 }, (_, n) => `${prefix}${n}\n`).join('');
  expect(unifiedPatch('a.txt', lines('old '), lines('new '))).toBe(
    '(the difference is too large to show: 3000 lines before, 3000 after)',
  );
});
