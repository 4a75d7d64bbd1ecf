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
    errors: [expect.stringMatching(/budget of \$0\.50 for this command is used up/)],
  });
  expect(run.server.requests).toHaveLength(1);
});

const sleeping = (n: number) =>
  `${JSON.stringify({ tool: 'Bash', input: { command: `sleep 100${n}`, run_in_background: true } })}\n`;

test.each([
  ['a setting', {}, [false, true]],
  ['the environment, which wins over a setting,', { HELVE_MAX_BACKGROUND: '2' }, [false, false]],
])('%s limits how many commands run in the background', async (_, env, failed) => {
  const settings = JSON.stringify({ bash: { maxBackground: 1 } });
  const args = ['call', '--stdin', '--permission-mode', 'bypassPermissions', '--settings', settings];
  const run = await runHelve(args, { input: sleeping(1) + sleeping(2), env });
  const answers = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ is_error }) => is_error)).toEqual(failed);
  if (failed[1]) expect(answers[1].content).toContain('1 command runs in the background already');
});

test('a setting limits how much output the commands of a session may keep', async () => {
  const settings = JSON.stringify({ bash: { maxSessionOutput: '1M' } });
  const args = ['call', 'Bash', '{"command":"yes"}', '--permission-mode', 'bypassPermissions', '--settings', settings];
  const { content } = JSON.parse((await runHelve(args)).stdout);
  expect(content).toMatch(/the commands of this session have written 1 ?MB? of output together/);
  expect(content).toContain('bash.maxSessionOutput');
});

test.each([
  [{ bash: { maxSessionOutput: 'much' } }, 'must be a size above 0, as in "1G" or "512M"'],
  [{ bash: { maxBackground: 0 } }, 'must be above 0'],
])('%j is reported', async (settings, sentence) => {
  const args = ['call', 'Think', '{"thought":"x"}', '--settings', JSON.stringify(settings)];
  expect((await runHelve(args)).stderr).toContain(sentence);
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

test('says at the start that a budget cannot be enforced if prices are unknown', async () => {
  const run = await ask([{ text: 'ok' }], ['go', '--max-budget-usd', '1', '--model', 'anthropic/unheard-of']);
  expect(run).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/prices of anthropic\/unheard-of are unknown/),
  });
});

test('gives a new session the requested id, once', async () => {
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

test('leaves the session unchanged with --fork-session, and saves nothing with --no-session-persistence', async () => {
  const cwd = await emptyFolder();
  const env = { HELVE_HOME: await emptyFolder() };
  await ask([{ text: 'ok' }], ['go', '--session-id', id], { cwd, env });
  const fork = await ask([{ text: 'yes' }], ['on', '-c', '--fork-session', '--output-format', 'json'], { cwd, env });
  expect(JSON.parse(fork.stdout).session_id).not.toBe(id);
  expect(fork.server.requests[0]?.body.messages).toHaveLength(3);
  const other = await emptyFolder();
  await ask([{ text: 'ok' }], ['go', '--no-session-persistence'], { cwd: other, env });
  const none = await ask([], ['on', '-c'], { cwd: other, env });
  expect(none.code).toBe(1);
});

test('ends a run at its time limit, with everything it has started', async () => {
  const answers = [{ calls: [{ name: 'Bash', input: { command: 'sleep 600' } }] }, { text: 'late' }];
  const run = await ask(answers, [
    'go',
    '--max-time',
    '2s',
    '--dangerously-skip-permissions',
    '--output-format',
    'json',
  ]);
  expect(run).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({
    is_error: true,
    terminal_reason: 'max_time',
    errors: ['Stopped after 2 s, the time set for this run, before the work was done.'],
  });
});

test('the history of a run that reached its time limit names the limit, not the user', async () => {
  const [cwd, env] = [await emptyFolder(), { HELVE_HOME: await emptyFolder() }];
  const hold = { text: 'Hello there.', holdAfter: { events: 4, until: new Promise<void>(() => {}) } };
  await ask([hold], ['go', '--max-time', '0.5s'], { cwd, env });
  const { server } = await ask([{ text: 'ok' }], ['go on', '-c'], { cwd, env });
  const history = JSON.stringify(server.requests[0]?.body.messages);
  expect(history).toContain('[The time limit of 0.5 s for this run was reached here. The user did not interrupt.]');
  expect(history).not.toContain('The user interrupted here');
});

test('reads the time limit of a run from settings', async () => {
  const hold = { text: 'hi', holdAfter: { events: 1, until: new Promise<void>(() => {}) } };
  const settings = JSON.stringify({ maxRunMinutes: 0.01 });
  const run = await ask([hold], ['go', '--settings', settings]);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('Stopped after 0.6 s') });
});

test('refuses an invalid time limit', async () => {
  const run = await runHelve(['-p', 'go', '--max-time', 'soon']);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-time takes a time such as 90s') });
});

test.each([
  ['HELVE_ANSWER_MAX_CHARS', '1000', '1000 characters'],
  ['HELVE_ANSWER_MAX_MS', '500', '0.5 s'],
])('aborts an answer that exceeds %s, and does not retry', async (variable, value, limit) => {
  const endless = { text: 'on and on '.repeat(1_000), holdAfter: { events: 700, until: new Promise<void>(() => {}) } };
  const run = await ask(() => endless, ['go'], { env: { [variable]: value } });
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining(`broken off after ${limit}`) });
  expect(run.stderr).toContain(variable);
  expect(run.server.requests).toHaveLength(1);
});

test('limits standard input to what a model could read', async () => {
  const run = await ask([], ['what is this?'], { input: 'x'.repeat(3_000), env: { HELVE_MAX_STDIN_BYTES: '2000' } });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 2000 bytes on standard input') });
  expect(run.server.requests).toHaveLength(0);
});
