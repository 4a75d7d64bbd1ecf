import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeDue } from '../../src/agent/schedule/schedules.js';
import { storeKey } from '../../src/models/catalogue/store-key.js';
import { startFakeModelServer } from '../../src/testing/index.js';
import { until } from '../../src/testing/watch-processes.js';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

async function place() {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer(() => ({ text: 'All is well.' }));
  const env = { HELVE_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
  const file = join(home, 'schedules.json');
  /** As if the schedule had been added that many days ago. */
  const age = (days = 1): void =>
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        /"created": "[^"]+"/,
        () => `"created": "${new Date(Date.now() - days * 86_400_000).toISOString()}"`,
      ),
    );
  const run = (args: readonly string[], more = {}) => runHelve(args, { cwd, env: { ...env, ...more } });
  onTestFinished(async () => {
    await runHelve(['host', 'stop'], { cwd: tmpdir(), env }); // the folder may be gone
    await server.close();
  });
  return { cwd, env, file, home, age, server, run, helve: (...args: string[]) => run(['schedule', ...args]) };
}

test('a prompt is scheduled, listed, run once when it is due, and removed', async () => {
  const { cwd, helve, age, server, run: other } = await place();
  expect((await helve()).stderr).toContain('Nothing is scheduled.');
  const added = await helve('add', '* * * * *', '-look around', '--max-budget-usd', '1');
  expect(added).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('stored keys and sign-ins only'),
    stdout: expect.stringMatching(/^Scheduled [0-9a-f]{6}\. next \d{4}-/),
  });
  const [listed] = JSON.parse((await helve('list', '--json')).stdout);
  expect(listed).toMatchObject({ prompt: '-look around', root: cwd, options: ['--max-budget-usd', '1'] });
  await other(['host', 'stop']);
  age();
  expect((await helve('list')).stdout).toContain('due now');
  const run = await helve('run');
  expect(run).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  expect(run.stderr).toContain('earlier times missed: -look around');
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('-look around');
  expect((await helve('remove', listed.id)).stdout).toBe(`Removed ${listed.id}.\n`);
  expect((await helve('remove', listed.id)).code).toBe(1);
});

test('a damaged file is named, and stays as it is', async () => {
  const { helve, file } = await place();
  writeFileSync(file, '{"schedules": [', { mode: 0o600 });
  for (const args of [['list'], ['run'], ['add', '@daily', 'x']]) {
    expect(await helve(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^helve: .*schedules\.json is damaged/),
    });
  }
  expect(readFileSync(file, 'utf8')).toBe('{"schedules": [');
});

test('a schedule whose folder is gone is named, and the others run', async () => {
  const { cwd, env, helve, age, server, run: other } = await place();
  await helve('add', '* * * * *', 'look', '--max-budget-usd', '1');
  await other(['host', 'stop']);
  age();
  rmSync(cwd, { recursive: true });
  const run = await runHelve(['schedule', 'run'], { cwd: tmpdir(), env });
  expect(run).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was not run: its folder .* is not there any more/),
  });
  expect(server.requests).toHaveLength(0);
});

/** A key that is stored, as with /key. */
const withKey = async (home: string, url: string): Promise<void> => {
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { anthropic: { baseUrl: url } } }));
  expect(await storeKey('ANTHROPIC_API_KEY', 'sk-stored', { HELVE_HOME: home })).toBeUndefined();
};

test('the host runs a due schedule as a background session with a stored key, and no time twice', async () => {
  const { cwd, home, helve, age, server, run } = await place();
  await withKey(home, server.url);
  const added = await helve('add', '@yearly', 'look around', '--max-budget-usd', '1');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  await run(['host', 'stop']);
  age(400);
  await run(['bg', 'another prompt']); // the next client starts a host, which finds it
  await until(async () => (await helve('list')).stdout.includes('started at'));
  const [{ last }] = JSON.parse((await helve('list', '--json')).stdout);
  const listed = jsonLines((await run(['ps', '--json'])).stdout);
  expect(listed).toContainEqual(
    expect.objectContaining({ id: last.session, kind: 'background', root: cwd, title: 'look around' }),
  );
  await until(() => server.requests.length === 2);
  await run(['host', 'stop']);
  await run(['bg', 'a third prompt']);
  await until(() => server.requests.length === 3);
  expect(server.requests.filter(({ text }) => text.includes('look around'))).toHaveLength(1);
});

test('without a stored key a schedule waits, helve ps and the list say why, and its time is not used up', async () => {
  const { helve, age, run } = await place();
  await helve('add', '@yearly', 'look around', '--max-budget-usd', '1');
  await run(['host', 'stop']);
  age(400);
  await run(['bg', 'another prompt']);
  await until(async () => (await helve('list')).stdout.includes('waits: '));
  expect((await run(['ps'])).stderr).toMatch(/The schedule [0-9a-f]{6} waits\. .*helve schedule run/);
  await run(['host', 'stop']);
  expect(await helve('run')).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  expect((await helve('list')).stdout).toContain('started at');
});

test('a time that was taken by a process that was killed is said to be missed, and does not run', async () => {
  const { home, helve, age, run } = await place();
  await helve('add', '@yearly', 'look around', '--max-budget-usd', '1');
  await run(['host', 'stop']);
  age(400);
  expect(await takeDue(home)).toMatchObject({ missed: expect.any(Number) });
  expect((await helve('list')).stdout).toContain('missed at');
  expect((await helve('run')).stderr).toContain('Nothing is due.');
});

test('a schedule with an option that background sessions do not have is left to helve schedule run', async () => {
  const { helve } = await place();
  const { stderr } = await helve('add', '@yearly', 'x', '--json-schema', '{}', '--max-budget-usd', '1');
  expect(stderr).toMatch(/It waits .*--json-schema.*helve schedule run/);
});

test.each([
  [['add', '0 0 31 6 *', 'x'], 'never fires'],
  [['add', '@reboot', 'x'], 'There is no "@reboot". There are: @hourly'],
  [['add', '0', '9', '*', '*', '1-5', 'x'], '"0" has 1 field, and a cron line has five, in one pair of quotes'],
  [['add', '0 9 * * 1-5'], 'takes a cron line and a prompt'],
  [['add', '0 9 * * 1-5', 'x', '--max-bugdet-usd', '1'], '--max-bugdet-usd'],
  [['add', '0 9 * * 1-5', 'x', 'y'], 'takes only options'],
  [['add', '0 9 * * 1-5', 'x', '--continue'], 'a session of its own'],
  [['dance'], 'There are: list, add, remove, run'],
])('schedule %j is refused', async (args, sentence) => {
  const { helve } = await place();
  expect(await helve(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});
