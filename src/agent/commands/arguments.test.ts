import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Arguments, fillIn, fillInCommand, splitWords, takesArguments } from './arguments.js';

const given = (whole: string, more: Partial<Arguments> = {}): Arguments => ({
  whole,
  words: splitWords(whole),
  names: [],
  facts: {},
  ...more,
});

test.each([
  ['', []],
  ['  a  b\n c ', ['a', 'b', 'c']],
  ['"a b" c', ['a b', 'c']],
  [`'a "b' --x="y z"`, ['a "b', '--x=y z']],
  ['a\\ b "c \\" d"', ['a b', 'c " d']],
  [`don't`, [`don't`]],
  ['""', ['']],
])('splits %j into words', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each([
  ['$1 and $2', 'a b', 'a and b'],
  ['$1, $3.', 'a b', 'a, .'],
  ['$ARGUMENTS!', 'a "b c"', 'a "b c"!'],
  ['$ARGUMENTS[0] $ARGUMENTS[1]', 'a b', 'a b'],
  ['it costs $100 or \\$1', 'a', 'it costs $100 or $1'],
  ['$ARGUMENTSX $HOME $(ls)', 'a', '$ARGUMENTSX $HOME $(ls)'],
  ['$1', '$2 $1', '$2'],
])('fills in %j with %j', (text, typed, filled) => {
  expect(fillIn(text, given(typed))).toBe(filled);
});

test('fills in named arguments and variables', () => {
  const args = given('12 main', { names: ['issue', 'branch'], facts: { HELVE_SKILL_DIR: '/s' } });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what such files hold
  expect(fillIn('$issue on $branch: ${HELVE_SKILL_DIR}/x, not $issues', args)).toBe('12 on main: /s/x, not $issues');
});

test.each([
  ['$1', true],
  ['$ARGUMENTS', true],
  ['$ARGUMENTS[2]', true],
  ['$issue', true],
  ['costs $100 and $HOME', false],
])('detects whether %j has a placeholder for arguments: %j', (text, has) => {
  expect(takesArguments(text, { names: ['issue'] })).toBe(has);
});

test.each([
  ['git log $ARGUMENTS', '--stat main', 'git log --stat main'],
  ['git log $ARGUMENTS', '; rm -rf "x y"', "git log ';' rm -rf 'x y'"],
  ['gh issue view "$1"', '12', 'gh issue view "12"'],
  ['echo $1', `"it's"`, `echo 'it'\\''s'`],
])('quotes arguments for the shell command %j: %j', (line, typed, filled) => {
  expect(fillInCommand(line, given(typed))).toBe(filled);
});

test.each(['echo "$1"', "echo '$1'", 'echo $(ls $1)', 'cat <<X $1'])('refuses odd arguments within %j', (line) => {
  expect(() => fillInCommand(line, given('"$(id)"'))).toThrow("can't be put into the command");
});

test('a shell command receives any arguments exactly as typed', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = fillInCommand('run $ARGUMENTS', { whole: words.join(' '), words, names: [], facts: {} });
      expect(splitQuoted(line)).toEqual(['run', ...words]);
    }),
  );
});

/** Parses words in single quotes like a shell, independently of the tested code. */
function splitQuoted(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "'") {
      isQuoted = !isQuoted;
      word ??= '';
    } else if (!isQuoted && character === '\\') {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (!isQuoted && character === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === undefined ? words : [...words, word];
}
