// Commands that were written to keep the analysis busy: for any text, its work and its results are bounded.
import { expect, test } from 'vitest';
import { loadParser } from './parse-command.js';
import { walkCommand } from './walk-command.js';

const parser = await loadParser();
const repeated = (count: number, part: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator);

const deep = (count: number, open: string, close: string): string => `${open.repeat(count)}ls${close.repeat(count)}`;

test.each<[string, string]>([
  ['doubling variables', `x=a; ${'x=$x$x; '.repeat(200)}echo $x`],
  ['doubling in quotes', `x=a; ${'x="$x$x"; '.repeat(200)}cat "$x"`],
  ['doubling and braces', `x=a; ${'x=$x$x; '.repeat(12)}cat ${'{$x,$x}'.repeat(200)}`],
  ['doubling by names', repeated(300, (index) => `v${index + 1}=$v${index}$v${index}`, '; ')],
  ['doubling by eval', `x='ls;'; ${'x=$x$x; '.repeat(11)}eval "$x"; eval "$x"; eval "$x$x$x"`],
  ['eval in eval', `x='ls;'; ${'x="eval \\"$x\\";$x"; '.repeat(30)}eval "$x"`],
  ['loops that double', `x=a; ${'for i in 1 2; do x=$x$x; '.repeat(40)}ls${'; done'.repeat(40)}`],
  ['nested braces', `echo ${'{1..9}'.repeat(12)}`],
  ['many braces', `cat ${'{1..99} '.repeat(1_000)}`],
  ['braces in braces', `echo ${'{a,'.repeat(300)}b${'}'.repeat(300)}`],
  ['open braces', `echo ${'{'.repeat(190_000)}`],
  ['open substitutions', `echo ${'$('.repeat(95_000)}`],
  ['a loop over many files', `for f in {1..99}; do cat ${'$f '.repeat(2_000)}; done`],
  ['loops in loops', `${'for f in {1..99}; do '.repeat(40)}cat $f${'; done'.repeat(40)}`],
  ['deep groups', deep(1_000, '(', ')')],
  ['deep substitutions', `echo ${deep(300, '$(', ')')}`],
  ['deep quotes', `echo ${deep(80, '"$(echo ', ')"')}`],
  ['deep parameters', `echo ${deep(500, '$' + '{x:-', '}')}`],
  ['deep arithmetic', `echo $((${'('.repeat(1_500)}1${')'.repeat(1_500)}))`],
  ['deep conditions', `${'if true; then '.repeat(300)}ls${'; fi'.repeat(300)}`],
  ['deep functions', `${repeated(300, (index) => `f${index}() { `)}ls${'; }'.repeat(300)}`],
  ['a huge here-document', `cat <<E\n${'$(ls) '.repeat(1_500)}\nE`],
  ['a huge quoted here-document', `cat <<'E'\n${'x'.repeat(9_000)}\nE`],
  ['two hundred pipes', repeated(200, () => 'cat', ' | ')],
  ['two thousand commands', 'ls;'.repeat(2_000)],
  ['a chain', repeated(2_000, (index) => `v${index}=1`, '&&')],
  ['many functions', repeated(700, (index) => `f${index}(){ ls;}`, ';')],
  ['many directories', `${repeated(500, (index) => `cd d${index} || cd e${index}`, '; ')}; ls`],
  ['many descriptors', `${repeated(500, (index) => `exec ${index + 3}<f${index}`, '; ')}; echo >/dev/fd/7`],
  ['many redirections', `ls ${repeated(1_500, (index) => `>f${index}`, ' ')}`],
  ['many cases', `case x in ${'a|b|c) ls;; '.repeat(800)}esac`],
  ['xargs in xargs', `ls | ${'xargs '.repeat(1_500)}cat`],
  ['wrappers in wrappers', `${'timeout 5 '.repeat(900)}ls`],
])('%s', (_, command) => {
  const found = walkCommand(command, { cwd: '/project', home: '/home/me' }, parser);
  expect(found.steps).toBeLessThanOrEqual(120_000);
  expect(found.files.length).toBeLessThanOrEqual(2_000);
  expect(found.commands.length).toBeLessThanOrEqual(5_000);
  const chars = found.commands.flatMap(({ words }) => words).reduce((sum, { text }) => sum + text.length, 0);
  expect(chars).toBeLessThanOrEqual(20_000_000);
});

test('a command beyond a bound counts as unknown', () => {
  const unknown = (command: string): string[] => walkCommand(command, { cwd: '/', home: undefined }, parser).unknown;
  expect(unknown(`for f in {1..99}; do cat ${'$f '.repeat(2_000)}; done`)).toContain('it names more than 2000 files');
  expect(unknown(`echo ${'{'.repeat(20_000)}`)).toContain('it has too many braces or substitutions to be understood');
  expect(unknown(`cat ${'{1..99} '.repeat(1_000)}`)).toContain('it is too large to be understood');
  const long = walkCommand(`x=a; ${'x=$x$x; '.repeat(20)}cat "$x"`, { cwd: '/', home: undefined }, parser);
  expect(long.files.map(({ path }) => path)).toEqual([undefined]);
});
