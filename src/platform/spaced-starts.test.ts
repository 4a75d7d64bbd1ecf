import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSpaced } from './spaced-starts.js';

test('starts the first at once and one more in each turn of the event loop, in order', async () => {
  const started: number[] = [];
  for (const number of [1, 2, 3]) startSpaced(() => void started.push(number));
  expect(started).toEqual([1]);
  const seen: number[] = [];
  while (started.length < 3) {
    await turn();
    seen.push(started.length);
  }
  expect(started).toEqual([1, 2, 3]);
  expect(seen).toContain(2);
});
