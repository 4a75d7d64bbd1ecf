// Commands that were written to get past the analysis of the shell's language. None of them may count as harmless.
import { expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import { createCommandAnalyzer } from './command-effects.js';

const analyzer = createCommandAnalyzer();
const effectsOf = (command: string): Promise<Effect[]> =>
  analyzer.effects(command, { cwd: '/project', home: '/home/me' });

/** Whether it runs without a question, at least if the kernel confines it. */
const isHarmless = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => {
    if (effect.kind === 'command') return effect.harmless;
    if (effect.kind === 'file') return effect.access === 'read' && effect.unresolved === undefined;
    return effect.kind === 'session';
  });

const writesOf = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) =>
    effect.kind === 'file' && effect.access === 'write' ? (effect.unresolved === undefined ? effect.path : '?') : [],
  );

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's
test.each([
  ['echo PWNED 3< src/a.txt > /dev/fd/3', '/project/src/a.txt'],
  ['cat < a 1<>b >/dev/stdin', '/project/a'],
  ['exec 3<a.txt; echo x >/dev/fd/3', '?'],
  ['exec 3<a.txt && echo x >/dev/fd/3', '/project/a.txt'],
  ['tee /dev/fd/3 3<a', '/project/a'],
  ['echo x <a >/dev/stdin', '/project/a'],
  ['echo x <a >>/dev/fd/0', '/project/a'],
  ['echo x <a >|/proc/self/fd/0', '/project/a'],
  ['echo x <a &>/dev/stdin', '/project/a'],
  ['echo x <a >&/dev/stdin', '/project/a'],
  ['echo x <a 2>/proc/thread-self/fd/0', '/project/a'],
  ['echo x <a >/proc/$$/fd/0', '?'],
  ['echo x <a >/proc/$BASHPID/fd/0', '?'],
  ['echo x <a >/proc/1234/fd/0', '?'],
  ['echo x <a >/proc/self/task/12/fd/0', '?'],
  ['echo x <a >/dev/../dev/fd/0', '/project/a'],
  ['echo x <a >//dev/./fd//0', '/project/a'],
  ['echo x <a >/dev/fd/../fd/0', '?'],
  ['echo x <a >/proc/self/../self/fd/0', '?'],
  ['echo x 3<a 4<&3 >/dev/fd/4', '/project/a'],
  ['echo x 3<a 4<&3- >/dev/fd/4', '/project/a'],
  ['echo x 3<a 1>&3 >/dev/stdout', '/project/a'],
  ['echo x 1<a 2>&1 >/dev/stderr', '/project/a'],
  ['echo x >/dev/fd/9', '?'],
  ['echo x >&98', '?'],
  ['echo x >&5', '?'],
  ['{ echo x >/dev/fd/3; } 3<a', '/project/a'],
  ['(echo x >/dev/fd/3) 3<a', '/project/a'],
  ['{ { echo x >/dev/stdin; } 2>&1; } <a', '/project/a'],
  ['for i in 1; do echo x >/dev/fd/3; done 3<a', '/project/a'],
  ['if true; then echo x >/dev/stdin; fi <a', '/project/a'],
  ['while true; do echo x >/dev/fd/3; exec 3<a; done', '?'],
  ['f() { echo x >/dev/fd/3; }; f 3<a', '?'],
  ['f() { echo x >/dev/stdin; }; f <a', '?'],
  ['f() { echo x >/dev/stdout; }; f 1<a', '?'],
  ['f() { echo x >/dev/stderr; }; exec 3<a; f 2>&3', '?'],
  ['f() { exec 3<a; }; f; echo x >/dev/fd/3', '?'],
  ['f() { exec 1<a; }; f; echo x >/dev/stdout', '?'],
  ["sh -c 'echo x >/dev/fd/3' 3<a", '/project/a'],
  ["eval 'echo x >/dev/fd/3' 3<a", '/project/a'],
  ["eval 'exec 3<a'; echo x >/dev/fd/3", '?'],
  ["eval 'exec 1<a'; echo x >/dev/stdout", '?'],
  ['command exec 1<a; echo x >/dev/stdout', '?'],
  ['builtin exec 1<a; echo x >/dev/stdout', '?'],
  ['exec 1<a && echo x >/dev/stdout', '/project/a'],
  ['exec 1<a; echo x >/dev/stdout', '?'],
  ['echo x {v}<a; echo y >/dev/fd/10', '?'],
  ['exec {v}<a; echo y >/dev/fd/$v', '?'],
  ['exec {v}<a; echo y >&$v', '?'],
  ['ls | (echo x >/dev/fd/3) 3<a', '/project/a'],
  ['timeout 5 tee /dev/fd/3 3<a', '/project/a'],
  ['sort -o /dev/stdin b <a', '/project/a'],
  ['cd /dev/fd; echo x 3</project/a >3', '/project/a'],
  ['cd /dev; echo x 3</project/a >fd/3', '/project/a'],
  ['cd /proc/self/fd; echo x 3</project/a >3', '?'],
  ['echo x >/proc/self/cwd/a', '/project/a'],
  ['echo x >/proc/self/root/project/a', '/project/a'],
  ['echo x 3<a 5</dev/fd/3 >/dev/fd/5', '/project/a'],
  ['n=3; echo x 3<a >/dev/fd/$n', '/project/a'],
  ['for n in 3 4; do echo x >/dev/fd/$n; done 3<a', '/project/a'],
  ['bash 3<a -c "echo x >/dev/fd/3"', '/project/a'],
  ['3<a echo x >/dev/fd/3', '/project/a'],
  ['[[ a ]] 3<a >/dev/fd/3', '/project/a'],
  ['for i in $(echo x >/dev/fd/3); do :; done 3<a', '/project/a'],
  ['[[ $(echo x >/dev/fd/3) ]] 3<a', '/project/a'],
  ['case $(echo x >/dev/fd/3) in *) ;; esac 3<a', '/project/a'],
  ['cat 3<a <<E\n$(echo x >/dev/fd/3)\nE', '/project/a'],
  ['cat 3<a <<< $(echo x >/dev/fd/3)', '/project/a'],
  ["sh -c 'v=$(echo x >/dev/stderr) true 2<a'", '?'],
  ['ls | f() { echo x >/dev/stdin; } | f <a', '?'],
  ['((1)) <a >/dev/stdin', '/project/a'],
  ['>/dev/stdin <a', '?'],
  ['<a >/dev/stdin', '/project/a'],
])('the name of a descriptor means the file behind it: %s', async (command, written) => {
  const effects = await effectsOf(command);
  expect(writesOf(effects)).toContain(written);
  expect(isHarmless(effects)).toBe(false);
});

test.each([
  'ls > /dev/stdout',
  'ls 2>/dev/stderr',
  'echo x >/dev/stderr',
  'echo x >&2',
  'ls 3>&1 1>&2 2>&3',
  'cat < a | tee /dev/stderr 2>&1 >/dev/null | cat /dev/stdin',
  'cat /dev/stdin < a',
  'diff /dev/fd/3 b 3<a',
  'diff <(ls) /dev/stdin < a',
  'f() { echo x >/dev/stderr; }; f',
  'exec 2>&1; echo x >/dev/stderr',
  'exec 3>&1; echo x >&3',
  'ls 2>&1 >/dev/null',
  'ls &>/dev/null',
  'cat <<E >/dev/stdout\nx\nE',
  '{ ls; ls >&2; } 2>/dev/stdout',
])('the output of a command under its device name is not a file: %s', async (command) => {
  expect(writesOf(await effectsOf(command)).filter((path) => path !== '/dev/null')).toEqual([]);
});

test.each([
  'set -- -v \'a[$(id>&2)]\'; [ ! ! "$1" "$2" ]',
  '[ "$1" "$2" ]',
  '[ ! "$1" "$2" ]',
  '[ -v "$1" ]',
  '[ a = a -a "$1" "$2" ]',
  '[ \\( "$1" "$2" \\) ]',
  '[ "$1" \'a[$(id)]\' ]',
  "[ -v 'a[$(id)]' ]",
  "[ -R 'a[$(id)]' ]",
  'test "$@"',
  'test $x',
  'test $x = 1',
  '[ "${a[@]}" ]',
  '[ -n "$x" -o "$y" "$z" ]',
  'x=-v; [ $x "a[\\$(id)]" ]',
  "[[ -v 'a[$(id)]' ]]",
  '[[ -v $x ]]',
  '[[ $x -eq 1 ]]',
  '[[ x -eq 1 ]]',
  "[[ 'a[$(id)]' -lt 1 ]]",
  '[[ 1 -ge "$x" ]]',
  '((x))',
  '((a[x]))',
  'echo $((x))',
  'echo $[x]',
  'echo ${y:x}',
  'echo ${y:0:x}',
  'echo ${y[x]}',
  'echo ${a[$x]}',
  'a[x]=1',
  'a=([x]=1)',
  "let 'a[$(id)]=1'",
  'for ((i=0; i<x; i++)); do ls; done',
  'for ((i=0; a[$(id)]; i++)); do ls; done',
  "declare -i n='a[$(id)]'",
  "RANDOM='a[$(id)]'",
  "SRANDOM='a[$(id)]'",
  "OPTIND='a[$(id)]'",
  "HISTCMD='a[$(id)]'",
  "for SRANDOM in 'a[$(id)]'; do ls; done",
  'read SRANDOM <<< a',
  "a=(1); declare 'a=([$(id)]=1)'",
  'a=(1); declare a=$x',
  'a=(1); declare a="$x"',
  'read -a a; declare a="$x"',
  'eval \'a=(1)\'; declare a="$x"',
  'declare -n r=PATH',
  "printf -v 'a[$(id)]' x",
  "printf -v PATH '%s' .",
  "read 'a[$(id)]'",
  "mapfile -C 'touch x' -c 1 a",
  "unset 'a[$(id)]'",
  "wait -p 'a[$(id)]'",
  "getopts a 'a[$(id)]'",
  'echo ${!x}',
  'echo ${x@P}',
  "PS4='$(id)'; set -x; ls",
  "printf '12345%n' PATH; ls",
  "printf 'a%5.3n' PATH",
  "printf -- '%hhn' PATH",
  "printf '%%%n' PATH",
  "f='%n'; printf $f PATH",
  'printf "$f" PATH',
  'printf "x$f" PATH',
  'i=1; x=\'i="a[\\$(id)]"\'; eval "$x"; echo $((i))',
  'i=1; x=i=y; eval $x; echo $((i))',
  "i=1; trap 'i=x' DEBUG; echo $((i))",
  'a=src; a=-delete b=$a; find . $b',
  "LANG=src; LANG=-delete eval 'find . $LANG'",
  "LANG=src; LANG=-delete command eval 'find . $LANG'",
])('text that the shell would evaluate is not harmless: %s', async (command) => {
  expect(isHarmless(await effectsOf(command))).toBe(false);
});

test.each([
  'find src -type f | xargs sed -n 5p',
  'find src -type f | xargs -n1 sed -n 5p',
  'find src -type f | xargs -I{} sed -n 5p {}',
  "find src -type f | xargs -d '\\n' sed -n 5p",
  'find src -type f -print0 | sort | xargs -0 sed -n 5p',
  'git ls-files | xargs sort',
  'git ls-files -z | xargs -0 sort',
  'git ls-files -z ./ | xargs -0 rg foo',
  'ls | xargs file',
  'rg -l foo | xargs rg bar',
  'grep -rl foo . | xargs awk 1',
  'find . | xargs timeout 5 sort',
  'find . -print0 | xargs -0 cat < list',
  'find . -print0 | { exec < list; xargs -0 cat; }',
  'for f in $(git ls-files); do sort "$f"; done',
  'for f in $(find src); do sed -n 5p $f; done',
  'find src | while read -r f; do sed -n 5p "$f"; done',
  'find src -print0 | while read -d \'\' f; do sed -n 5p "$f"; done',
  'find src | while read -r f; do sort < "$f"; done',
  'find src | while read -r f; do echo x > "$f"; done',
  'ls | while read f; do git log $f; done',
  'find . -execdir sort {} \\;',
  'find . -execdir git status \\;',
  'for d in $(ls); do cd "$d"; git status; done',
  'find . -name .git | while read -r d; do cd "$d/.."; git log; done',
])('names from other programs may be any words: %s', async (command) => {
  expect(isHarmless(await effectsOf(command))).toBe(false);
});

test.each([
  "find . -name '*.ts' | xargs grep -l foo",
  'git ls-files | xargs wc -l',
  "find . -name '*.ts' -print0 | xargs -0 sed -n 5p",
  'find src -print0 | while IFS= read -r -d \'\' f; do sed -n 5p "$f"; done',
  'for f in $(git ls-files); do wc -l "$f"; done',
  'for f in src/*; do sed -n 5p "$f"; done',
  'for f in src/*; do wc -l $f; done',
  'for f in a.txt b.txt; do sed -n 5p $f; done',
  'find . -type f | xargs',
])('if any word is harmless, the command runs confined without a question: %s', async (command) => {
  const effects = await effectsOf(command);
  expect(isHarmless(effects)).toBe(true);
  const commands = effects.filter((effect) => effect.kind === 'command');
  expect(commands.filter(({ needsWalls }) => !needsWalls)).toEqual([]);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's
