import { expect, test } from 'vitest';
import { ClientBuffers } from './client-buffers.js';

const signal = new AbortController().signal;
const never = (_: string, limit: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });

test('asks the clients in turn, and none that was detached', async () => {
  const buffers = new ClientBuffers(() => {});
  expect(await buffers.textOf('/a', signal)).toBe(undefined);
  buffers.attach(async () => undefined);
  const detach = buffers.attach(async (path) => `text of ${path}`);
  expect(await buffers.textOf('/a', signal)).toBe('text of /a');
  detach();
  expect(await buffers.textOf('/a', signal)).toBe(undefined);
});

test('a client that does not answer is given up once, with one notice', async () => {
  const told: string[] = [];
  const buffers = new ClientBuffers((sentence) => void told.push(sentence), { limitMs: 1 });
  let asked = 0;
  buffers.attach(async (path, limit) => {
    asked += 1;
    return await never(path, limit);
  });
  expect(await Promise.all([buffers.textOf('/a', signal), buffers.textOf('/b', signal)])).toEqual([
    undefined,
    undefined,
  ]);
  expect(await buffers.textOf('/c', signal)).toBe(undefined);
  expect([asked, told.length]).toEqual([2, 1]);
  expect(told[0]).toMatch(/did not answer fs\/read_text_file for \/a .* as they are on disk/);
});

test('a cancelled call ends the wait, and the client is asked again by the next one', async () => {
  const told: string[] = [];
  const buffers = new ClientBuffers((sentence) => void told.push(sentence));
  let asked = 0;
  buffers.attach(async (path, limit) => {
    asked += 1;
    return asked === 1 ? await never(path, limit) : 'text';
  });
  const controller = new AbortController();
  const first = buffers.textOf('/a', controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(first).rejects.toThrow('cancelled');
  expect([await buffers.textOf('/a', signal), told]).toEqual(['text', []]);
});
