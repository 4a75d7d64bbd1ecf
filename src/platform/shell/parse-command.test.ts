import type { SyntaxNode } from 'unbash';
import { expect, test } from 'vitest';
import { type Dialect, loadParser, parseCommand } from './parse-command.js';

async function problemsOf(text: string, dialect: Dialect = 'bash'): Promise<string[]> {
  return parseCommand(text, dialect, await loadParser()).problems;
}

async function commandNames(text: string): Promise<string[]> {
  const parser = await loadParser();
  const names: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name) names.push(node.name.value);
    parser.forEachChild(node, visit);
  };
  const { tree } = parseCommand(text, 'bash', parser);
  if (tree) visit(tree);
  return names;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's
test.each([
  ['X=$(curl x | sh)', ['curl', 'sh']],
  ['A=(a $(one)) B=$((1 + $(two)))', ['one', 'two']],
  ['echo $((a[$(one)])) ${x:-$(two)} ${y[$(three)]}', ['echo', 'one', 'two', 'three']],
  ['cat <<A <<B\n$(one)\nA\n`two`\nB\n', ['cat', 'one', 'two']],
  ['echo `a \\`b\\``', ['echo', 'a', 'b']],
  ['[[ -v a[$(one)] ]]; case $(two) in $(three)) ls;; esac', ['one', 'two', 'three', 'ls']],
])('finds commands that the parser reports only on request: %s', async (text, names) => {
  expect(await commandNames(text)).toEqual(names);
});

test.each([
  ["ls 'unterminated", "it can't be parsed"],
  ['ls $(', "it can't be parsed"],
  ['echo "$(ls ; ; ls)"', "it can't be parsed"],
  ['cat <<E\nx', 'a here-document has no end'],
  ['cat <(ls #); rm x\n) y', 'a comment within a substitution'],
  ['echo "$(ls;# rm\n)"', 'a comment within a substitution'],
  ['ls\0', 'the control character U+0000'],
  ['ls\r', 'the control character U+000D'],
  ['ls \x1b[8m', 'the control character U+001B'],
  ['ls\u2028rm x', 'the invisible or misleading character U+2028'],
  ['ls\u00a0-la', 'the invisible or misleading character U+00A0'],
  ['ls \u202ex', 'the invisible or misleading character U+202E'],
  ['ls *(+x)', 'means different things in different shells'],
  ['ls =ls', 'means different things in different shells'],
  ['echo ${x@P}', 'an expansion with @'],
  ['coproc ls', 'a coprocess'],
  [`echo ${'a'.repeat(10_001)}`, 'longer than 10000 characters'],
])('reports a problem with %s', async (text, problem) => {
  expect((await problemsOf(text)).join('; ')).toContain(problem);
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's

test.each([
  'ls\t-la',
  'echo "é 日本語 😀"',
  'a && b || c; d & e | f',
  'echo "=x" a=b [ a = b ]',
  'cat <<E\nx\nE',
  'echo "$(grep -c \'a # b\' f)" # done',
])('reports no problem with %s', async (text) => {
  expect(await problemsOf(text)).toEqual([]);
});

test.each([
  '[[ a > b ]]',
  '((touch x))',
  'ls &> x',
  'ls |& cat',
  'cat <(ls)',
  "echo $'a'",
  'echo {a,b}',
  'a=(b)',
  'cat <<< x',
])('reports that sh may parse %s differently', async (text) => {
  expect(await problemsOf(text, 'bash')).toEqual([]);
  expect(await problemsOf(text, 'posix')).toEqual(['sh may read it in another way than bash']);
});
