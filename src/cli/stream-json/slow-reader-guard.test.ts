import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { SlowReaderGuard } from './slow-reader-guard.js';

const LINES = 20_000;

test('written lines are released', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const guard = new SlowReaderGuard();
  const write = async (): Promise<void> => {};
  const used = async (): Promise<number> => {
    for (let line = 0; line < LINES; line += 1) await guard.wait(write());
    for (let round = 0; round < 3; round += 1) collect();
    return process.memoryUsage().heapUsed;
  };
  await used(); // compiled by this time
  const before = await used();
  expect(((await used()) - before) / LINES).toBeLessThan(50);
});

test('does not wait for a host that reads nothing once the wait is limited', async () => {
  const guard = new SlowReaderGuard();
  const waiting = guard.wait(new Promise(() => {}));
  const end = guard.limit(1);
  await waiting;
  end();
  expect(guard.hasGivenUp).toBe(true);
});

test('a line that fails rejects its write', async () => {
  await expect(new SlowReaderGuard().wait(Promise.reject(new Error('broken pipe')))).rejects.toThrow('broken pipe');
});
