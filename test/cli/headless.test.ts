import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import {
  emptyFolder,
  fileAppears,
  type HelveOptions,
  type HelveRun,
  isRunning,
  jsonLines,
  runHelve,
} from './run-helve.js';

async function ask(
  answers: FakeAnswers,
  args: string[],
  options: HelveOptions = {},
): Promise<HelveRun & { server: FakeModelServer }> {
  const server = await startFakeModelServer(answers);
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env };
    return { ...(await runHelve(['-p', ...args], { ...options, env })), server };
  } finally {
    await server.close();
  }
}

test('prints the answer as text', async () => {
  const run = await ask([{ text: 'Grüße, 世界 👍' }], ['hello']);
  expect(run).toMatchObject({ code: 0, stdout: 'Grüße, 世界 👍\n', stderr: '' });
  expect(run.server.requests[0]?.body.messages).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
  ]);
});

test('sends piped input with the prompt', async () => {
  const run = await ask([{ text: 'ok' }], ['Explain:'], { input: 'line 1\nline 2\n' });
  expect(run.server.requests[0]?.body.messages[0]?.content).toMatchObject([{ text: 'Explain:\n\nline 1\nline 2' }]);
});

test('never offers a tool that a rule denies outright, and refuses a call of it by that rule', async () => {
  const bash = { calls: [{ name: 'Bash', input: { command: 'echo hi' } }] };
  const run = await ask([bash, { text: 'ok' }], ['hello', '--disallowed-tools', 'Bash,NotebookEdit']);
  for (const { body } of run.server.requests) {
    const offered = (body.tools ?? []).map((tool: { name: string }) => tool.name);
    expect(offered).toContain('Read');
    expect(offered).not.toContain('Bash');
    const search = (body.tools ?? []).find((tool: { name: string }) => tool.name === 'ToolSearch');
    expect(JSON.stringify(search)).toContain('NotebookRead');
    expect(JSON.stringify(search)).not.toContain('NotebookEdit');
  }
  const [, second] = run.server.requests;
  expect(JSON.stringify(second?.body.messages.at(-1))).toMatch(/Bash was not run.*the rule/);
});

test('prints one result as JSON', async () => {
  const { stdout, code } = await ask(
    [{ text: 'hi', usage: { input_tokens: 7, output_tokens: 3 } }],
    ['hello', '--output-format', 'json'],
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'hi',
    num_turns: 1,
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 3 },
    permission_denials: [],
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test('streams init, assistant, user and result as lines of JSON', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a.txt'), 'one\n');
  const { stdout, server } = await ask(
    [
      { text: 'Reading.', calls: [{ name: 'Read', id: 'toolu_1', input: { file_path: 'a.txt' } }] },
      { text: 'It says one.' },
    ],
    ['what?', '--output-format', 'stream-json', '--verbose'],
    { cwd },
  );
  expect(server.refused).toEqual([]);
  const lines = jsonLines(stdout);
  expect(lines.map(({ type, subtype }) => subtype ?? type)).toEqual([
    'init',
    'assistant',
    'user',
    'assistant',
    'success',
  ]);
  expect(lines[0]).toMatchObject({
    cwd,
    tools: expect.arrayContaining(['Read']),
    permissionMode: 'default',
    model: 'claude-sonnet-5-5',
  });
  expect(lines[1]).toMatchObject({
    message: { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use', id: 'toolu_1' }] },
  });
  expect(lines[2]).toMatchObject({
    message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1\tone' }] },
  });
  expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1);
  expect(lines.every(({ uuid }) => typeof uuid === 'string')).toBe(true);
});

test('denies a write, lists the denial, and lets the model continue', async () => {
  const { stdout, code } = await ask(
    [{ calls: [{ name: 'Write', id: 'toolu_1', input: { file_path: 'x', content: 'y' } }] }, { text: 'I may not.' }],
    ['write', '--output-format', 'json'],
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    result: 'I may not.',
    permission_denials: [{ tool_name: 'Write', tool_use_id: 'toolu_1', tool_input: { file_path: 'x', content: 'y' } }],
  });
});

test('exits 1 at the limit of turns and says so', async () => {
  const run = await ask(
    () => ({ calls: [{ name: 'Think', input: { thought: 'again' } }] }),
    ['go', '--max-turns', '3'],
  );
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Stopped after 3 turns') });
  expect(run.server.requests).toHaveLength(3);
});

test.each([
  [401, { type: 'authentication_error', message: 'invalid x-api-key' }, /refused the key.*ANTHROPIC_API_KEY/],
  [404, { type: 'not_found_error', message: 'model: claude-x' }, /claude-sonnet-5-5.*--model/],
  [400, { type: 'invalid_request_error', message: 'bad thing' }, /bad thing/],
  [529, { type: 'overloaded_error', message: 'Overloaded' }, /overloaded/i],
])('reports the error %i of the server in a sentence', async (status, error, sentence) => {
  const run = await ask([{ status, error }], ['hi'], { env: { HELVE_MAX_RETRIES: '0' } });
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  expect(run.stderr).not.toContain('sk-test');
});

test('says what to set when the server cannot be reached', async () => {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'sk-test' };
  const run = await runHelve(['-p', 'hi'], { env });
  expect(run).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/127\.0\.0\.1:9.*ANTHROPIC_BASE_URL/),
  });
});

test('on Ctrl-C ends the call that runs, leaves a result, and exits 130', async () => {
  const cwd = await emptyFolder();
  const { stdout, code, server } = await ask(
    [{ text: 'Sleeping.', calls: [{ name: 'Bash', input: { command: 'echo $$ > begun; exec sleep 300' } }] }],
    ['go', '--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'],
    { cwd, onStart: (kill) => void fileAppears(cwd, 'begun').then(() => kill('SIGINT')) },
  );
  expect(code).toBe(130);
  expect(server.requests).toHaveLength(1);
  const lines = jsonLines(stdout);
  expect(lines.at(-2)).toMatchObject({
    type: 'user',
    message: { content: [{ type: 'tool_result', is_error: true }, { type: 'text' }] },
  });
  expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: true, terminal_reason: 'interrupted' });
  expect(isRunning(Number(await readFile(join(cwd, 'begun'), 'utf8')))).toBe(false);
});

test('plays a script instead of a model', async () => {
  const cwd = await emptyFolder();
  await writeFile(
    join(cwd, 'script.json'),
    JSON.stringify({ turns: [{ calls: [{ name: 'LS', input: {} }] }, { text: 'Seen.' }] }),
  );
  const run = await runHelve(['-p', 'look', '--model', 'scripted/script.json'], { cwd });
  expect(run).toMatchObject({ code: 0, stdout: 'Seen.\n', stderr: '' });
});

test('prints all of an answer that continued after the output limit, without text before calls', async () => {
  const server = await startFakeModelServer([
    { text: 'I look.', calls: [{ name: 'LS', input: { path: '.' } }] },
    { text: 'The first half, ', stopReason: 'max_tokens' },
    { text: 'and the second.' },
  ]);
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  expect(await runHelve(['-p', 'go'], { env })).toMatchObject({
    code: 0,
    stdout: 'The first half, and the second.\n',
  });
});
