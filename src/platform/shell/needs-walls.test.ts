import { mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandEffect, Effect } from '../../contract/effect.js';
import { realPathSync } from '../files/paths.js';
import { createCommandAnalyzer } from './command-effects.js';
import { systemPrograms } from './find-system-program.js';
import { neverFree } from './programs/never-free.js';

const analyzer = createCommandAnalyzer({ path: '/usr/bin:/bin' });
const commandsOf = async (command: string): Promise<CommandEffect[]> =>
  (await effectsOf(command)).filter((effect) => effect.kind === 'command');
const effectsOf = (command: string): Promise<Effect[]> =>
  analyzer.effects(command, { cwd: '/project', home: '/home/me' });

test.each([
  'ls -la src',
  'cat a.txt | head -5',
  'cd src && ls; pwd',
  '! grep -q x a.txt || echo "no x"',
  'cat < a.txt 2>/dev/null',
  '(cd src; ls)',
  '{ ls; pwd; }',
  "cat <<'E'\n$x\nE",
  'cat <<E\nplain\nE',
  'grep foo src/*.ts',
  'cat ./*',
  'timeout 5 ls',
  'LANG=C sort a.txt',
  'nice -n 5 cat a.txt',
  'time ls',
  'env LANG=C ls',
  '[ -f a.txt ] && echo yes',
  "echo $'a\\tb'",
  'cat ~/a.txt',
  'echo $((1 + 2))',
  'echo $HOME',
  'echo $(ls)',
  'diff <(ls) a.txt',
  'cat <<E\n$(ls)\nE',
  'x=1; ls',
  'ls *',
  'echo {a,b}',
  'set -e; ls',
  'command ls',
  'read -r x < a.txt',
  '(echo $HOME)',
])('a simple command needs no confinement: %s', async (command) => {
  const commands = await commandsOf(command);
  expect(commands.filter(({ harmless }) => !harmless)).toEqual([]);
  expect(commands.filter(({ needsWalls }) => needsWalls)).toEqual([]);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's
test.each([
  'for f in a b; do ls; done',
  'while true; do ls; done',
  'if true; then ls; fi',
  'case a in a) ls;; esac',
  '[[ a == b ]] && ls',
  '((x=1)); ls',
  'echo "${x:-y}"',
  'echo $((x + 1))',
  'grep "$x" a.txt',
  '[ "$x" = y ] && ls',
  'cat <(ls; for f in a; do ls; done)',
  'f() { ls; }; f',
  'ls & pwd',
  "bash -c 'ls'",
  "eval 'ls'",
  'exec ls',
  'seq 3 | xargs echo',
  'find . -name x -execdir cat {} +',
  'timeout 5 ls *',
])('any other command needs confinement, with every command of the call: %s', async (command) => {
  const commands = await commandsOf(command);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter(({ harmless }) => !harmless)).toEqual([]);
  expect(commands.filter(({ needsWalls }) => !needsWalls)).toEqual([]);
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's
test.each(['for f in a; do rm $f; done', 'x=1; rm x', 'find . -exec rm {} +', 'ls *; make', 'echo $x; ./factor 12'])(
  'confinement does not make a harmful command run without a question: %s',
  async (command) => {
    const commands = await commandsOf(command);
    const risky = commands.filter(({ harmless }) => !harmless);
    expect(risky.length).toBeGreaterThan(0);
    expect(risky.filter(({ needsWalls }) => needsWalls)).toEqual([]);
  },
);

test('a test whether a file is writable reports what confinement would change', async () => {
  expect(await commandsOf('test -w a.txt')).toMatchObject([{ observes: 'machine' }]);
  expect(await commandsOf('[[ -w a.txt ]] && echo yes')).toMatchObject([{ observes: 'machine' }]);
  expect((await commandsOf('test -r a.txt'))[0]).not.toHaveProperty('observes');
});

// Programs of the core utilities that no table knows.
const hasFactor = statSync('/usr/bin/factor', { throwIfNoEntry: false })?.uid === 0;

test.runIf(hasFactor)(
  'a system program that no table lists may run confined, and reads the files that it names',
  async () => {
    const effects = await effectsOf('factor b/c.txt a.txt');
    expect(effects[0]).toMatchObject({ harmless: false, needsWalls: true });
    const files = effects.filter((effect) => effect.kind === 'file');
    expect(files.map(({ access, path }) => [access, path])).toEqual([
      ['read', '/project/b/c.txt'],
      ['read', '/project/a.txt'],
    ]);
  },
);

test
  .runIf(hasFactor)
  .each([
    './factor 12',
    '/tmp/factor 12',
    'factor "$x"',
    'factor *',
    'FOO=1 factor 12',
    'factor -o out 12',
    'factor --exponents 12',
    'factor --from=b/c.txt 12',
    'factor @list',
    'factor --output=out 12',
    'factor --exec=ls 12',
    'ls | xargs factor',
    'factor() { rm x; }; command factor 12; factor 12',
    'PATH=.:$PATH; factor 12',
  ])('a system program needs a question in other forms: %s', async (command) => {
  const commands = await commandsOf(command);
  expect(commands.filter(({ harmless, needsWalls }) => !harmless && needsWalls)).toEqual([]);
});

test.runIf(hasFactor).each(['perl --version', 'env --help', 'factor -h', 'timeout --version'])(
  'any system program may be asked for its version or help: %s',
  async (command) => {
    const commands = await commandsOf(command);
    expect(commands.every(({ harmless, needsWalls }) => harmless || needsWalls)).toBe(true);
  },
);

test.each(['perl -h', 'shutdown -h', './x --help', 'perl --help x', 'f() { rm x; }; f --help'])(
  'a request for help needs a question with other arguments, or for a program of the project: %s',
  async (command) => {
    const commands = await commandsOf(command);
    expect(commands.every(({ harmless, needsWalls }) => harmless || needsWalls)).toBe(false);
  },
);

test.runIf(hasFactor)('a program of that name in another folder of PATH is not a system program', () => {
  const folder = realPathSync(mkdtempSync(join(tmpdir(), 'helve-path-')));
  expect(systemPrograms(`${folder}:/usr/bin`)(['factor'])).toBe(true);
  expect(systemPrograms('node_modules/.bin:/usr/bin')(['factor'])).toBe(false);
  expect(systemPrograms(':/usr/bin')(['factor'])).toBe(false);
  const hidden = systemPrograms(`${folder}:/usr/bin`);
  expect(hidden(['factor'])).toBe(true);
  writeFileSync(join(folder, 'factor'), '');
  expect(hidden(['factor'])).toBe(false);
  expect(systemPrograms('/usr/bin')(['no-such-program'])).toBe(false);
});

test.each([
  ...[
    'python',
    'python3',
    'python3.11',
    'perl',
    'perl5.36-x86_64-linux-gnu',
    'x86_64-linux-gnu-gcc-12',
    'node',
    'make',
    'ssh',
    'curl',
  ],
  ...[
    'vim.basic',
    'nc.openbsd',
    'git-upload-pack',
    'systemd-run',
    'mkfs.ext4',
    'gdb',
    'tmux',
    'sudo',
    'apt-get',
    'docker',
    'kubectl',
  ],
  ...['dbus-send', 'crontab', 'openssl', 'dc', 'm4', 'ldd', 'setarch', 'msgexec', 'pg_dump', 'less', 'env', 'envsubst'],
])('%s never runs without a question', (name) => {
  expect(neverFree(name)).toBeDefined();
});

test.each(['factor', 'csvlook', 'xmllint', 'nm', 'readelf', 'tsort', 'numfmt', 'shuf'])(
  '%s may run without a question',
  (name) => {
    expect(neverFree(name)).toBeUndefined();
  },
);

test('a symlink to a descriptor or the directory of a process may lead anywhere', async () => {
  const cwd = realPathSync(mkdtempSync(join(tmpdir(), 'helve-proc-')));
  symlinkSync('/dev/stdin', join(cwd, 'in'));
  symlinkSync('/proc/self/cwd', join(cwd, 'here'));
  symlinkSync('/dev', join(cwd, 'devices'));
  for (const command of ['echo x > in', 'echo x > here/a', 'echo x > devices/fd/3', 'cat here/a', 'cat in']) {
    const files = (await analyzer.effects(command, { cwd })).filter((effect) => effect.kind === 'file');
    expect(
      files.map(({ path, tree }) => [path, tree]),
      command,
    ).toEqual([['/', true]]);
  }
});
