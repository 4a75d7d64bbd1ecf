import { expect, test } from 'vitest';
import { lazy } from './lazy.js';

test('loads on the first call, and only once', async () => {
  let loads = 0;
  const get = lazy(async () => {
    loads += 1;
    return { loads };
  });
  expect(loads).toBe(0);
  expect(await get.ifLoaded()).toBeUndefined();
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get.ifLoaded()).toBe(first);
  expect(loads).toBe(1);
});

test('tries again after a failure', async () => {
  let loads = 0;
  const get = lazy(async () => {
    loads += 1;
    if (loads === 1) throw new Error('no such file');
    return loads;
  });
  await expect(Promise.all([get(), get()])).rejects.toThrow('no such file');
  expect(await get()).toBe(2);
});
