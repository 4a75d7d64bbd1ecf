import { expect, test } from 'vitest';
import { unifiedPatch } from './diff.js';
import { reversePatch, splitPatch } from './reverse-patch.js';

test.each([
  ['a\nb\nc\n', 'a\nx\ny\nc\n'],
  ['', 'new\n'],
  ['gone\n', ''],
  ['one\n--- two\n', 'one\n+++ two\n'],
  ['same\nlast', 'same\nlast\n'],
])('turned around, the patch from %j to %j leads back', (before, after) => {
  const hunks = (patch: string): string => patch.slice(patch.indexOf('@@'));
  expect(hunks(reversePatch(unifiedPatch('f', before, after)))).toBe(hunks(unifiedPatch('f', after, before)));
});

test('a line that is not a patch stays', () => {
  expect(reversePatch('(not text: 3 bytes now, nothing then)')).toBe('(not text: 3 bytes now, nothing then)');
});

test('the output of git is taken apart by file', () => {
  const output =
    'diff --git a/x.ts b/x.ts\nindex 1..2 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/new.ts b/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a\n';
  expect(splitPatch(output)).toEqual([
    { path: 'x.ts', patch: '@@ -1 +1 @@\n-a\n+b\n' },
    { path: 'new.ts', patch: '@@ -0,0 +1 @@\n+a\n', what: 'new' },
  ]);
});
