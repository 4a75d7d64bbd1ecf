import { expect, test } from 'vitest';
import type { CommandEffect, Effect } from '../../../contract/effect.js';
import { createCommandAnalyzer } from '../command-effects.js';
import { programs } from './index.js';

const analyzer = createCommandAnalyzer();

// Reading outside the project is judged by the policy; here only the command itself counts.
const isHarmless = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => {
    if (effect.kind === 'command') return effect.harmless;
    if (effect.kind === 'file') return effect.access === 'read';
    return effect.kind === 'session';
  });

async function wronglyJudged(commands: readonly string[], wanted: boolean): Promise<string[]> {
  const judged = await Promise.all(
    commands.map(async (command) => ({
      command,
      effects: await analyzer.effects(command, { cwd: '/project', home: '/home/me' }),
    })),
  );
  return judged.filter(({ effects }) => isHarmless(effects) !== wanted).map(({ command }) => command);
}

test('the harmless examples of every program are harmless', async () => {
  const examples = programs.flatMap((program) => program.examples.harmless);
  expect(examples.length).toBeGreaterThan(200);
  expect(await wronglyJudged(examples, true)).toEqual([]);
});

test('the harmful examples of every program are not harmless', async () => {
  const examples = programs.flatMap((program) => program.examples.not);
  expect(examples.length).toBeGreaterThan(250);
  expect(await wronglyJudged(examples, false)).toEqual([]);
});

test('every program has examples, and no name is listed twice', () => {
  const without = programs.filter(({ examples }) => examples.harmless.length + examples.not.length === 0);
  expect(without.map(({ names }) => names)).toEqual([]);
  const names = programs.flatMap((program) => program.names);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

// Each word of these is a file for the program, regardless of another program's table for the option before it.
test.each([
  ['nl -p /proc/1/environ', '/proc/1/environ'],
  ['nl -ps / /proc/1/environ', '/proc/1/environ'],
  ['tac -r .env', '/project/.env'],
  ['tac -b .env', '/project/.env'],
  ['rev .env', '/project/.env'],
  ['comm -1 .env a', '/project/.env'],
  ['comm -123 .env a', '/project/.env'],
  ['join -i .env a', '/project/.env'],
  ['fold -b .env', '/project/.env'],
  ['fold -s .env', '/project/.env'],
  ['expand -i .env', '/project/.env'],
  ['unexpand -a .env', '/project/.env'],
  ['fmt -s .env', '/project/.env'],
  ['sha256sum -b .env', '/project/.env'],
  ['cksum --tag .env', '/project/.env'],
  ['sum -r .env', '/project/.env'],
  ['sum -s .env', '/project/.env'],
  ['md5 -r .env', '/project/.env'],
  ['base64 -i .env', '/project/.env'],
  ['base32 -d .env', '/project/.env'],
  ['od -h .env', '/project/.env'],
  ['od -w .env', '/project/.env'],
  ['hexdump -L .env', '/project/.env'],
  ['hexdump -f .env a', '/project/.env'],
  ['cut a -d .env', '/project/.env'],
  ['nl a -s .env', '/project/.env'],
  ['sort a -t .env', '/project/.env'],
  ['ls -I .env', '/project/.env'],
  ['date -r .env', '/project/.env'],
  ['date -ur .env', '/project/.env'],
  ['date --reference=.env', '/project/.env'],
  ['realpath --relative-to=.env a', '/project/.env'],
  ['du -X .env', '/project/.env'],
  ['grep -f .env a', '/project/.env'],
  ['grep -nf.env a', '/project/.env'],
  ['grep --exclude-from .env x a', '/project/.env'],
  ['grep -d recurse x src', '/project/src/**'],
  ['grep -drecurse x src', '/project/src/**'],
  ['grep -d rec x', '/project/**'],
  ['grep -nd recurse x', '/project/**'],
  ['grep --directories=recurse x', '/project/**'],
  ['grep --directories recurse x src', '/project/src/**'],
  ['grep -d "$x" y src', '/project/src/**'],
  ['diff -r src test', '/project/src/**'],
  ['diff --from-file=.env a', '/project/.env/**'],
  ['diff --to-file=src a', '/project/src/**'],
  ['diff -X .env a b', '/project/.env'],
  ['sort --random-source=.env a', '/project/.env'],
  ['jq --rawfile a .env . b', '/project/.env'],
  ['jq --slurpfile a .env . b', '/project/.env'],
  ['jq -n --args . b --rawfile a .env', '/project/.env'],
  ['jq . -- -r .env', '/project/.env'],
  ['yq -r . .env', '/project/.env'],
  ['yq .env', '/project/.env'],
  ['xxd -p .env', '/project/.env'],
  ['xxd -l 4 .env', '/project/.env'],
  ['strings -a .env', '/project/.env'],
  ['sed -n p .env', '/project/.env'],
  ['sed -s p .env', '/project/.env'],
  ["awk -F, '{ print }' .env", '/project/.env'],
  ["awk '{ print }' x=1 .env", '/project/.env'],
  ['find . -newer .env', '/project/.env'],
  ['rg -f .env src', '/project/.env'],
  ['getconf NAME_MAX .env', '/project/.env'],
  ['zcat .env.gz', '/project/.env.gz'],
  ['wc --files0-from=.env', '/project/.env'],
  ['wc --files0-from .env', '/project/.env'],
  ['du --files0-from=.env', '/project/.env'],
  ['more -s .env', '/project/.env'],
  ['tree -I x .env', '/project/.env/**'],
  ['tree --gitignore .env', '/project/.env'],
  ['uniq -c .env', '/project/.env'],
  ['cmp -b .env a', '/project/.env'],
  ['sdiff -l .env a', '/project/.env'],
])('%s reads %s', async (command, path) => {
  const effects = await analyzer.effects(command, { cwd: '/project', home: '/home/me' });
  const reads = effects.flatMap((effect) =>
    effect.kind === 'file' && effect.access === 'read' ? [`${effect.path}${effect.tree ? '/**' : ''}`] : [],
  );
  expect(reads).toContain(path);
});

test('df opens the files that it is asked about', async () => {
  const effects = await analyzer.effects('df -h .env', { cwd: '/project', home: '/home/me' });
  const named = effects.find((effect) => effect.kind === 'file' && effect.path === '/project/.env');
  expect(named).not.toHaveProperty('listing');
  expect(named).toMatchObject({ access: 'read' });
});

async function commandOf(command: string): Promise<CommandEffect | undefined> {
  const effects = await analyzer.effects(command, { cwd: '/project', home: '/home/me' });
  return effects.find((effect) => effect.kind === 'command');
}

// The core runs without a question even if nothing confines it.
test.each(
  `cat a|head -5 a|tail -n 3 a|wc -l a|nl -ba a|tac a|rev a|ls -la|stat a|file a|du -sh .|basename a|dirname a|realpath a
  |readlink -f a|sort -u a|uniq -c a|cut -d, -f1 a|tr a b|paste a b|comm a b|join a b|fold -w 80 a|expand a|grep -rn x .
  |find . -name x|which node|diff -u a b|cmp a b|sha256sum a|od -c a|hexdump -C a|xxd a|date +%F|id -u|whoami|uname -a
  |hostname|nproc|uptime|free -h|rg x|sed -n 1,5p a|sed -n /x/,+5p a|sed s/a/b/ a|sed -e s,a,b,g a|node --version|tree -L 2|sed 1d a|sed -n $= a|sed 5q a|fd x
  |strings a|iconv -f latin1 a|zcat a.gz|column -t a|fmt a|sdiff a b|cat *|ls *|find . -exec cat {} +`
    .split('|')
    .map((command) => command.trim()),
)('%s needs no confinement', async (command) => {
  expect(await commandOf(command)).toMatchObject({ harmless: true });
  expect(await commandOf(command)).not.toHaveProperty('needsWalls');
});

test.each([
  "awk '{ print $1 }' a",
  "sed 'y/a/b/' a",
  "sed '1i x' a",
  "sed '/a/{p}' a",
  "sed 'saxaya' a",
  "sed -n '/a/Ip' a",
  "sed '2,~4d' a",
  'jq . a.json',
  'yq . a.yml',
  'find . -execdir cat {} +',
  'fd x -x cat',
  'more a',
  'colordiff a b',
  'hostname -f',
  'wc *',
  'grep x $y',
])('%s needs confinement', async (command) => {
  expect(await commandOf(command)).toMatchObject({ harmless: true, needsWalls: true });
});

test.each([
  ['ps aux', 'processes'],
  ['ps -ef', 'processes'],
  ['pgrep node', 'processes'],
  ['w', 'processes'],
  ['df -h', 'machine'],
  ['lsblk', 'machine'],
  ['stat -f .', 'machine'],
  ['find . -writable', 'machine'],
  ['find . -type f -executable -print', 'machine'],
])('%s reports on %s of the host', async (command, facts) => {
  expect(await commandOf(command)).toMatchObject({ harmless: true, observes: facts });
});
