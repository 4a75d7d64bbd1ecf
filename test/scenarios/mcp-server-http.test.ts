import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { runHelve } from '../cli/run-helve.js';
import { called, connectByHttp, type ElicitLog, servedFolder, serveHttp, yes } from './mcp-server-client.js';
import { initialize, post, serveWith } from './mcp-server-raw.js';

const revisions = ['with sessions', '2026-07-28', 'auto'] as const;
test.each(revisions)('serves a client that has the token: list, call, ask (%s)', async (revision) => {
  const folder = await servedFolder({ 'a.txt': 'one\n' });
  const asked: ElicitLog = [];
  const { client } = await connectByHttp(await serveHttp(folder), { revision, elicit: yes(asked) });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('Read');
  expect(await called(client, 'Read', { file_path: 'a.txt' })).toEqual({ text: '1\tone', isError: false });
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
  expect(await called(client, 'Edit', edit)).toMatchObject({ isError: false });
  expect(asked).toHaveLength(1);
  expect(await folder.text('a.txt')).toBe('two\n');
});

test('two clients have two sessions, and the processes of a session end with it', async () => {
  const folder = await servedFolder({ 'a.txt': 'one\n' });
  const served = await serveHttp(folder, { flags: ['--allowed-tools', 'Bash'] });
  const [one, other] = [await connectByHttp(served), await connectByHttp(served)];
  expect(one.transport.sessionId).not.toBe(other.transport.sessionId);
  await called(one.client, 'Bash', { command: 'mkdir sub && cd sub' });
  expect((await called(other.client, 'Bash', { command: 'pwd' })).text).toBe(folder.root);
  await called(one.client, 'Bash', { command: 'echo $$ > ../pid; exec sleep 1000', run_in_background: true });
  await until(() => isWritten(folder.path('pid')));
  await one.transport.terminateSession();
  await until(() => pidsIn(folder.path('pid')).every((pid) => !isRunning(pid)));
  expect(await called(other.client, 'Bash', { command: 'echo here' })).toEqual({ text: 'here', isError: false });
});

test('every request needs the token, and an error does not reveal whether a session exists', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const wrong: Array<Record<string, string | string[]>> = [
    {},
    { Authorization: 'Bearer' },
    { Authorization: `Bearer ${token}x` },
    { Authorization: `Bearer ${token.slice(1)}` },
    { Authorization: `Basic ${token}` },
    { Authorization: token },
    { Authorization: [`Bearer ${token}`, 'Bearer other'] },
    { 'X-Authorization': `Bearer ${token}` },
  ];
  for (const headers of wrong) {
    const answer = await post(url, headers);
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(answer.body).not.toContain(token);
  }
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT']) {
    expect(await post(url, { 'mcp-session-id': 'x' }, { method, body: '' })).toMatchObject({ status: 401 });
  }
  expect(await post(url, {}, { path: '/other' })).toMatchObject({ status: 401 });
  expect(await post(`${url}?token=${token}`, {})).toMatchObject({ status: 401 });
});

test('a request with another Host header is refused, with or without the token', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const { port } = new URL(url);
  const Authorization = `Bearer ${token}`;
  const hosts = [
    'evil.test',
    `evil.test:${port}`,
    `127.0.0.1.evil.test:${port}`,
    `localhost.evil.test:${port}`,
    '127.0.0.1',
    'localhost:1',
    `0.0.0.0:${port}`,
    `user@127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.test`,
  ];
  for (const Host of hosts) expect(await post(url, { Authorization, Host })).toMatchObject({ status: 403 });
  const absolute = { path: `http://evil.test:${port}/mcp` };
  expect(await post(url, { Authorization, Host: `127.0.0.1:${port}` }, absolute)).toMatchObject({ status: 403 });
  for (const Host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
    expect(await post(url, { Authorization, Host })).toMatchObject({ status: 200 });
  }
});

test('a page of another origin is refused, and no answer allows one to read it', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const Authorization = `Bearer ${token}`;
  const origins = [
    'https://evil.test',
    'null',
    'http://localhost.evil.test',
    'http://127.0.0.1.evil.test',
    'file://',
    'chrome-extension://abc',
    'http://localhost@evil.test',
    'localhost',
    '',
  ];
  for (const Origin of origins) {
    const { status, headers } = await post(url, { Authorization, Origin });
    expect({ Origin, status }).toEqual({ Origin, status: 403 });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const good = await post(url, { Authorization, Origin: 'http://localhost:6274' });
  expect(good.status).toBe(200);
  expect(Object.keys(good.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('requests without a valid session get an HTTP error', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const Authorization = `Bearer ${token}`;
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  expect(await post(url, { Authorization }, { body: list })).toMatchObject({ status: 400 });
  expect(await post(url, { Authorization, 'mcp-session-id': 'made-up' }, { body: list })).toMatchObject({
    status: 404,
  });
  expect(await post(url, { Authorization }, { body: 'not json' })).toMatchObject({ status: 400 });
  expect(await post(url, { Authorization }, { path: '/other' })).toMatchObject({ status: 404 });
  expect(await post(url, { Authorization }, { method: 'GET', body: '' })).toMatchObject({ status: 400 });
});

test('the token can be given in the environment, and is then not printed', async () => {
  const folder = await servedFolder();
  folder.env['HELVE_MCP_TOKEN'] = 'brought-along-0123456789';
  const served = await serveHttp(folder);
  expect(served.token).toBe('(as in HELVE_MCP_TOKEN)');
  const { client } = await connectByHttp({ url: served.url, token: 'brought-along-0123456789' });
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
});

test('the HTTP server listens on loopback only', async () => {
  const { url } = await serveHttp(await servedFolder());
  expect(new URL(url).hostname).toBe('127.0.0.1');
  if (process.platform !== 'linux') return;
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const [four, six] = [
    await readFile('/proc/net/tcp', 'utf8'),
    await readFile('/proc/net/tcp6', 'utf8').catch(() => ''),
  ];
  expect(four).toContain(`0100007F:${port}`);
  expect(four).not.toContain(`00000000:${port} `);
  expect(six).not.toContain(`:${port} 0000`);
});

test.each([
  [['--http', 'many'], 'takes a port'],
  [['--http', '70000'], 'takes a port'],
  [['8080'], 'takes no argument'],
  [['--http', '1', '2'], 'takes one port'],
])('wrong usage is reported: %j', async (words, problem) => {
  const { code, stderr } = await runHelve(['mcp', 'serve', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test('a token that could be guessed is refused', async () => {
  const { code, stderr } = await runHelve(['mcp', 'serve', '--http'], { env: { HELVE_MCP_TOKEN: 'short' } });
  expect(code).toBe(2);
  expect(stderr).toContain('HELVE_MCP_TOKEN must have at least 16 characters');
  expect(stderr).not.toContain('short');
});

test('a port in use is reported in a sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const { code, stderr } = await runHelve(['mcp', 'serve', '--http', port]);
  expect(code).toBe(2);
  expect(stderr).toContain(`The port ${port} is taken by another program.`);
});

test('a signal ends the server with all that it has started', async () => {
  const folder = await servedFolder();
  const served = await serveHttp(folder, { flags: ['--allowed-tools', 'Bash'] });
  const { client } = await connectByHttp(served);
  await called(client, 'Bash', { command: 'echo $$ > pid; exec sleep 1000', run_in_background: true });
  await until(() => isWritten(folder.path('pid')));
  const ended = once(served.child, 'exit');
  served.child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(pidsIn(folder.path('pid')).filter(isRunning)).toEqual([]);
});

test('there are no more sessions than the limit, until one is ended', async () => {
  const served = await serveWith({ maxSessions: 2 });
  const { transport } = await connectByHttp(served);
  await connectByHttp(served);
  await expect(connectByHttp(served)).rejects.toThrow('which is the limit');
  await transport.terminateSession();
  await connectByHttp(served);
});

test('an idle session is ended for a new one, the longest idle first', async () => {
  const served = await serveWith({ maxSessions: 2 });
  const begin = async (): Promise<string> =>
    String((await post(served.url, { Authorization: 'Bearer token' })).headers['mcp-session-id']);
  const isThere = async (id: string): Promise<boolean> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    return (await post(served.url, { Authorization: 'Bearer token', 'mcp-session-id': id }, { body })).status === 200;
  };
  const [first, second] = [await begin(), await begin()];
  expect(await isThere(first)).toBe(true); // so that the second is the one that was idle for longest
  const third = await begin();
  expect([await isThere(first), await isThere(second), await isThere(third)]).toEqual([true, false, true]);
});

test('a message beyond the limit is refused', async () => {
  const { url, token } = await serveWith({ maxBodyBytes: 1_000 });
  const body = JSON.stringify({ ...initialize, padding: 'x'.repeat(2_000) });
  expect(await post(url, { Authorization: `Bearer ${token}` }, { body })).toMatchObject({ status: 413 });
});

test('an unused session is ended', async () => {
  const served = await serveWith({ idleMs: 1 });
  const begun = await post(served.url, { Authorization: 'Bearer token' });
  const id = String(begun.headers['mcp-session-id']);
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  await until(
    async () =>
      (await post(served.url, { Authorization: 'Bearer token', 'mcp-session-id': id }, { body: list })).status === 404,
  );
});

test('a call whose client has gone is cancelled after a while', async () => {
  const served = await serveWith({ abandonedMs: 1 });
  const begun = await post(served.url, { Authorization: 'Bearer token' });
  const id = String(begun.headers['mcp-session-id']);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x', arguments: {} } });
  const headers = {
    Authorization: 'Bearer token',
    'mcp-session-id': id,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const client = new AbortController();
  const call = fetch(served.url, { method: 'POST', headers, body, signal: client.signal });
  await until(() => served.log.includes('called'));
  client.abort();
  await call.then((answer) => answer.text()).catch(() => {});
  await until(() => served.log.includes('ended'));
  expect(served.log).toEqual(['called', 'cancelled', 'ended']);
});

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])(
  'a client that speaks %s is answered in it',
  async (protocolVersion) => {
    const { url, token } = await serveWith({});
    const body = JSON.stringify({ ...initialize, params: { ...initialize.params, protocolVersion } });
    const answer = await post(url, { Authorization: `Bearer ${token}` }, { body });
    expect(answer.body).toContain(`"protocolVersion":"${protocolVersion}"`);
  },
);
