import { expect, test } from 'vitest';
import { STARTS_AT_ONCE, StartQueue } from './start-queue.js';

/** Work for a queue that notes its start and ends when it is told to. */
function work(queue: StartQueue, signal = new AbortController().signal) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = async (name: string): Promise<void> => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end.resolve);
    await queue.run(async () => {
      started.push(name);
      await end.promise;
    }, signal);
  };
  return { started, add, end: (name: string) => ends.get(name)?.() };
}

const begun = (): Promise<void> => new Promise((done) => setImmediate(done));

const names = Array.from({ length: STARTS_AT_ONCE + 2 }, (_, index) => `server ${index}`);

test('a few start at once, and the next one when one has ended, in order', async () => {
  const { started, add, end } = work(new StartQueue());
  const all = names.map(add);
  await begun();
  expect(started).toEqual(names.slice(0, STARTS_AT_ONCE));
  end('server 1');
  await all[1];
  await begun();
  expect(started).toEqual(names.slice(0, STARTS_AT_ONCE + 1));
  for (const name of names) end(name);
  await Promise.all(all);
  expect(started).toEqual(names);
});

test('with a limit of 0 those that have begun go on, and no other begins until it is raised', async () => {
  const queue = new StartQueue();
  const { started, add, end } = work(queue);
  queue.limit(1);
  const all = names.map(add);
  await begun();
  expect(started).toEqual(['server 0']);
  queue.limit(0);
  end('server 0');
  await all[0];
  await begun();
  expect(started).toEqual(['server 0']);
  queue.limit(STARTS_AT_ONCE);
  for (const name of names) end(name);
  await Promise.all(all);
  expect(started).toEqual(names);
});

test('an abort ends the wait of those that have not begun, and leaves no place taken', async () => {
  const queue = new StartQueue();
  const stop = new AbortController();
  queue.limit(0);
  const aborted = work(queue, stop.signal);
  const waiting = aborted.add('aborted');
  stop.abort(new Error('The session has ended.'));
  await expect(waiting).rejects.toThrow('The session has ended.');
  queue.limit(1);
  const { started, add, end } = work(queue);
  const next = add('next');
  end('next');
  await next;
  expect([...aborted.started, ...started]).toEqual(['next']);
});
