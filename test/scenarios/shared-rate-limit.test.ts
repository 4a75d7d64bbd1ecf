// Several sessions of one process use the same key. What the provider says to one of them holds for all.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import { anthropicModel } from '../../src/models/index.js';
import { startFakeModelServer, temporaryProject } from '../../src/testing/index.js';

const project = await temporaryProject();
const SESSIONS = 6;

test('one refused request makes the sessions of its key wait, which then go on one after the other', async () => {
  const firstAnswer = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const server = await startFakeModelServer(async ({ headers }, number) => {
    if (headers['x-api-key'] === 'sk-other') return { text: 'Free.' };
    if (number === 0) {
      return {
        status: 429,
        error: { type: 'rate_limit_error', message: 'Slow down.' },
        headers: { 'retry-after': '60' },
      };
    }
    arrived.resolve();
    await firstAnswer.promise;
    return { text: 'Done.' };
  });
  onTestFinished(() => server.close());
  const waited = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const agentOf = (apiKey: string) =>
    createAgent({
      model: anthropicModel({ name: 'claude-test', apiKey, baseUrl: server.url }),
      root: project.root,
      retries: {
        wait: async () => {
          refused.resolve();
          await waited.promise;
        },
      },
    });
  const notices: string[] = [];
  const go = async (apiKey: string): Promise<string> => {
    await using agent = agentOf(apiKey);
    for await (const event of agent.run('go')) {
      if (event.type === 'notice') notices.push(event.text);
      if (event.type === 'result') return event.outcome;
    }
    return 'no result';
  };

  const first = go('sk-one');
  await refused.promise;
  const others = Array.from({ length: SESSIONS - 1 }, () => go('sk-one'));
  while (notices.length < SESSIONS - 1) await turn();
  expect(notices.at(-1)).toBe(`Waiting for the rate limit of anthropic (shared by ${SESSIONS} sessions), 60 s.`);
  expect(await go('sk-other')).toBe('completed');
  expect(server.requests.length).toBe(2);

  waited.resolve();
  await arrived.promise;
  expect(server.requests.length).toBe(3);
  firstAnswer.resolve();
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(['completed']));
  expect(server.requests.length).toBe(2 + SESSIONS);
});
