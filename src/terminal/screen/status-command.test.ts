import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
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
