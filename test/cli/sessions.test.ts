import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

const token = `ghp_${'a1B2'.repeat(9)}`;

/** A folder with one kept session, and Helve run by the same person. */
async function person(prompt: string, args: readonly string[] = []) {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(cwd, 'script.json'), JSON.stringify({ turns: [{ text: 'Done.' }] }));
  const run = async (...words: string[]) => await runHelve(words, { cwd, env: { HELVE_HOME: home } });
  const say = async (...words: string[]) => await run('-p', ...words, '--model', 'scripted/script.json');
  await say(prompt, ...args);
  return { run, say, home };
}

test('titles in the list contain no token, neither whole nor cut', async () => {
  const { run, say } = await person(`use ${token} please`);
  await say(`${'word '.repeat(14)}${token}`);
  const { stdout } = await run('sessions');
  expect(stdout).toContain('use [redacted: GitHub token] please');
  expect(stdout).not.toContain('ghp_');
  expect((await run('sessions', '--json')).stdout).not.toContain('ghp_');
});

test('a fork is marked as one', async () => {
  const { run, say } = await person('first');
  await say('second', '--continue', '--fork');
  const [fork = '', first = ''] = (await run('sessions')).stdout.split('\n');
  expect(first).toMatch(/ first$/);
  expect(fork).toMatch(new RegExp(` \\(fork of ${first.slice(0, 8)}\\)$`));
});

test('sessions show does not mention that a mode is not restored; --continue does', async () => {
  const { run, say } = await person('go', ['--permission-mode', 'acceptEdits']);
  expect(await run('sessions', 'show', 'last')).toMatchObject({ code: 0, stderr: '' });
  expect((await say('on', '--continue')).stderr).toContain('The mode "accept edits" is not restored.');
});

test('an interrupt is not listed as a prompt', async () => {
  const { run, home } = await person('go');
  const id = (await readdir(join(home, 'sessions'))).find((name) => !name.startsWith('.')) ?? '';
  const folder = join(home, 'sessions', id);
  const file = (await readdir(folder)).find((name) => name.endsWith('.jsonl')) ?? '';
  const content = [{ type: 'text', text: '[The user interrupted here.]' }];
  await appendFile(join(folder, file), `${JSON.stringify({ at: Date.now(), type: 'user', content })}\n`);
  const { stdout } = await run('sessions', 'show', 'last');
  expect(stdout).toContain('\n> go\n');
  expect(stdout).toContain('\n  [The user interrupted here.]\n');
});
