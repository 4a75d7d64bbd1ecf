import { expect, test } from 'vitest';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, type HelveOptions, runHelve } from './run-helve.js';
import { startHost } from './stream-json-host.js';

const id = '7b6a0f3e-1111-4222-8333-000000000001';

async function ask(answers: FakeAnswers, args: string[], options: HelveOptions = {}) {
  const server = await startFakeModelServer(answers);
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env };
    return { ...(await runHelve(['-p', ...args], { ...options, env })), server };
  } finally {
    await server.close();
  }
}

const dear = {
  calls: [{ name: 'Think', input: { thought: 'x' } }],
  usage: { input_tokens: 10_000_000, output_tokens: 1 },
};

test('sends no request after the budget is used up', async () => {
  const run = await ask(() => dear, ['go', '--max-budget-usd', '0.5', '--output-format', 'json']);
  expect(run).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({
    subtype: 'error_max_budget_usd',
    is_error: true,
    num_turns: 1,
    terminal_reason: 'budget_exhausted',
    errors: [expect.stringMatching(/budget of \$0\.5 is used up/)],
  });
  expect(run.server.requests).toHaveLength(1);
});

test('counts the budget over all prompts of a host', async () => {
  const host = await startHost([{ text: 'dear', usage: { input_tokens: 10_000_000 } }], {
    args: ['--max-budget-usd', '1'],
  });
  host.prompt('one');
  await host.next('success');
  host.prompt('two');
  expect(await host.next('error_max_budget_usd')).toMatchObject({ is_error: true, num_turns: 0 });
  expect(host.server.requests).toHaveLength(1);
});

test('lets a run within its budget end as usual', async () => {
  const run = await ask([{ text: 'cheap' }], ['go', '--max-budget-usd', '1']);
  expect(run).toMatchObject({ code: 0, stdout: 'cheap\n', stderr: '' });
});

test('says at the start that a budget can not be held where prices are not known', async () => {
  const run = await ask([{ text: 'ok' }], ['go', '--max-budget-usd', '1', '--model', 'anthropic/unheard-of']);
  expect(run).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/prices of anthropic\/unheard-of are not known/),
  });
});

test('gives a new session the id that was asked for, once', async () => {
  const cwd = await emptyFolder();
  const env = { HELVE_HOME: await emptyFolder() };
  const args = ['go', '--session-id', id.toUpperCase(), '--output-format', 'json'];
  const first = await ask([{ text: 'ok' }], args, { cwd, env });
  expect(JSON.parse(first.stdout)).toMatchObject({ session_id: id });
  const again = await ask([], args, { cwd, env });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`--resume ${id}`) });
  const resumed = await ask([{ text: 'yes' }], ['still there?', '-r', id], { cwd, env });
  expect(resumed.server.requests[0]?.body.messages).toHaveLength(3);
});

test('leaves the session as it is with --fork-session, and keeps nothing with --no-session-persistence', async () => {
  const cwd = await emptyFolder();
  const env = { HELVE_HOME: await emptyFolder() };
  await ask([{ text: 'ok' }], ['go', '--session-id', id], { cwd, env });
  const fork = await ask([{ text: 'yes' }], ['on', '-c', '--fork-session', '--output-format', 'json'], { cwd, env });
  expect(JSON.parse(fork.stdout).session_id).not.toBe(id);
  expect(fork.server.requests[0]?.body.messages).toHaveLength(3);
  const other = await emptyFolder();
  await ask([{ text: 'ok' }], ['go', '--no-session-persistence'], { cwd: other, env });
  const none = await ask([], ['on', '-c'], { cwd: other, env });
  expect(none.code).toBe(2);
});
