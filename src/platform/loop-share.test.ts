import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { monotonicMs } from './clock.js';
import { loopShare } from './loop-share.js';

test('work that would hold the event loop goes on in later turns, in its order', async () => {
  const done: number[] = [];
  const piece = async (number: number): Promise<void> => {
    await loopShare();
    const until = monotonicMs() + 16;
    while (monotonicMs() < until); // holds the event loop
    done.push(number);
  };
  // Six events of one turn of the event loop.
  const all = Promise.all(Array.from({ length: 6 }, (_, number) => nextTurn(number).then(piece)));
  const perTurn = [];
  for (let before = 0; done.length < 6; before = done.length) {
    await nextTurn();
    perTurn.push(done.length - before);
  }
  await all;
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2);
});

test('work that begins alone does not wait', async () => {
  await nextTurn();
  expect(loopShare()).toBeUndefined();
});
