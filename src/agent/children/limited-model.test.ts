import { expect, test } from 'vitest';
import type { Model } from '../../contract/model.js';
import { scriptedModel } from '../../models/scripted.js';
import { limitedModel } from './limited-model.js';

const request = { system: [], tools: [], messages: [] };
const usage = { input_tokens: 60, output_tokens: 40 };
const model: Model = {
  ...scriptedModel({ turns: [1, 2, 3].map(() => ({ text: 'hello', usage })) }),
  facts: { prices: { input: 10_000, output: 10_000 } }, // a dollar for each answer
};

async function ask(asked: Model): Promise<number> {
  let events = 0;
  for await (const event of asked.stream(request, new AbortController().signal)) if (event) events += 1;
  return events;
}

test('no further request is sent once an agent has used up its tokens', async () => {
  const limited = limitedModel(model, { turns: 9, tokens: 100 });
  expect(await ask(limited)).toBeGreaterThan(0);
  await expect(ask(limited)).rejects.toThrow('The agent has used up its limit of 100 tokens.');
});

test('no further request is sent once an agent has reached its cost limit', async () => {
  const limited = limitedModel(model, { turns: 9, tokens: 1_000_000, costUsd: 1 });
  expect(await ask(limited)).toBeGreaterThan(0);
  await expect(ask(limited)).rejects.toThrow('The agent has used up its limit of $1.');
});
