import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, type HelveOptions, runHelve } from './run-helve.js';

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  onTestFinished(async () => await server.close());
  return server;
}

async function place() {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const ask = async (server: FakeModelServer, args: string[], options: HelveOptions = {}) => {
    const env = { HELVE_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env };
    const run = await runHelve(['-p', ...args, '--output-format', 'json'], { cwd, ...options, env });
    return { ...run, result: run.signal ? undefined : JSON.parse(run.stdout) };
  };
  return { home, ask };
}

const usage = (input_tokens: number) => ({ usage: { input_tokens, output_tokens: 0 } });
const think = (input_tokens: number) => ({
  calls: [{ name: 'Think', input: { thought: 'x' } }],
  ...usage(input_tokens),
});
const limits = (budget: object): string[] => ['--settings', JSON.stringify({ budget })];
const sent = ({ requests }: FakeModelServer): string => JSON.stringify(requests.map(({ body }) => body.messages));

test('at 80 % the model is reminded, and at 100 % the run ends with what was done', async () => {
  const { ask } = await place();
  const server = await serve(() => think(400));
  const { code, result } = await ask(server, ['go', ...limits({ run: { tokens: 1000 } })]);
  expect(code).toBe(1);
  expect(result).toMatchObject({
    subtype: 'error_max_budget_usd',
    num_turns: 3,
    terminal_reason: 'budget_exhausted',
    errors: [expect.stringContaining('The budget of 1,000 tokens for this prompt is used up (1,200 tokens spent)')],
    budget: [{ scope: 'run', unit: 'tokens', limit: 1000, spent: 1200 }],
  });
  expect(server.requests).toHaveLength(3);
  const [, second, third] = server.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(second).not.toContain('of the budget');
  expect(third).toContain('80 % of the budget of 1,000 tokens for this prompt is used (800 tokens)');
});

test('child agents use the budget of their parent, and it ends when they have used it up', async () => {
  const { ask } = await place();
  const task = { description: 'x', prompt: 'Work.', subagent_type: 'general-purpose' };
  const server = await serve(({ body }) =>
    JSON.stringify(body.messages).includes('Delegate.')
      ? { calls: [{ name: 'Task', input: task }], ...usage(100) }
      : think(600),
  );
  const { result } = await ask(server, ['Delegate.', '--allowed-tools', 'Task', ...limits({ run: { tokens: 1000 } })]);
  expect(result).toMatchObject({ terminal_reason: 'budget_exhausted', num_turns: 1 });
  expect(result.budget).toEqual([{ scope: 'run', unit: 'tokens', limit: 1000, spent: 1300 }]);
  expect(server.requests).toHaveLength(3);
  expect(sent(server)).not.toContain('80 % of'); // 700 and then 1,300
});

test('the budget of a session is kept when it is resumed', async () => {
  const { ask } = await place();
  const server = await serve(() => ({ text: 'ok', ...usage(600) }));
  const args = limits({ session: { tokens: 1000 } });
  await ask(server, ['one', ...args]);
  const second = await ask(server, ['two', '-c', ...args]);
  expect(second.result).toMatchObject({ subtype: 'success', budget: [{ scope: 'session', spent: 1200 }] });
  const third = await ask(server, ['three', '-c', ...args]);
  expect(third.result).toMatchObject({ terminal_reason: 'budget_exhausted', num_turns: 0 });
  expect(server.requests).toHaveLength(2);
  const raised = await ask(server, ['three', '-c', ...limits({ session: { tokens: 2000 } })]);
  expect(raised.result).toMatchObject({ subtype: 'success' });
});

test('two processes at once share the budget of the day, which they exceed by requests under way only', async () => {
  const { ask, home } = await place();
  const server = await serve(() => think(100));
  const args = ['go', ...limits({ day: { tokens: 1000 } })];
  const runs = await Promise.all([ask(server, args), ask(server, args)]);
  expect(runs.map(({ result }) => result.terminal_reason)).toEqual(['budget_exhausted', 'budget_exhausted']);
  expect([10, 11]).toContain(server.requests.length);
  const [day = ''] = readdirSync(join(home, 'spending'));
  const lines = readFileSync(join(home, 'spending', day), 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('"tokens":100'))).toHaveLength(server.requests.length);
});

test('what a killed process has spent counts for its session and for the day', async () => {
  const { ask } = await place();
  let kill = (): void => {};
  const server = await serve(({ body }) => {
    if (body.messages.length < 5) return think(300);
    kill();
    return { text: 'late', ...usage(300), holdAfter: { events: 1, until: new Promise<void>(() => {}) } };
  });
  const args = limits({ day: { tokens: 5000 }, session: { tokens: 600 } });
  const killed = await ask(server, ['go', ...limits({ day: { tokens: 5000 } })], {
    onStart: (send) => {
      kill = () => send('SIGKILL');
    },
  });
  expect(killed.signal).toBe('SIGKILL');
  const next = await ask(server, ['on', '-c', ...args]);
  expect(next.result).toMatchObject({ terminal_reason: 'budget_exhausted', num_turns: 0 });
  expect(next.result.budget).toEqual([
    { scope: 'session', unit: 'tokens', limit: 600, spent: 600 },
    { scope: 'day', unit: 'tokens', limit: 5000, spent: 600 },
  ]);
});

test('requests for summaries count', async () => {
  const { ask } = await place();
  const long = { text: 'word '.repeat(2000), ...usage(150_000) };
  const server = await serve(() => long);
  await ask(server, ['one']);
  const { result } = await ask(server, ['two', '-c', ...limits({ run: { turns: 9 } })], {
    env: { HELVE_CONTEXT_TOKENS: '4000' },
  });
  expect(result.budget[0].spent).toBe(server.requests.length - 1);
});

test('a run ends when the minutes of its budget are over, with everything it has started', async () => {
  const { ask } = await place();
  const server = await serve([{ calls: [{ name: 'Bash', input: { command: 'sleep 600' } }] }, { text: 'late' }]);
  const args = ['go', '--max-budget-minutes', '0.02', '--dangerously-skip-permissions'];
  const { result } = await ask(server, args);
  expect(result).toMatchObject({
    terminal_reason: 'budget_exhausted',
    errors: [expect.stringMatching(/^The budget of 1\.2 s for this command is used up/)],
  });
  expect(server.requests).toHaveLength(1);
});

test.each([
  [{ run: { usd: 0 } }, 'must be above 0'],
  [{ day: { turns: 1.5 } }, 'must be a whole number'],
  [{ session: { dollars: 1 } }, 'must be an object with no other keys than "usd", "tokens", "turns" and "minutes"'],
])('%j is refused', async (budget, sentence) => {
  const run = await runHelve(['-p', 'go', ...limits(budget)]);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});

test('refuses a flag that is not a limit', async () => {
  const run = await runHelve(['-p', 'go', '--max-budget-tokens', '1e3.5']);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-budget-tokens takes a whole number') });
});

test('the model is reminded at 80 % of the requests that --max-turns allows', async () => {
  const { ask } = await place();
  const server = await serve(() => think(1));
  const { result } = await ask(server, ['go', '--max-turns', '5']);
  expect(result).toMatchObject({ subtype: 'error_max_turns', num_turns: 5 });
  const texts = server.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(texts.map((text) => text.includes('4 of the 5 requests'))).toEqual([false, false, false, false, true]);
});
