import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hostPlace } from '../../src/cli/background/host-place.js';
import { isRunning, until } from '../../src/testing/watch-processes.js';
import { runHelve } from './run-helve.js';
import { ServeClient, servePlace, startServe } from './serve-client.js';

const ID = '00000000-0000-4000-8000-000000000001';

const prompt = (text: string, cwd: string, promptId = 'p1') => ({
  ...{ sessionId: ID, promptId, cwd, mcpServers: [] },
  prompt: [{ type: 'text', text }],
});

const command = (text: string) => ({ text: 'I run it.', calls: [{ name: 'Bash', input: { command: text } }] });

test('clients of a host that is killed connect again, nothing is lost, and nothing runs twice', async () => {
  const at = await servePlace([{ text: 'First.' }, { text: 'Second.' }]);
  const { url } = await startServe(at);
  const token = await at.token('run');
  const client = await ServeClient.connect(url, token);
  await client.request('_helve/prompt', prompt('one', at.cwd));
  await client.request('_helve/session/attach', { sessionId: ID });
  await client.until(() => client.entries.find(({ kind }) => kind === 'end'));
  const { pid } = await client.request('_helve/host/status');
  process.kill(Number(pid), 'SIGKILL');
  expect(await client.closed).toEqual({ code: 1012, reason: expect.stringContaining('Connect again') });
  await until(() => !isRunning(Number(pid)));

  const again = await ServeClient.connect(url, token);
  expect(await again.request('_helve/prompt', prompt('one', at.cwd))).toEqual({ sessionId: ID, isNew: false });
  expect(await again.request('_helve/prompt', prompt('two', at.cwd, 'p2'))).toEqual({ sessionId: ID, isNew: true });
  const { past } = await again.request('_helve/session/attach', { sessionId: ID });
  expect(past).toMatchObject([{ kind: 'prompt' }, { kind: 'text', text: 'First.' }]);
  await again.until(() => again.entries.find(({ kind, text }) => kind === 'end' && text === 'Second.'));
  expect(at.model.requests).toHaveLength(2);
});

test('a client that comes back gets only what has changed since it left, and the session went on', async () => {
  const at = await servePlace([command('node -p 1 > made.txt'), { text: 'Done.' }]);
  const { url } = await startServe(at);
  const token = await at.token('run');
  const client = await ServeClient.connect(url, token);
  await client.request('_helve/prompt', prompt('make it', at.cwd));
  const first = await client.request('_helve/session/attach', { sessionId: ID });
  const question = await client.until(() => client.entries.find(({ kind }) => kind === 'question'));
  const { epoch } = await client.request('_helve/session/attach', { sessionId: ID });
  const seen = Math.max(...client.messages.map(({ params }) => Number((params as { seq?: number }).seq ?? 0)));
  client.socket.terminate(); // as a browser that falls asleep

  // One that had its answer and none of its entries yet misses nothing.
  const early = await ServeClient.connect(url, token);
  await early.request('_helve/session/attach', { sessionId: ID, after: { epoch, seq: first['seq'] } });
  await early.until(() => early.entries.find(({ kind }) => kind === 'prompt'));

  const other = await ServeClient.connect(url, token);
  await other.request('_helve/session/attach', { sessionId: ID });
  const answer = { sessionId: ID, questionId: question['id'], answer: { behavior: 'allow' } };
  await other.request('_helve/session/answer', answer);
  await other.until(() => other.entries.find(({ kind }) => kind === 'end'));

  const back = await ServeClient.connect(url, token);
  const { past } = await back.request('_helve/session/attach', { sessionId: ID, after: { epoch, seq: seen } });
  expect(past).toEqual([]);
  await back.until(() => back.entries.find(({ kind, state }) => kind === 'state' && state === 'idle'));
  expect(back.entries.filter(({ kind }) => kind === 'prompt')).toEqual([]); // it has it
  expect(back.entries.find(({ kind }) => kind === 'question')).toMatchObject({ isOpen: false });
  expect(back.entries.find(({ kind }) => kind === 'call')).toMatchObject({ status: 'completed' });
  expect(back.entries.find(({ kind }) => kind === 'end')).toMatchObject({ text: 'Done.' });
});

test('helve attach and a WebSocket client follow one session, and one answers for both', async () => {
  const at = await servePlace([command('node -p 1 > made.txt'), { text: 'Done.' }]);
  const { url } = await startServe(at);
  const client = await ServeClient.connect(url, await at.token('run'));
  await client.request('_helve/prompt', prompt('make it', at.cwd));
  await client.request('_helve/session/attach', { sessionId: ID });
  const question = await client.until(() => client.entries.find(({ kind }) => kind === 'question'));
  let answered: Promise<unknown> | undefined;
  const { stdout } = await runHelve(['attach', ID, '--json'], {
    cwd: at.cwd,
    env: at.env,
    onOutput(text) {
      if (!text.includes('"kind":"question"')) return;
      const answer = { sessionId: ID, questionId: question['id'], answer: { behavior: 'allow' } };
      answered ??= client.request('_helve/session/answer', answer);
    },
  });
  expect(await answered).toEqual({ isAccepted: true });
  expect(stdout).toContain('"isOpen":false');
  expect(stdout).toContain('"text":"Done."');
});

test('a client that may only look does not wake a session that is not open, and reads it instead', async () => {
  const at = await servePlace([{ text: 'Done.' }]);
  await at.helve(['-p', 'go', '--session-id', ID]);
  const { url } = await startServe(at);
  const client = await ServeClient.connect(url, await at.token('view'));
  const { error } = await client.ask('_helve/session/attach', { sessionId: ID });
  expect(error).toMatchObject({ code: -32_002, message: expect.stringContaining('_helve/session/read') });
  const load = await client.ask('session/load', { sessionId: ID, cwd: at.cwd, mcpServers: [] });
  expect(load['error']).toMatchObject({ code: -32_002 });
  const { past } = await client.request('_helve/session/read', { sessionId: ID });
  expect(past).toMatchObject([{ kind: 'prompt' }, { kind: 'text', text: 'Done.' }]);
});

test('a server that is ended leaves sessions running; with --drain it waits for them and ends the host', async () => {
  const at = await servePlace([command('node -p 1 > made.txt'), { text: 'Done.' }]);
  const token = await at.token('run');
  const first = await startServe(at);
  const client = await ServeClient.connect(first.url, token);
  await client.request('_helve/prompt', prompt('make it', at.cwd));
  first.process.kill('SIGTERM');
  expect(await client.closed).toEqual({ code: 1001, reason: expect.stringContaining('Sessions go on') });
  expect(client.messages.find(({ method }) => method === '_helve/server/draining')).toBeDefined();
  expect(await first.ended).toBe(143);

  const second = await startServe(at, ['--drain', '60']);
  const back = await ServeClient.connect(second.url, token);
  const { pid } = await back.request('_helve/host/status');
  await back.request('_helve/session/attach', { sessionId: ID });
  const question = await back.until(() => back.entries.find(({ kind }) => kind === 'question'));
  await back.request('_helve/session/answer', {
    ...{ sessionId: ID, questionId: question['id'] },
    answer: { behavior: 'allow' },
  });
  second.process.kill('SIGTERM');
  expect(await second.ended).toBe(143);
  expect(isRunning(Number(pid))).toBe(false);
  expect(readFileSync(join(at.cwd, 'made.txt'), 'utf8')).toBe('1\n');
  expect(at.model.requests).toHaveLength(2);
  expect(statSync(hostPlace(at.home).socket, { throwIfNoEntry: false })).toBeUndefined();
});

test('with --drain, a question that no client can answer any more is not waited for, and is asked again later', async () => {
  const at = await servePlace([command('node -p 1 > made.txt'), { text: 'Done.' }]);
  const token = await at.token('run');
  const first = await startServe(at, ['--drain', '600']);
  const client = await ServeClient.connect(first.url, token);
  await client.request('_helve/prompt', prompt('make it', at.cwd));
  await client.request('_helve/session/attach', { sessionId: ID });
  await client.until(() => client.entries.find(({ kind }) => kind === 'question'));
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(143);
  expect(first.stderr()).toContain('1 session still had a question, asked again at the next attach');

  const second = await startServe(at);
  const back = await ServeClient.connect(second.url, token);
  await back.request('_helve/session/attach', { sessionId: ID });
  const question = await back.until(() => back.entries.find(({ kind, isOpen }) => kind === 'question' && isOpen));
  const answer = { sessionId: ID, questionId: question['id'], answer: { behavior: 'allow' } };
  await back.request('_helve/session/answer', answer);
  await back.until(() => back.entries.find(({ kind }) => kind === 'end'));
  expect(readFileSync(join(at.cwd, 'made.txt'), 'utf8')).toBe('1\n');
  expect(at.model.requests).toHaveLength(2);
});

test('with --drain, work that is cut at the limit goes on with the next host', async () => {
  const hold = Promise.withResolvers<void>();
  const at = await servePlace([
    { text: 'Half of it', holdAfter: { events: 1, until: hold.promise } },
    { text: 'All of it.' },
  ]);
  onTestFinished(() => hold.resolve());
  const token = await at.token('run');
  const first = await startServe(at, ['--drain', '0']);
  const client = await ServeClient.connect(first.url, token);
  await client.request('_helve/prompt', prompt('say it', at.cwd));
  await vi.waitFor(() => expect(at.model.requests).toHaveLength(1));
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(143);
  expect(first.stderr()).toContain('1 session still had work, continued at the next attach');

  const second = await startServe(at);
  const back = await ServeClient.connect(second.url, token);
  await back.request('_helve/session/attach', { sessionId: ID });
  const end = await back.until(() => back.entries.find(({ kind }) => kind === 'end'));
  expect(end).toMatchObject({ outcome: 'completed', text: 'All of it.' });
});

test('what would expose tokens, or can not be listened on, is refused at the start with what to do', async () => {
  const at = await servePlace([]);
  const { url } = await startServe(at);
  const port = new URL(url).port;
  const said = async (...args: string[]) => {
    const { code, stderr } = await at.helve(['serve', ...args]);
    return { code, stderr };
  };
  expect(await said('--port', port)).toEqual({
    code: 2,
    stderr: expect.stringContaining(`The port ${port} is in use`),
  });
  expect(await said('--listen', '0.0.0.0')).toEqual({ code: 2, stderr: expect.stringContaining('--tls-cert') });
  expect(await said('--behind-proxy')).toEqual({ code: 2, stderr: expect.stringContaining('--allowed-host NAME') });
  expect(await said('--listen', '192.0.2.1', '--behind-proxy', '--allowed-host', 'x.test')).toEqual({
    code: 2,
    stderr: expect.stringContaining('is not an address of this machine'),
  });
  rmSync(join(at.home, 'serve'), { recursive: true });
  writeFileSync(join(at.home, 'serve'), 'a file where the folder should be');
  expect(await said('--port', '0')).toEqual({ code: 1, stderr: expect.stringContaining(at.home) });
});

test('tokens are listed without their secrets, expire, and are stored as hashes in a private file', async () => {
  const at = await servePlace([]);
  const token = await at.token('view', 'phone');
  expect(token).toMatch(/^helve_[0-9a-f]{64}$/);
  expect(await at.helve(['serve', 'tokens', 'add', 'phone', '--role', 'run'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is a token named "phone" already'),
  });
  await at.helve(['serve', 'tokens', 'add', 'guest', '--role', 'answer', '--expires', '12h']);
  const { stdout } = await at.helve(['serve', 'tokens', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'phone', role: 'view', expires: null },
    { name: 'guest', role: 'answer', expires: expect.stringMatching(/^20/) },
  ]);
  const path = join(at.home, 'serve', 'access.json');
  const stored = readFileSync(path, 'utf8');
  expect(stored).not.toContain(token.slice(6));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { stdout: code } = await at.helve(['serve', 'code', '--role', 'view']);
  expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}\n$/);
});
