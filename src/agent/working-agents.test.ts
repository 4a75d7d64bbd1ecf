import { expect, test } from 'vitest';
import { beginWork } from './working-agents.js';

const env = { HELVE_MAX_WORKING_AGENTS: '2' };
const never = new AbortController().signal;

test('limits how many agents work at once, and starts the next when one ends', async () => {
  const [first, second] = [await beginWork(env, never), await beginWork(env, never)];
  const order: string[] = [];
  const third = beginWork(env, never).then((work) => {
    order.push('third');
    return work;
  });
  const fourth = beginWork(env, never).then((work) => {
    order.push('fourth');
    return work;
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  expect(first.end()).toBe(true);
  const taken = await third;
  expect(order).toEqual(['third']);
  expect(second.end()).toBe(true);
  const last = await fourth;
  expect(order).toEqual(['third', 'fourth']);
  expect([taken.end(), last.end(), last.end()]).toEqual([false, false, false]);
});

test('lets another agent work while a person is asked', async () => {
  const [first, second] = [await beginWork(env, never), await beginWork(env, never)];
  const answer = Promise.withResolvers<string>();
  const asked = first.paused(() => answer.promise);
  const third = await beginWork(env, never);
  answer.resolve('yes');
  let isBack = false;
  const back = asked.then((given) => {
    isBack = true;
    return given;
  });
  await new Promise((done) => setImmediate(done));
  expect(isBack).toBe(false);
  third.end();
  expect(await back).toBe('yes');
  first.end();
  second.end();
});

test('an interrupted agent does not wait for a slot', async () => {
  const [first, second] = [await beginWork(env, never), await beginWork(env, never)];
  const stop = new AbortController();
  const third = beginWork(env, stop.signal);
  stop.abort();
  expect((await third).end()).toBe(false);
  first.end();
  second.end();
  const [again, more] = [await beginWork(env, never), await beginWork(env, never)]; // no slot was lost
  again.end();
  more.end();
});
