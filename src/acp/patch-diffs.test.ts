import { expect, test } from 'vitest';
import { diffsOf } from './patch-diffs.js';

const place = { path: 'a.ts', root: '/p' };

test('each hunk of a patch is a pair of texts', () => {
  const patch = '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -9 +9,2 @@\n-x\n+y\n+--- z\n';
  expect(diffsOf(patch, place)).toEqual([
    { type: 'diff', path: '/p/a.ts', oldText: 'same\nold', newText: 'same\nnew' },
    { type: 'diff', path: '/p/a.ts', oldText: 'x', newText: 'y\n--- z' },
  ]);
});

test('a new file has no old text, and each file of a patch its own path', () => {
  const patch =
    '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-1\n+2\n';
  expect(diffsOf(patch, place)).toEqual([
    { type: 'diff', path: '/p/new.ts', oldText: null, newText: 'a' },
    { type: 'diff', path: '/p/b.ts', oldText: '1', newText: '2' },
  ]);
});

test('a text without hunks gives no pair', () => {
  expect(diffsOf('*** Begin Patch\n*** Update File: a.ts\n-a\n+b\n', place)).toEqual([]);
});
