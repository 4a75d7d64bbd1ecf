import { expect, test } from 'vitest';
import { withOpenValues } from './args.js';
import { readRunFlags } from './run-flags.js';

const read = (...argv: string[]) => {
  const { worktree, words } = readRunFlags(argv, { isInteractive: true });
  return { worktree, words };
};

test('a text with blanks after --worktree is the prompt if there is no other', () => {
  expect(withOpenValues(['--worktree', 'fix it'])).toEqual(['--worktree=', 'fix it']);
  expect(read('-w', 'fix it', '--model', 'x')).toEqual({ worktree: '', words: ['fix it'] });
  expect(read('-w', 'fix', 'fix it')).toEqual({ worktree: 'fix', words: ['fix it'] });
});

test.each([
  [['--worktree', 'bad name', 'hi'], '"bad name" can\'t be the name of a worktree: it contains a blank.'],
  [['hi', '-w', 'bad name', '--model', 'x'], 'it contains a blank. Use at most 64 letters, digits'],
  [['-w', 'a..b', 'hi'], 'it contains ".."'],
  [['--worktree=a/b', 'hi'], 'it contains "/"'],
  [['-w', '.a', 'hi'], 'it begins with "."'],
  [['-w', 'a.lock', 'hi'], 'it ends with ".lock"'],
  [['-w', 'a'.repeat(65), 'hi'], 'it has 65 characters'],
])('%j says why the name is not valid', (argv, why) => {
  expect(() => read(...argv)).toThrow(why);
});
