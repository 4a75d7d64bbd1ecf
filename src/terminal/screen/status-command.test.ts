import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../testing/watch-processes.js';
import { StatusCommand } from './status-command.js';

async function shown(command: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const status = new StatusCommand({
    command,
    cwd: () => tmpdir(),
    env: () => ({ PATH: process.env['PATH'], WORD: 'given' }),
    facts: () => ({ model: 'm' }),
    show: resolve,
  });
  onTestFinished(() => status.stop());
  status.refresh();
  return await promise;
}

test('shows the output of the command, which gets the facts as JSON', async () => {
  expect(await shown('echo "$WORD $(cat)"')).toBe('given {"model":"m"}');
});

test('a command that does not read its input works too', async () => {
  expect(await shown('echo on')).toBe('on');
});

test('a command that fails shows nothing', async () => {
  expect(await shown('echo half; exit 3')).toBeUndefined();
});

/** A status line command that does not end, and the file with the process ids of what it starts, one per run. */
async function endless(): Promise<{ status: StatusCommand; pids: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-status-'));
  const pids = join(folder, 'pids');
  const status = new StatusCommand({
    command: `sh -c 'echo $$ >> pids; exec sleep 300'; echo hi`,
    cwd: () => folder,
    env: () => ({ PATH: process.env['PATH'] }),
    facts: () => ({}),
    show: () => {},
  });
  onTestFinished(async () => {
    status.kill();
    await rm(folder, { recursive: true, force: true });
  });
  status.refresh();
  await until(() => isWritten(pids));
  return { status, pids };
}

test('a refresh ends the last run with all its processes', async () => {
  const { status, pids } = await endless();
  status.refresh();
  await until(() => pidsIn(pids).length === 2);
  const [first = 0, second = 0] = pidsIn(pids);
  await until(() => !isRunning(first));
  expect(isRunning(second)).toBe(true);
});

test.each(['stop', 'kill'] as const)('%s ends the run with all its processes', async (way) => {
  const { status, pids } = await endless();
  const [pid = 0] = pidsIn(pids);
  expect(isRunning(pid)).toBe(true);
  status[way]();
  await until(() => !isRunning(pid));
  expect(isRunning(pid)).toBe(false);
});
