import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

let cwd: string;
let env: Record<string, string>;

/** A folder with helve on the path, one session, and servers of which one has a name that no shell should see. */
beforeAll(async () => {
  cwd = await emptyFolder();
  const bin = await emptyFolder();
  env = { PATH: [bin, process.env['PATH']].join(delimiter), HOME: await emptyFolder() };
  await writeFile(join(bin, 'helve'), `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/helve.cjs')}' "$@"\n`);
  await chmod(join(bin, 'helve'), 0o755);
  await mkdir(join(cwd, 'some folder'));
  await writeFile(join(cwd, 'some notes.json'), '{}');
  const script = join(cwd, 'script.json');
  await writeFile(script, JSON.stringify({ turns: [{ text: 'Done.' }] }));
  const servers = { plain: { command: 'true' }, '$(touch stolen)': { command: 'true' } };
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  await runHelve(['-p', 'one word', '--model', `scripted/${script}`, '--session-id', ID], { cwd, env });
}, 60_000);

const ID = '0a0b0c0d-1111-4222-8333-444455556666';

const cases: ReadonlyArray<[line: string, expected: readonly string[]]> = [
  ['helve permi', ['permissions']],
  ['helve sessions sh', ['show']],
  ['helve sessions show 0a', [ID]],
  ['helve call --permission-mode acc', ['acceptEdits']],
  ['helve mcp get ', ['plain']],
  ['helve sessions export --output some', ['some folder', 'some notes.json']],
];

test('bash completes commands, flags, their values, sessions and files', async () => {
  // Words as bash cuts them, and what readline has of the last one.
  const ask = cases.map(([line]) => bashCall(line.split(' '), line.split(' ').at(-1) ?? ''));
  const cut = bashCall(['helve', '-p', '--output-format', '=', 'st'], 'st');
  expect(await answers('bash', ['--norc'], 'source <(helve completion bash)', [...ask, cut])).toEqual([
    ...cases.map(([, expected]) => expected),
    ['stream-json'],
  ]);
});

const bashCall = (words: readonly string[], last: string): string =>
  `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}; ` +
  `_helve helve '${last}'; printf '%s\\n' "\${COMPREPLY[@]}"`;

test('bash completes an alias of helve', async () => {
  const alias = `alias helve="'${process.execPath}' '${resolve('bin/helve.cjs')}'"`;
  const own = { ...env, PATH: process.env['PATH'] ?? '' };
  const setUp = `shopt -s expand_aliases\n${alias}\nsource <(helve completion bash)`;
  expect(await answers('bash', ['--norc'], setUp, [bashCall(['helve', 'und'], 'und')], own)).toEqual([['undo']]);
});

test('zsh completes commands, flags, their values, sessions and files', async ({ skip }) => {
  if (!isThere('zsh')) return skip('zsh is not installed.');
  // Its own functions, which draw, are replaced by some that print what they are given.
  const setUp = `compdef() { :; }
    _describe() { for one in "\${(@P)2}"; do print -r -- "\${one%%:*}"; done; }
    _files() { print -rl -- some*; }
    source <(helve completion zsh)`;
  const ask = cases.map(
    ([line]) => `words=(\${(s: :)"\${:-${line}}"} ${line.endsWith(' ') ? "''" : ''}); CURRENT=$#words; _helve`,
  );
  expect(await answers('zsh', ['-f'], setUp, ask)).toEqual(cases.map(([, expected]) => expected));
});

test('fish completes commands, flags, their values, sessions and files', async ({ skip }) => {
  if (!isThere('fish')) return skip('fish is not installed.');
  const ask = cases.map(([line]) => `complete -C '${line}' | string replace -r '\\t.*' '' | string trim -r -c /`);
  const found = await answers('fish', ['--no-config'], 'helve completion fish | source', ask);
  expect(found).toEqual(cases.map(([, expected]) => expected));
});

test('an unknown shell is refused, with the list of known ones', async () => {
  const { code, stderr } = await runHelve(['completion', 'bsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('There is no "helve completion bsh". Did you mean "helve completion bash"?');
});

/** The lines that each question printed, of one run of the shell. */
async function answers(
  shell: string,
  flags: readonly string[],
  setUp: string,
  questions: readonly string[],
  own = env,
) {
  const program = [setUp, ...questions.flatMap((question) => ['echo ----', question])].join('\n');
  const { stdout, stderr } = await promisify(execFile)(shell, [...flags, '-c', program], { cwd, env: own });
  expect(stderr).toBe('');
  const blocks = stdout.split('----\n').slice(1);
  return blocks.map((block) =>
    block
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  );
}

function isThere(shell: string): boolean {
  try {
    execFileSync(shell, ['--version']);
    return true;
  } catch {
    return false;
  }
}
