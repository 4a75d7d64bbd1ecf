import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Patience } from './slow-reader-guard.js';

const LINES = 20_000;

test('lines that were taken leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const patience = new Patience();
  const write = async (): Promise<void> => {};
  const used = async (): Promise<number> => {
    for (let line = 0; line < LINES; line += 1) await patience.wait(write());
    for (let round = 0; round < 3; round += 1) collect();
    return process.memoryUsage().heapUsed;
  };
  await used(); // compiled by then
  const before = await used();
  expect(((await used()) - before) / LINES).toBeLessThan(50);
});

test('a host that takes nothing is not waited for once patience is limited', async () => {
  const patience = new Patience();
  const waiting = patience.wait(new Promise(() => {}));
  const end = patience.limit(1);
  await waiting;
  end();
  expect(patience.hasGivenUp).toBe(true);
});

test('a line that fails says so to whoever wrote it', async () => {
  await expect(new Patience().wait(Promise.reject(new Error('broken pipe')))).rejects.toThrow('broken pipe');
});
