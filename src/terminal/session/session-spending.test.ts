import { expect, test } from 'vitest';
import { noUsage } from '../../agent/usage.js';
import type { AgentHappening, ModelUse, RunResult } from '../../contract/event.js';
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

const ended = (modelMs: number, totalMs: number): RunResult => ({
  type: 'result',
  outcome: 'completed',
  text: '',
  turns: 1,
  stopReason: 'end_turn',
  usage: noUsage,
  costUsd: 0.25,
  models: [],
  modelMs,
  totalMs,
  denials: [],
});

test('a resumed conversation goes on from what it had cost', () => {
  const runs = { prompts: 2, models: [use(100, 0.5)], modelMs: 1000, totalMs: 3000 };
  const used: ModelUse[] = [];
  const before = { turns: 4, usage: noUsage, costUsd: 0.5, runs };
  const spending = new SessionSpending({ before, models: () => used });
  expect(spending.usage).toEqual({ models: [use(100, 0.5)], costUsd: 0.5, prompts: 2, modelMs: 1000, totalMs: 3000 });
  used.push(use(10, 0.25));
  spending.take(ended(500, 600));
  expect(spending.usage).toEqual({ models: [use(110, 0.75)], costUsd: 0.75, prompts: 3, modelMs: 1500, totalMs: 3600 });
});

test('a session that kept only its cost shows that', () => {
  const spending = new SessionSpending({ before: { turns: 4, usage: noUsage, costUsd: 0.5 } });
  expect(spending.usage).toMatchObject({ models: [], costUsd: 0.5, prompts: 0 });
});

test('the answer that is being written counts with its time, and the complete requests of its run with their cost', () => {
  let time = 0;
  const used: ModelUse[] = [];
  const spending = new SessionSpending({ models: () => used, now: () => time });
  const at = (now: number, event: AgentHappening): void => {
    time = now;
    spending.take(event);
  };
  at(0, { type: 'session_start', sessionId: 's', cwd: '/', model: 'a', mode: 'default', tools: [] });
  at(10, { type: 'turn_start', turn: 1 });
  time = 4010;
  expect(spending.usage).toMatchObject({ prompts: 1, modelMs: 4000, totalMs: 4010 });
  used.push(use(10, 0.25));
  at(5010, { type: 'assistant_message', message: { role: 'assistant', content: [] }, id: 'm', model: 'a' });
  at(8000, { type: 'turn_end', turn: 1, stopReason: 'tool_use', usage: noUsage }); // its calls took 3 s
  expect(spending.usage).toMatchObject({ costUsd: 0.25, modelMs: 5000, totalMs: 8000 });
  at(8000, { type: 'turn_start', turn: 2 });
  time = 9000;
  expect(spending.usage).toMatchObject({ prompts: 1, modelMs: 6000, totalMs: 9000 });
  at(9100, ended(6100, 9050));
  time = 60_000;
  expect(spending.usage).toMatchObject({ prompts: 1, modelMs: 6100, totalMs: 9050 });
});
