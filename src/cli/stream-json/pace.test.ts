import { expect, test } from 'vitest';
import { EventQueue } from '../../platform/event-queue.js';
import { Pace } from './pace.js';

test('has caught up only when the reader has processed every event', async () => {
  const pace = new Pace();
  const queue = new EventQueue<number>();
  const [busy, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const reading = (async () => {
    for await (const event of pace.follow(queue)) {
      if (event === 1) {
        told.resolve();
        await busy.promise;
      }
      order.push(`read ${event}`);
    }
  })();
  for (const event of [1, 2, 3]) queue.push(event);
  await told.promise;
  const caughtUp = pace.caughtUp().then(() => order.push('caught up'));
  busy.resolve();
  await caughtUp;
  queue.push(4);
  queue.end();
  await reading;
  expect(order).toEqual(['read 1', 'read 2', 'read 3', 'caught up', 'read 4']);
});

test('has caught up if nothing is read, and after a reader that stopped', async () => {
  const pace = new Pace();
  await pace.caughtUp();
  const queue = new EventQueue<number>();
  queue.push(1);
  queue.push(2);
  for await (const _ of pace.follow(queue)) break;
  await pace.caughtUp();
});
