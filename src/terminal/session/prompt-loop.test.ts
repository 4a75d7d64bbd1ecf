import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PromptLoop } from './prompt-loop.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function loopOf() {
  const state = { isBusy: false };
  const [said, told]: [string[], string[]] = [[], []];
  const loop = new PromptLoop({
    isBusy: () => state.isBusy,
    say: (prompt) => said.push(prompt),
    tell: (sentence) => told.push(sentence),
  });
  return { loop, state, said, told };
}

test('sends the prompt after each interval, but not while work is going on', () => {
  const { loop, state, said } = loopOf();
  loop.start('look', 60_000);
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual(['look']);
  state.isBusy = true;
  vi.advanceTimersByTime(120_000);
  state.isBusy = false;
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(2);
  expect(loop.stop()).toBe(true);
  vi.advanceTimersByTime(600_000);
  expect(said).toHaveLength(2);
});

test.each([
  ['an interrupt', ['interrupted'], 'you stopped the work'],
  ['a budget that is used up', ['budget'], 'the budget is used up'],
  ['three failures in a row', ['model_error', 'model_error', 'model_error'], '3 prompts in a row have failed'],
] as const)('%s ends it, with the reason', (_, outcomes, why) => {
  const { loop, told } = loopOf();
  loop.start('look', 60_000);
  for (const outcome of outcomes) {
    expect(told).toEqual([]);
    loop.after({ outcome });
  }
  expect(told).toEqual([`The prompt is not repeated any more, because ${why}. To start again: /loop 1m look`]);
  expect([loop.described, loop.stop()]).toEqual([undefined, false]);
});
