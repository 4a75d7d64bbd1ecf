import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  anthropicSse,
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../src/testing/index.js';
import { emptyFolder, type HelveOptions, type HelveRun, jsonLines, runHelve } from './run-helve.js';

const limited = (retryAfter: string) => ({
  status: 429,
  error: { type: 'rate_limit_error', message: 'slow down' },
  headers: { 'retry-after': retryAfter },
});
const overloaded = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };

async function ask(
  answers: FakeAnswers,
  args: string[],
  options: HelveOptions = {},
): Promise<HelveRun & { server: FakeModelServer }> {
  const server = await startFakeModelServer(answers);
  try {
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test',
      HELVE_MODEL: 'claude-test',
      HELVE_RETRY_BASE_MS: '1',
      ...options.env,
    };
    return { ...(await runHelve(['-p', ...args], { ...options, env })), server };
  } finally {
    await server.close();
  }
}

const bytesSent = (server: FakeModelServer): string[] => [...new Set(server.requests.map(({ text }) => text))];

test('retries a rejected request byte for byte, and says so', async () => {
  const run = await ask([limited('0'), overloaded, { status: 503 }, { text: 'Here I am.' }], ['hi']);
  expect(run).toMatchObject({ code: 0, stdout: 'Here I am.\n' });
  expect(run.server.requests).toHaveLength(4);
  expect(bytesSent(run.server)).toHaveLength(1);
  const lines = run.stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^helve: .*limits the rate \(429: slow down\).* Retrying in 0\.1 s \(1 of 10\)\.$/);
  expect(lines[2]).toMatch(/503.*\(3 of 10\)\.$/);
});

test('of retries for one reason, only the first line has it', async () => {
  const run = await ask([overloaded, overloaded, { text: 'Here I am.' }], ['hi']);
  expect(run.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^helve: .*529.* Retrying in [\d.]+ s \(1 of 10\)\.$/),
    expect.stringMatching(/^helve: retrying in [\d.]+ s \(2 of 10\)\.$/),
  ]);
});

test('reports each retry as a line of stream-json', async () => {
  const run = await ask([limited('0.01'), { text: 'ok' }], ['hi', '--output-format', 'stream-json']);
  expect(run.stderr).toBe('');
  const lines = jsonLines(run.stdout);
  expect(lines.map(({ type, subtype }) => subtype ?? type)).toEqual(['init', 'api_retry', 'assistant', 'success']);
  expect(lines[1]).toMatchObject({
    type: 'system',
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 10,
    error_status: 429,
    error: expect.stringContaining('slow down'),
    model: 'claude-test',
    session_id: lines[0]?.['session_id'],
  });
});

test('fails after the maximum number of retries, with the reason and exit status 1', async () => {
  const run = await ask([overloaded, overloaded, overloaded], ['hi'], { env: { HELVE_MAX_RETRIES: '2' } });
  expect(run).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/tried 3 times\. Try again in a while\.\n$/),
  });
  expect(run.server.requests).toHaveLength(3);
});

test('counts the retries up to the number after which it gives up, if no server listens', async () => {
  const server = await startFakeModelServer([]);
  await server.close();
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', HELVE_RETRY_BASE_MS: '1' };
  const { code, stderr } = await runHelve(['-p', 'hi'], { env });
  expect(code).toBe(1);
  const lines = stderr.trimEnd().split('\n');
  expect(lines[0]).toContain('(1 of 2).');
  expect(lines[1]).toContain('(2 of 2).');
  expect(lines[2]).toContain('It was tried 3 times. The address comes from ANTHROPIC_BASE_URL: start the server there');
});

test('does not wait for a server that asks for an hour', async () => {
  const run = await ask([limited('3600')], ['hi']);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/Wait 3600 s.*more than the 5 min/) });
});

test('connects again when the connection is dropped before the first byte', async () => {
  const server = await startFakeModelServer([{ text: 'At last.' }]);
  const { hostname, port } = new URL(server.url);
  let connections = 0;
  const door = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}); // the other side may close first
    if (connections === 1) socket.once('data', () => socket.destroy());
    else socket.pipe(connect(Number(port), hostname).on('error', () => {})).pipe(socket);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  try {
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`; // listens on TCP, so it is no pipe's name
    const run = await runHelve(['-p', 'hi'], { env: { ANTHROPIC_BASE_URL: url, HELVE_RETRY_BASE_MS: '1' } });
    expect(run).toMatchObject({ code: 0, stdout: 'At last.\n', stderr: expect.stringContaining('ECONNRESET') });
    expect(connections).toBe(2);
  } finally {
    door.close();
    await server.close();
  }
});

test('shows only the second answer if the first was cut off in the middle of a sentence', async () => {
  const run = await ask([{ text: 'A long sentence.', dropAfterEvents: 4 }, { text: 'Done.' }], ['hi']);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: expect.stringContaining('broke off') });
  expect(bytesSent(run.server)).toHaveLength(1);
});

/** The answer, whose last block never ends, and then an error in the stream. */
const brokenOff = (answer: FakeAnswer) => {
  const events = anthropicSse({ ...answer, streamError: overloaded.error }).split('\n\n');
  const last = events.findLastIndex((event) => event.includes('content_block_stop'));
  return { raw: events.toSpliced(last, 1).join('\n\n') };
};
const write = { name: 'Write', input: { file_path: 'a.txt', content: 'a long text' } };
const thinking = { text: 'Let me see.', signature: 's' };

test.each([
  ['in a text', brokenOff({ text: 'Half an answer' })],
  ['in the input of a call', brokenOff({ text: 'I write the file now.', calls: [write] })],
  ['after a text', { text: 'A whole text.', streamError: overloaded.error }],
  ['in a text after a thought', brokenOff({ thinking, text: 'Half an answer' })],
])('an error of the server %s is retried as any other, with the same bytes', async (_, broken) => {
  const run = await ask([...Array.from({ length: 5 }, () => broken), { text: 'Done.' }], ['hi']);
  expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(bytesSent(run.server)).toHaveLength(1);
  const lines = run.stderr.trimEnd().split('\n');
  expect(lines.map((line) => /\(\d+ of \d+\)/.exec(line)?.[0])).toEqual(
    [1, 2, 3, 4, 5].map((attempt) => `(${attempt} of 10)`),
  );
  expect(lines[0]).toContain('is overloaded (overloaded_error: Overloaded)');
});

test('a host is told to discard a broken answer, and gets lines of the next one alone', async () => {
  const broken = brokenOff({ text: 'I write the file now.', calls: [write] });
  const args = ['hi', '--output-format', 'stream-json', '--include-partial-messages'];
  const run = await ask([broken, { text: 'Done.' }], args);
  const lines = jsonLines(run.stdout);
  const types = lines.map(
    ({ type, subtype, event }) => (event as { type?: string } | undefined)?.type ?? subtype ?? type,
  );
  const retry = types.indexOf('api_retry');
  expect(types.slice(0, retry)).toContain('content_block_start');
  expect(types.slice(0, retry)).not.toContain('assistant');
  expect(types[retry + 1]).toBe('message_start');
  expect(lines.filter(({ type }) => type === 'assistant')).toMatchObject([
    { message: { content: [{ type: 'text', text: 'Done.' }] } },
  ]);
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Done.', num_turns: 1 });
});

test('the text of the last try is kept if all fail', async () => {
  const broken = brokenOff({ text: 'I write the file now.', calls: [write] });
  const run = await ask([broken, broken], ['hi', '--output-format', 'stream-json'], {
    env: { HELVE_MAX_RETRIES: '1' },
  });
  expect(run.code).toBe(1);
  expect(jsonLines(run.stdout).filter(({ type }) => type === 'assistant')).toMatchObject([
    { message: { content: [{ type: 'text', text: 'I write the file now.' }] } },
  ]);
});

test('never runs a call again if the connection drops after it, and continues from its result', async () => {
  const cwd = await emptyFolder();
  const command = { name: 'Bash', input: { command: 'echo ran >> log' } };
  const run = await ask(
    (request, number) => {
      if (number === 0) return { calls: [command, command], dropAfterEvents: 12 };
      return { text: `${JSON.stringify(request.body.messages.at(-1)).match(/cut off/g)?.length ?? 0} cut off` };
    },
    ['go', '--permission-mode', 'bypassPermissions'],
    { cwd },
  );
  expect(run).toMatchObject({ code: 0, stdout: '0 cut off\n', stderr: expect.stringContaining('(1 of 10)') });
  expect(run.server.refused).toEqual([]);
  expect(await readFile(join(cwd, 'log'), 'utf8')).toBe('ran\n');
});

test('aborts a silent stream and retries', async () => {
  const silence = { text: 'Hm', holdAfter: { events: 3, until: new Promise(() => {}) } };
  const run = await ask([silence, { text: 'Sorry.' }], ['hi'], { env: { HELVE_STREAM_IDLE_MS: '200' } });
  expect(run).toMatchObject({
    code: 0,
    stdout: 'Sorry.\n',
    stderr: expect.stringMatching(/Nothing came from claude-test for 0\.2 s.*Retrying now \(1 of 1\)/),
  });
  expect(await run.server.requests[0]?.finished).toBe('disconnected');
});

test('asks the fallback model after three answers that say the first is overloaded', async () => {
  const run = await ask(
    [overloaded, overloaded, overloaded, { text: 'Hello from the other one.' }],
    ['hi', '--fallback-model', 'claude-haiku-4-5,claude-opus-4-1'],
  );
  expect(run).toMatchObject({
    code: 0,
    stdout: 'Hello from the other one.\n',
    stderr: expect.stringContaining('Using claude-haiku-4-5 instead of claude-test for now. Retrying now'),
  });
  expect(run.server.requests.map(({ body }) => body.model)).toEqual([
    'claude-test',
    'claude-test',
    'claude-test',
    'claude-haiku-4-5',
  ]);
});

test('says what to start when nothing listens on this machine', async () => {
  const server = await startFakeModelServer([]);
  await server.close();
  const env = { ANTHROPIC_BASE_URL: server.url, HELVE_RETRY_BASE_MS: '1' };
  const run = await runHelve(['-p', 'hi'], { env });
  const place = new URL(server.url).host;
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(3);
  expect(run.stderr).toMatch(
    new RegExp(
      `at ${place} .*It was tried 3 times. The address comes from ANTHROPIC_BASE_URL: start the server there, or correct the address.\n$`,
    ),
  );
});

test('Ctrl-C ends a wait at once', async () => {
  const run = await ask([limited('200')], ['hi', '--output-format', 'stream-json'], {
    onOutput: (text, kill) => void (text.includes('api_retry') && kill('SIGINT')),
  });
  expect(run.code).toBe(130);
  expect(jsonLines(run.stdout).at(-1)).toMatchObject({ type: 'result', terminal_reason: 'interrupted' });
});

test.each([
  [['--fallback-model', 'nothing'], {}, '"nothing" names no model'],
  [['--fallback-model', ' ,'], {}, '--fallback-model takes one to 3 models with commas between, but was " ,".'],
  [['--fallback-model', 'a,b,c,d'], {}, '--fallback-model takes one to 3 models'],
  [[], { HELVE_MAX_RETRIES: 'many' }, 'HELVE_MAX_RETRIES is "many"'],
  [[], { HELVE_STREAM_IDLE_MS: '-1' }, 'HELVE_STREAM_IDLE_MS is "-1"'],
])('refuses %j with %j as wrong usage', async (args, env, sentence) => {
  const run = await ask([], ['hi', ...args], { env });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
});
