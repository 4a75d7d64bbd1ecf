import { expect, test } from 'vitest';
import { IdleWork } from './idle-work.js';

test('work is not done while a run is active', async () => {
  const idle = new IdleWork();
  await idle.begin();
  expect(await idle.whileIdle(async () => 'done')).toBeUndefined();
  idle.end();
  expect(await idle.whileIdle(async () => 'done')).toBe('done');
});

test('a run begins after work that came before it, also if it failed', async () => {
  const idle = new IdleWork();
  const held = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = idle.whileIdle(async () => {
    await held.promise;
    order.push('work');
    throw new Error('The disk is full.');
  });
  const run = idle.begin().then(() => order.push('run'));
  held.resolve();
  await expect(work).rejects.toThrow('The disk is full.');
  await run;
  expect(order).toEqual(['work', 'run']);
});
