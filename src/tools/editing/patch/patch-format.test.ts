import { expect, test } from 'vitest';
import { parsePatch } from './patch-format.js';

const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

test('parses files to add, delete, update and move', () => {
  expect(
    parsePatch(
      patch(
        '*** Add File: new.txt',
        '+one',
        '+',
        '*** Delete File: old.txt',
        '*** Update File: src/a.ts',
        '*** Move to: src/b.ts',
        '@@ class A',
        '@@   method()',
        ' keep',
        '-old',
        '+new',
        '',
        '@@',
        '-last',
        '*** End of File',
      ),
    ),
  ).toEqual([
    { type: 'add', path: 'new.txt', lines: ['one', ''] },
    { type: 'delete', path: 'old.txt' },
    {
      type: 'update',
      path: 'src/a.ts',
      moveTo: 'src/b.ts',
      hunks: [
        {
          anchors: ['class A', 'method()'],
          before: ['keep', 'old', ''],
          changes: [{ at: 1, removed: ['old'], added: ['new'] }],
          atEnd: false,
          line: 8,
        },
        { anchors: [], before: ['last'], changes: [{ at: 0, removed: ['last'], added: [] }], atEnd: true, line: 14 },
      ],
    },
  ]);
});

test('ignores line numbers after @@, which some models write', () => {
  expect(parsePatch(patch('*** Update File: a', '@@ -1,2 +1,2 @@', '-x', '+y'))).toMatchObject([
    { hunks: [{ anchors: [], before: ['x'], changes: [{ at: 0, removed: ['x'], added: ['y'] }] }] },
  ]);
});

test('separates the changes of a hunk by the unchanged lines between them', () => {
  expect(parsePatch(patch('*** Update File: a', '+top', ' one', '-two', '+2', '-three', '+3', ' four'))).toMatchObject([
    {
      hunks: [
        {
          before: ['one', 'two', 'three', 'four'],
          changes: [
            { at: 0, removed: [], added: ['top'] },
            { at: 1, removed: ['two', 'three'], added: ['2', '3'] },
          ],
        },
      ],
    },
  ]);
});

test('ignores empty lines between files, and after lines that are only added', () => {
  expect(
    parsePatch(patch('', '*** Add File: a', '+x', '', '*** Update File: b', '@@', '+y', '', '*** Delete File: c', '')),
  ).toEqual([
    { type: 'add', path: 'a', lines: ['x'] },
    {
      type: 'update',
      path: 'b',
      hunks: [{ anchors: [], before: [], changes: [{ at: 0, removed: [], added: ['y'] }], atEnd: false, line: 7 }],
    },
    { type: 'delete', path: 'c' },
  ]);
});

test('parses a patch with CRLF line endings', () => {
  expect(parsePatch(patch('*** Add File: a', '+x').replaceAll('\n', '\r\n'))).toEqual([
    { type: 'add', path: 'a', lines: ['x'] },
  ]);
});

test.each([
  ['', 'Line 1 of the patch does not fit: the patch must begin with "*** Begin Patch"'],
  ['*** Begin Patch\n*** Delete File: a', 'the patch must end with "*** End Patch"'],
  [patch(), 'The patch names no file'],
  [patch('*** Rename File: a'), 'Line 2 of the patch does not fit: expected "*** Add File: …"'],
  [patch('*** Add File: '), 'the name of the file is missing'],
  [patch('*** Update File: a', '*** Move to:  ', '-x'), 'the name of the file is missing'],
  [patch('*** Delete File: a\0b'), 'the name of a file has no NUL character'],
  [patch('*** Add File: a', '+x', '', '+y'), 'Line 5 of the patch does not fit: expected'],
  [patch('*** Add File: a', '+x\ry'), 'Line 3 of the patch does not fit: a carriage return must be followed by'],
  [patch('*** Update File: a'), 'the update changes nothing'],
  [
    patch('*** Update File: a', '@@', 'no mark'),
    'a line of a change must begin with " ", "-" or "+", but it reads "no mark"',
  ],
  [patch('*** Update File: a', '@@'), 'a change without lines'],
])('refuses %j', (text, why) => {
  expect(() => parsePatch(text)).toThrow(why);
});

test('refuses more hunks than one patch may have, counted over all files', () => {
  const hunks = (count: number): string => '@@\n-a\n'.repeat(count);
  const patch = (count: number): string =>
    `*** Begin Patch\n*** Update File: a\n${hunks(5_000)}*** Update File: b\n${hunks(count)}*** End Patch`;
  expect(parsePatch(patch(5_000))).toHaveLength(2);
  expect(() => parsePatch(patch(5_001))).toThrow(
    'The patch has 10001 hunks, and one patch may have at most 10000. Nothing was written. Send it in parts, or use Bash for a change that is the same everywhere.',
  );
});
