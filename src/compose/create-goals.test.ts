import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Model } from '../contract/model.js';
import { temporaryProject } from '../testing/index.js';
import { createAgent } from './create-agent.js';

const model: Model = {
  provider: 'test',
  name: 'm',
  maxOutputTokens: 9,
  async *stream() {
    yield { type: 'message_start', id: '1', model: 'm' };
    yield { type: 'text_delta', text: 'Done.' };
    yield { type: 'block', block: { type: 'text', text: 'Done.' } };
    const usage = { input_tokens: 10, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    yield { type: 'message_end', stopReason: 'end_turn', usage };
  },
};

test('the permission of a check is asked for once, before the first request', async () => {
  const project = await temporaryProject();
  writeFileSync(join(project.root, 'check.js'), 'process.exit(1)');
  const asked: unknown[] = [];
  const agent = createAgent({
    model,
    root: project.root,
    dataFolder: project.path('../data'),
    goal: { text: 'green', until: 'node check.js' },
    askPermission: async ({ input }) => {
      asked.push(input);
      return { behavior: 'allow' };
    },
  });
  onTestFinished(() => agent.end());
  const checks: number[] = [];
  const run = agent.run('make it green');
  for await (const event of run) {
    if (event.type === 'turn_start') expect(asked).toHaveLength(1);
    if (event.type === 'goal') checks.push(event.round);
  }
  expect(await run.result).toMatchObject({ outcome: 'goal_unmet', turns: 4 });
  expect(asked).toEqual([expect.objectContaining({ command: 'node check.js' })]);
  expect(checks).toEqual([1, 2, 3, 4]);
  expect(agent.goal).toBeUndefined();
});

test('a program sets a budget, sees it in events and results, and can raise it', async () => {
  const project = await temporaryProject();
  const budget = { session: { tokens: 20 } };
  const agent = createAgent({ model, root: project.root, dataFolder: project.path('../data'), budget });
  onTestFinished(() => agent.end());
  expect(await agent.run('one').result).toMatchObject({ outcome: 'completed', budget: [{ spent: 10, limit: 20 }] });
  await agent.run('two').result;
  const third = agent.run('three');
  const events: unknown[] = [];
  for await (const event of third) if (event.type === 'budget') events.push(event.state);
  expect(await third.result).toMatchObject({ outcome: 'budget', turns: 0 });
  expect(events).toEqual(['reached']);
  agent.budget.allowMore({ session: { tokens: 20 } });
  expect(await agent.run('three').result).toMatchObject({ outcome: 'completed' });
  expect(agent.budget.uses()).toEqual([{ scope: 'session', unit: 'tokens', limit: 40, spent: 30 }]);
});
