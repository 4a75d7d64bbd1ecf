import { expect, test, vi } from 'vitest';
import { takeSlot } from './working-agents.js';

const env = { HELVE_MAX_WORKING_AGENTS: '2' };
const never = new AbortController().signal;

test('limits how many agents work at once, and starts the next when one ends', async () => {
  const [first, second] = [await takeSlot(env, never), await takeSlot(env, never)];
  const order: string[] = [];
  const third = takeSlot(env, never).then((slot) => {
    order.push('third');
    return slot;
  });
  const fourth = takeSlot(env, never).then((slot) => {
    order.push('fourth');
    return slot;
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  expect(first.release()).toBe(true);
  const taken = await third;
  expect(order).toEqual(['third']);
  expect(second.release()).toBe(true);
  const last = await fourth;
  expect(order).toEqual(['third', 'fourth']);
  expect([taken.release(), last.release(), last.release()]).toEqual([false, false, false]);
});

test('lets another agent work while a person is asked', async () => {
  const [first, second] = [await takeSlot(env, never), await takeSlot(env, never)];
  const answer = Promise.withResolvers<string>();
  const asked = first.paused(() => answer.promise);
  const third = await takeSlot(env, never);
  answer.resolve('yes');
  let isBack = false;
  const back = asked.then((given) => {
    isBack = true;
    return given;
  });
  await new Promise((done) => setImmediate(done));
  expect(isBack).toBe(false);
  third.release();
  expect(await back).toBe('yes');
  first.release();
  second.release();
});

test('an interrupted agent does not wait for a slot', async () => {
  const [first, second] = [await takeSlot(env, never), await takeSlot(env, never)];
  const stop = new AbortController();
  const third = takeSlot(env, stop.signal);
  stop.abort();
  expect((await third).release()).toBe(false);
  first.release();
  second.release();
  const [again, more] = [await takeSlot(env, never), await takeSlot(env, never)]; // no slot was lost
  again.release();
  more.release();
});

test('each turn of the event loop starts only some agents, so that many do not hold it together', async () => {
  const many = { HELVE_MAX_WORKING_AGENTS: '60' };
  let started = 0;
  const slots = Array.from({ length: 60 }, async () => {
    const slot = await takeSlot(many, never);
    started += 1;
    return slot;
  });
  const perTurn: number[] = [];
  for (let before = 0; started < 60; before = started) {
    await new Promise((done) => setImmediate(done));
    perTurn.push(started - before);
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(9); // eight, and the first at once
  for (const slot of await Promise.all(slots)) slot.release();
});

test('an agent that has to wait for others says so', async () => {
  const [first, second] = [await takeSlot(env, never), await takeSlot(env, never)];
  const said: string[] = [];
  const waiting = ['third', 'fourth'].map(() => takeSlot(env, never, (sentence) => said.push(sentence)));
  expect(said).toEqual([
    'Waiting until one of the 2 sessions that work at the same time is done.',
    'Waiting until one of the 2 sessions that work at the same time is done, after 1 that waits already.',
  ]);
  first.release();
  second.release();
  for (const slot of await Promise.all(waiting)) slot.release();
});

test('timers that a program replaces for a while do not stop the agents behind the first', async () => {
  vi.useFakeTimers();
  const first = await takeSlot(env, never);
  vi.useRealTimers();
  const second = await takeSlot(env, never);
  first.release();
  second.release();
});
