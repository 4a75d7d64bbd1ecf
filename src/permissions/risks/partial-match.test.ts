import { expect, test } from 'vitest';
import { beginningOf } from './partial-match.js';

test.each<[pattern: RegExp, begins: string[], doesNot: string[]]>([
  [/^--(delete|prune)$/, ['--del', '--delete', '--p', ''], ['--delx', '--deletes', '-d', 'x--del']],
  [/^stash (drop|clear)\b/, ['stash ', 'stash dr', 'stash drop', 'stash drop x'], ['stash x', 'push ']],
  [/^(npm )?publish\b/, ['npm ', 'publish', 'publ', 'publish x'], ['publishes', 'run publish']],
  [/^a[bc]{2,3}d+\.e?$/, ['a', 'ab', 'acb', 'abccd', 'abcdd.', 'abcd.e'], ['ad.', 'abcdx']],
  [/(^| )deploy\b/, ['test', 'test deploy', ''], []],
  [/^release\b(?!-notes)/, ['rel', 'release', 'release-x'], ['release-notes']],
  [/^x(?:\d|[\]a])\/y/, ['x', 'x1', 'x]/', 'xa/y'], ['xb', 'x12']],
])('%s', (pattern, begins, doesNot) => {
  const beginning = beginningOf(pattern);
  expect(begins.filter((text) => !beginning.test(text))).toEqual([]);
  expect(doesNot.filter((text) => beginning.test(text))).toEqual([]);
});
