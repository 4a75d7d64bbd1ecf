import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

async function place() {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer(() => ({ text: 'All is well.' }));
  onTestFinished(async () => await server.close());
  const env = { HELVE_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
  const file = join(home, 'schedules.json');
  /** As if the schedule had been added a day ago. */
  const age = (): void =>
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        /"created": "[^"]+"/,
        () => `"created": "${new Date(Date.now() - 86_400_000).toISOString()}"`,
      ),
    );
  return { cwd, env, file, age, server, helve: (...args: string[]) => runHelve(['schedule', ...args], { cwd, env }) };
}

test('a prompt is scheduled, listed, run once when it is due, and removed', async () => {
  const { cwd, helve, age, server } = await place();
  expect((await helve()).stderr).toContain('Nothing is scheduled.');
  const added = await helve('add', '* * * * *', '-look around', '--max-budget-usd', '1');
  expect(added).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^helve: It runs when "helve schedule run" is called.*\n$/),
    stdout: expect.stringMatching(/^Scheduled [0-9a-f]{6}\. next \d{4}-/),
  });
  const [listed] = JSON.parse((await helve('list', '--json')).stdout);
  expect(listed).toMatchObject({ prompt: '-look around', root: cwd, options: ['--max-budget-usd', '1'] });
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
  const { cwd, env, helve, age, server } = await place();
  await helve('add', '* * * * *', 'look', '--max-budget-usd', '1');
  age();
  rmSync(cwd, { recursive: true });
  const run = await runHelve(['schedule', 'run'], { cwd: tmpdir(), env });
  expect(run).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was not run: its folder .* is not there any more/),
  });
  expect(server.requests).toHaveLength(0);
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
