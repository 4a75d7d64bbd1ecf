import { expect, test } from 'vitest';
import { PromptQueue } from './prompt-queue.js';

const prompt = (text: string) => ({ content: [{ type: 'text' as const, text }], uuid: text });

test('returns prompts in order, including later ones, until it ends', async () => {
  const queue = new PromptQueue();
  queue.add(prompt('a'));
  expect((await queue.next())?.uuid).toBe('a');
  const next = queue.next();
  queue.add(prompt('b'));
  expect((await next)?.uuid).toBe('b');
  queue.add(prompt('c'));
  queue.end();
  expect((await queue.next())?.uuid).toBe('c');
  expect(await queue.next()).toBeUndefined();
  expect(queue.add(prompt('d'))).toContain('ending');
});

test('interrupts the running prompt, and keeps the others', async () => {
  const queue = new PromptQueue();
  for (const word of ['a', 'b', 'c']) queue.add(prompt(word));
  const running = await queue.next();
  expect(queue.interrupt().map(({ uuid }) => uuid)).toEqual(['b', 'c']);
  expect(running?.controller.signal.aborted).toBe(true);
  expect((await queue.next())?.controller.signal.aborted).toBe(false);
  expect(queue.interrupt({ dropWaiting: true })).toEqual([]);
  queue.end();
  expect(await queue.next()).toBeUndefined();
});

test('interrupts the prompt that is about to run', async () => {
  const queue = new PromptQueue();
  queue.add(prompt('a'));
  queue.add(prompt('b'));
  expect(queue.interrupt({ dropWaiting: true })).toEqual([]);
  queue.end();
  expect((await queue.next())?.controller.signal.aborted).toBe(true);
  expect(await queue.next()).toBeUndefined();
});

test('refuses a prompt when it is full, instead of growing without limit', () => {
  const queue = new PromptQueue();
  const problems = Array.from({ length: 1_001 }, () => queue.add(prompt('x')));
  expect(problems.findIndex((problem) => problem !== undefined)).toBe(1_000);
  const large = new PromptQueue();
  const megabytes = { ...prompt('x'), content: [{ type: 'text' as const, text: 'x'.repeat(40_000_000) }] };
  expect([large.add(megabytes), large.add(megabytes)]).toEqual([
    undefined,
    expect.stringContaining('1 prompts are already waiting'),
  ]);
});
