import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { runHelve } from './run-helve.js';

test.each<[string, Record<string, string>]>([
  ['anthropic/claude-test', { ANTHROPIC_API_KEY: 'sk-test' }],
  ['openai/gpt-5', { OPENAI_API_KEY: 'sk-test' }],
])('ends when the server of %s leaves the connection open after its answer', async (model, keys) => {
  const answer = { text: 'hi', holdAfter: { events: 100, until: new Promise(() => {}) } };
  const server = await startFakeModelServer([answer]);
  const env = { ...keys, ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: server.url };
  const run = await runHelve(['-p', 'hello', '--model', model], { env });
  expect(run).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
  expect(await server.requests[0]?.finished).toBe('disconnected');
  await server.close();
});
