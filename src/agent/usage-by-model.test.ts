import { expect, test } from 'vitest';
import { RunRecord } from './run-record.js';
import type { TurnOutcome } from './turn.js';
import { noUsage } from './usage.js';
import { UsageByModel } from './usage-by-model.js';

const used = (input_tokens: number) => ({ ...noUsage, input_tokens });
const answered = (input_tokens: number): TurnOutcome => ({
  id: 'msg_1',
  model: 'as the provider calls it',
  message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  text: 'Done.',
  results: [],
  malformedCalls: 0,
  malformedTool: undefined,
  stopReason: 'end_turn',
  explanation: undefined,
  usage: used(input_tokens),
  modelMs: 1,
  failure: undefined,
  interrupted: false,
});
const model = (name: string, dollars?: number) => ({
  provider: 'test',
  name,
  maxOutputTokens: 9,
  facts: { contextTokens: 1000, ...(dollars !== undefined && { prices: { input: dollars, output: 0 } }) },
  async *stream() {},
});
const retry = (name: string, provider = 'test') => ({
  type: 'model_retry' as const,
  attempt: 1,
  maxRetries: 1,
  waitMs: 0,
  reason: 'Busy.',
  provider,
  model: name,
});

test('counts each model separately, at its own prices', () => {
  const usage = new UsageByModel();
  usage.add(model('a', 1), used(1e6));
  usage.add(model('b', 5), used(1e6));
  usage.add(model('a', 1), used(2e6));
  expect(usage.list()).toEqual([
    { provider: 'test', name: 'a', usage: used(3e6), costUsd: 3, contextTokens: 1000, maxOutputTokens: 9 },
    { provider: 'test', name: 'b', usage: used(1e6), costUsd: 5, contextTokens: 1000, maxOutputTokens: 9 },
  ]);
  expect({ usage: usage.usage, costUsd: usage.costUsd }).toEqual({ usage: used(4e6), costUsd: 8 });
});

test('the total cost is unknown if the cost of one model is, and the costs of the other models stay known', () => {
  const usage = new UsageByModel();
  usage.add(model('a', 1), used(1e6));
  usage.add({ provider: 'other', name: 'a' }, used(1));
  expect(usage.costUsd).toBeNull();
  expect(usage.list().map(({ provider, costUsd }) => [provider, costUsd])).toEqual([
    ['test', 1],
    ['other', null],
  ]);
});

test('a fallback model is counted at its own prices, only for the turn it answered', () => {
  const run = new RunRecord({ ...model('a', 1), fallbacks: [model('b', 5)] });
  run.note(retry('b'));
  run.add(answered(1e6));
  run.add(answered(1e6));
  expect(run.result('completed', '')).toMatchObject({
    costUsd: 6,
    models: [
      { name: 'b', costUsd: 5 },
      { name: 'a', costUsd: 1 },
    ],
  });
});

test('a model without known prices makes the cost unknown', () => {
  const run = new RunRecord({ ...model('a', 1), fallbacks: [model('b', 5)] });
  run.note(retry('b', 'other'));
  run.add(answered(1));
  expect(run.result('completed', '')).toMatchObject({ costUsd: null, models: [{ provider: 'other', name: 'b' }] });
});

test('a request that failed without an answer leaves the cost known', () => {
  const run = new RunRecord(model('a'));
  run.add({ ...answered(0), message: undefined });
  expect(run.result('model_error', '')).toMatchObject({ costUsd: 0, models: [] });
});

test('usage and cost are those of the run, the models those of the session', () => {
  const session = new UsageByModel();
  const first = new RunRecord(model('a', 1), session);
  first.add(answered(1e6));
  const second = new RunRecord(model('a', 1), session);
  second.add(answered(2e6));
  expect(second.result('completed', '')).toMatchObject({
    usage: used(2e6),
    costUsd: 2,
    models: [{ name: 'a', usage: used(3e6), costUsd: 3 }],
  });
});
