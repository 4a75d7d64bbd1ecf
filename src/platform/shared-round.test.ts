import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sharedRound } from './shared-round.js';

test('concurrent calls share one round, and a call during a round gets the next', async () => {
  let rounds = 0;
  const going = Promise.withResolvers<void>();
  const work = async (): Promise<number> => {
    rounds += 1;
    const number = rounds;
    if (number === 1) await going.promise;
    return number;
  };
  const first = Array.from({ length: 500 }, () => sharedRound('test of sharing', work));
  while (rounds === 0) await nextRound();
  const late = Array.from({ length: 500 }, () => sharedRound('test of sharing', work));
  for (let turn = 0; turn < 5; turn += 1) await nextRound();
  expect(rounds).toBe(1); // never two at once
  going.resolve();
  expect(new Set(await Promise.all(first))).toEqual(new Set([1]));
  expect(new Set(await Promise.all(late))).toEqual(new Set([2]));
  expect(await sharedRound('test of sharing', work)).toBe(3);
});

test('a round that fails rejects only for its own callers', async () => {
  let isBroken = true;
  const work = (): string => {
    if (isBroken) throw new Error('broken');
    return 'fine';
  };
  const outcomes = await Promise.allSettled([
    sharedRound('test of failing', work),
    sharedRound('test of failing', work),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await sharedRound('test of failing', work)).toBe('fine');
});
