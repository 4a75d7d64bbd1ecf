import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryRepository } from '../../src/testing/git-repository.js';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { isRunning, until } from '../../src/testing/watch-processes.js';
import { emptyFolder, type HelveRun, jsonLines, runHelve } from './run-helve.js';

async function place(answers: FakeAnswers, more: Readonly<Record<string, string>> = {}) {
  const repository = await temporaryRepository({ 'a.txt': 'a\n' });
  const home = await emptyFolder();
  const server = await startFakeModelServer(answers);
  const env = {
    ...{ HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url },
    ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', ...more },
  };
  const helve = async (...args: readonly string[]): Promise<HelveRun> =>
    await runHelve(args, { cwd: repository.root, env });
  onTestFinished(async () => {
    await helve('host', 'stop');
    await server.close();
  });
  const ps = async () => jsonLines((await helve('ps', '--json', '--all')).stdout);
  const stateIs = async (state: string): Promise<void> =>
    await until(async () => (await ps()).every((session) => session['state'] === state));
  return { ...repository, home, server, helve, ps, stateIs };
}

const write = (file_path: string, content: string) => ({
  text: 'I write it.',
  calls: [{ name: 'Write', input: { file_path, content } }],
});
const edits = ['--permission-mode', 'acceptEdits'];

test('a background session works in a worktree, is listed with it, goes on there after its host was killed, and stop keeps what it did', async () => {
  const at = await place([
    write('new.txt', 'one\n'),
    { text: 'Done.' },
    write('more.txt', 'two\n'),
    { text: 'Again.' },
  ]);
  const { code, stdout, stderr } = await at.helve('bg', '--worktree', 'fix', ...edits, 'write it');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('in a worktree of its own') });
  const id = stdout.trim();
  await at.stateIs('idle');
  expect(existsSync(join(at.root, 'new.txt'))).toBe(false);
  const [{ root, worktree, pid } = {}] = await at.ps();
  expect(worktree).toEqual({ name: 'fix', project: at.root });
  expect(readFileSync(join(String(root), 'new.txt'), 'utf8')).toBe('one\n');
  expect((await at.helve('ps')).stdout).toMatch(/idle +[\w-]+….?:fix/);
  expect((await at.helve('worktree', 'list')).stdout).toMatch(/^fix {2}in use/);

  process.kill(Number(pid), 'SIGKILL');
  await until(() => !isRunning(Number(pid)));
  expect(await at.helve('bg', '--resume', id, ...edits, 'and more')).toMatchObject({ code: 0 });
  await at.stateIs('idle');
  expect(readFileSync(join(String(root), 'more.txt'), 'utf8')).toBe('two\n');

  const stopped = await at.helve('stop', id);
  expect(stopped.stdout).toContain(`To continue it: helve attach ${id.slice(0, 8)}`);
  expect(stopped.stderr).toMatch(/[Tt]he worktree fix is kept with 2 changed files[\s\S]*helve worktree merge fix/);
  expect(at.git('show', 'worktree-fix:more.txt')).toBe('two\n');
  expect((await at.ps())[0]?.['activity']).toContain('The worktree fix is kept');
});

test('with --worktree-end merge, the branch is merged once the session has had nothing to do for a while', async () => {
  const at = await place([write('new.txt', 'one\n'), { text: 'Done.' }], { HELVE_HOST_IDLE_MS: '200' });
  await at.helve('bg', '-w', 'fix', '--worktree-end', 'merge', ...edits, 'write it');
  await until(() => existsSync(join(at.root, 'new.txt')));
  await until(async () => String((await at.ps())[0]?.['activity']).includes('was merged into'));
  expect(at.git('branch').trim()).toBe('* main');
  const [{ id } = {}] = await at.ps();
  const again = await at.helve('bg', '--resume', String(id), 'go on');
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('which was removed') });
  expect(await at.helve('stop', String(id))).toMatchObject({ code: 0, stdout: expect.stringContaining('helve logs') });
});

test('a worktree in which nothing is new is removed at the end, also of a session that was closed before', async () => {
  const at = await place([{ text: 'Nothing to do.' }, { text: 'Still nothing.' }]);
  const first = (await at.helve('bg', '--worktree', 'look', 'look')).stdout.trim();
  await at.stateIs('idle');
  expect((await at.helve('stop', first)).stderr).toContain('The worktree look was removed with its branch');
  await at.helve('bg', '--worktree', 'other', 'look');
  await at.stateIs('idle');
  await at.helve('host', 'stop');
  const [{ id } = {}] = (await at.ps()).filter(({ id: one }) => one !== first);
  expect((await at.helve('stop', String(id))).stderr).toContain('the worktree other was removed with its branch');
});

test('a worktree that can not be made, and flags that do not go together, are refused, and nothing runs', async () => {
  const at = await place([]);
  at.git('branch', 'worktree-taken');
  const taken = await at.helve('bg', '--worktree', 'taken', 'go');
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was not accepted[\s\S]*worktree-taken exists/),
  });
  expect(await at.helve('bg', '--worktree-end', 'merge', 'go')).toMatchObject({ code: 2 });
  expect(await at.helve('bg', '--worktree', 'a', '--resume', 'last', 'go')).toMatchObject({ code: 2 });
  expect(await at.ps()).toEqual([]);
  expect(at.server.requests).toEqual([]);
});
