import { expect, test } from 'vitest';
import { noUsage } from '../../agent/usage.js';
import { SessionSpending } from './session-spending.js';

const use = (input_tokens: number, costUsd: number) => ({
  provider: 'test',
  name: 'a',
  usage: { ...noUsage, input_tokens },
  costUsd,
});

test.each([
  ['completed', 'done'],
  ['interrupted', 'done'],
  ['max_turns', 'failed'],
  ['refused', 'failed'],
] as const)('a run that is %s has ended as %s', (outcome, ended) => {
  const spending = new SessionSpending();
  expect(spending.ended).toBe('idle');
  const numbers = { turns: 1, usage: noUsage, costUsd: 0, models: [], modelMs: 0, totalMs: 0, denials: [] };
  spending.take({ type: 'result', outcome, text: '', stopReason: null, ...numbers });
  expect(spending.ended).toBe(ended);
});

test('a resumed conversation goes on from what it had cost', () => {
  const runs = { prompts: 2, models: [use(100, 0.5)], modelMs: 1000, totalMs: 3000 };
  const spending = new SessionSpending({ turns: 4, usage: noUsage, costUsd: 0.5, runs });
  expect(spending.usage).toEqual({ models: [use(100, 0.5)], costUsd: 0.5, prompts: 2, modelMs: 1000, totalMs: 3000 });
  spending.take({
    type: 'result',
    outcome: 'completed',
    text: '',
    turns: 1,
    stopReason: 'end_turn',
    usage: noUsage,
    costUsd: 0.25,
    models: [use(10, 0.25)],
    modelMs: 500,
    totalMs: 600,
    denials: [],
  });
  expect(spending.usage).toEqual({ models: [use(110, 0.75)], costUsd: 0.75, prompts: 3, modelMs: 1500, totalMs: 3600 });
});

test('a session that kept only its cost shows that', () => {
  const spending = new SessionSpending({ turns: 4, usage: noUsage, costUsd: 0.5 });
  expect(spending.usage).toMatchObject({ models: [], costUsd: 0.5, prompts: 0 });
});
