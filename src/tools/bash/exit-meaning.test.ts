import { expect, test } from 'vitest';
import { meaningOfExitOne } from './exit-meaning.js';

test.each([
  'grep foo file',
  'egrep foo file',
  'fgrep foo file',
  "grep -E 'a|b; c' file",
  'grep "it\'s (here)" file',
  'grep "$name" file 2>/dev/null',
  'rg foo >/dev/null 2>&1',
  '  git grep foo',
  'git diff --exit-code',
  'diff a b',
  'test -f x',
  '[ -f x ]',
  "find . -name '*.ts'",
  'cat file | grep foo',
  "git log --oneline | sort | grep 'fix|feat'",
  'LC_ALL=C grep foo file',
  'git -C sub --no-pager diff --quiet',
])('treats exit code 1 of %s as a result', (command) => {
  expect(meaningOfExitOne(command)).toEqual(expect.any(String));
});

test.each([
  'false',
  'pgrep x',
  'git status',
  'cd src && grep foo file',
  'grep foo file; false',
  'grep foo file | sort',
  'grep foo file || false',
  'grep foo file |',
  'git -C grep status',
  'A=1',
  'git',
  'grep foo file\nfalse',
  'grep foo < missing',
  'grep foo file > out',
  'grep foo $(false)',
  'grep "$(false)" file',
  'grep `false` file',
  "grep \\' file; false '",
  'grep "foo',
  'constructor',
  '',
])('treats exit code 1 of %s as an error', (command) => {
  expect(meaningOfExitOne(command)).toBeUndefined();
});
