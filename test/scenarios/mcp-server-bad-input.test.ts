import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedSession } from '../../src/mcp/server/serve-port.js';
import { until } from '../../src/testing/watch-processes.js';
import { initialize, post, serveWith } from './mcp-server-raw.js';

const Authorization = 'Bearer token';
const META = 'io.modelcontextprotocol';
const newest = '2026-07-28';

/** A request of the revision without sessions. */
function stateless(method: string, params: object = {}, { capabilities = {}, version = newest } = {}) {
  const _meta = { [`${META}/protocolVersion`]: version, [`${META}/clientCapabilities`]: capabilities };
  const headers: Record<string, string> = { Authorization, 'MCP-Protocol-Version': version, 'Mcp-Method': method };
  if ('name' in params) headers['Mcp-Name'] = String(params.name);
  return {
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method, params: { ...params, _meta } }),
  };
}

const send = async (url: string, { headers, body }: ReturnType<typeof stateless>) => await post(url, headers, { body });

/** The message of an answer, which may be an event of a stream. */
function messageIn(body: string): Record<string, unknown> {
  const [, event] = /^data: (.*)$/m.exec(body) ?? [];
  return JSON.parse(event ?? body);
}

const list = { jsonrpc: '2.0', id: 9, method: 'tools/list' };

test.each([
  ['an empty body', '', 400, -32_700],
  ['half a message', '{"jsonrpc"', 400, -32_700],
  ['deep nesting', '['.repeat(100_000), 400, -32_700],
  ['a number', '42', 400, -32_600],
  ['null', 'null', 400, -32_600],
  ['an object without fields', '{}', 400, -32_600],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32_600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, -32_600],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}', 400, -32_600],
  ['an empty batch', '[]', 400, -32_600],
  ['a batch of too many', JSON.stringify(Array.from({ length: 101 }, () => list)), 400, -32_600],
])('%s is refused with an error in every revision, and the server goes on', async (_, body, status, code) => {
  const { url } = await serveWith();
  const begun = await post(url, { Authorization });
  const session = { Authorization, 'mcp-session-id': String(begun.headers['mcp-session-id']) };
  const { headers } = stateless('tools/list');
  for (const each of [session, headers]) {
    const answer = await post(url, each, { body });
    expect(answer).toMatchObject({ status });
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  }
  expect(await post(url, session, { body: JSON.stringify(list) })).toMatchObject({ status: 200 });
  expect(await send(url, stateless('tools/list'))).toMatchObject({ status: 200 });
});

test.each<[string, Record<string, string | undefined>, ReturnType<typeof stateless>, number, number]>([
  ['another method in the header', { 'Mcp-Method': 'tools/call' }, stateless('tools/list'), 400, -32_020],
  ['no method in the headers', { 'Mcp-Method': undefined }, stateless('tools/list'), 400, -32_020],
  ['another name in the header', { 'Mcp-Name': 'y' }, stateless('tools/call', { name: 'x' }), 400, -32_020],
  ['no name in the headers', { 'Mcp-Name': undefined }, stateless('tools/call', { name: 'x' }), 400, -32_020],
  ['no version in the headers', { 'MCP-Protocol-Version': undefined }, stateless('tools/list'), 400, -32_020],
  ['another version in the header', { 'MCP-Protocol-Version': '2025-11-25' }, stateless('tools/list'), 400, -32_020],
  ['an unknown version', {}, stateless('tools/list', {}, { version: '2030-01-01' }), 400, -32_022],
  ['an unknown method', {}, stateless('no/such'), 404, -32_601],
  ['a method that was removed', {}, stateless('ping'), 404, -32_601],
  ['prompts, which are not offered', {}, stateless('prompts/list'), 404, -32_601],
  ['no metadata', {}, { ...stateless('tools/list'), body: JSON.stringify(list) }, 400, -32_602],
  ['parameters of a wrong type', {}, stateless('tools/call', { name: 'x', arguments: 5 }), 200, -32_602],
  ['a state that is an object', {}, stateless('tools/call', { name: 'x', requestState: {} }), 200, -32_602],
  ['a made-up state', {}, stateless('tools/call', { name: 'x', requestState: 'zz' }), 200, -32_602],
])('a request with %s is refused, and its id repeated', async (_, changed, { headers, body }, status, code) => {
  const { url, log } = await serveWith();
  const sent = Object.entries({ ...headers, ...changed }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const answer = await post(url, Object.fromEntries(sent), { body });
  expect(answer).toMatchObject({ status });
  expect(messageIn(answer.body)).toMatchObject({ id: 9, error: { code, message: expect.any(String) } });
  expect(log).toEqual([]);
});

test('what belongs to sessions is refused in the revision without them', async () => {
  const { url } = await serveWith();
  const { headers } = stateless('tools/list');
  for (const method of ['GET', 'DELETE']) {
    expect(await post(url, headers, { method, body: '' })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  }
  const batch = await post(url, headers, { body: JSON.stringify([list, list]) });
  expect(batch).toMatchObject({ status: 400, body: expect.stringContaining('has no batches') });
});

test('requests that are refused leave nothing open', async () => {
  const { url, opened } = await serveWith({ maxSessions: 1 });
  for (let count = 0; count < 50; count += 1) {
    await post(url, { Authorization }, { body: JSON.stringify(list) });
    await send(url, stateless('no/such'));
  }
  expect(opened()).toBe(0);
  expect(await post(url, { Authorization })).toMatchObject({ status: 200 });
});

test('a problem that is reported does not quote a whole message', async () => {
  const problems: string[] = [];
  const { url } = await serveWith({ onProblem: (text) => problems.push(text) });
  const begun = await post(url, { Authorization });
  const session = { Authorization, 'mcp-session-id': String(begun.headers['mcp-session-id']) };
  await post(url, session, { body: JSON.stringify({ jsonrpc: '2.0', id: 77, result: { x: 'x'.repeat(100_000) } }) });
  expect(problems).toHaveLength(1);
  expect(problems.join().length).toBeLessThan(2_000);
});

test('a client that disconnects within a message does no harm', async () => {
  const { url } = await serveWith();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { headers } = stateless('tools/list');
  const lines = Object.entries({ ...headers, Host: `${hostname}:${port}`, 'Content-Length': '1000' });
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{"json`);
  await new Promise((sent) => socket.once('ready', sent));
  socket.destroy();
  expect(await send(url, stateless('tools/list'))).toMatchObject({ status: 200 });
});

/** A session whose calls answer with the length of their text. */
const measuring = (): ServedSession => ({
  tools: async () => [],
  call: async ({ input: { text } }) => ({ content: `${String(text).length} characters` }),
  async end() {},
});

test('a message of 50 MB is received', async () => {
  const { url } = await serveWith({ open: measuring });
  const call = { name: 'Write', arguments: { text: 'x'.repeat(50 * 1024 * 1024) } };
  const answer = await send(url, stateless('tools/call', call));
  expect(answer.body).toContain('52428800 characters');
});

test.each(['with sessions', newest])(
  'a message beyond the limit is refused before it is read (%s)',
  async (revision) => {
    const { url, log } = await serveWith({ maxBodyBytes: 1_000 });
    const padded = JSON.stringify({ ...initialize, padding: 'x'.repeat(2_000) });
    const { headers, body } = stateless('tools/call', { name: 'x', arguments: { text: 'x'.repeat(2_000) } });
    const answer =
      revision === newest ? await post(url, headers, { body }) : await post(url, { Authorization }, { body: padded });
    expect(answer).toMatchObject({ status: 413, body: expect.stringContaining('1000 bytes') });
    expect(log).toEqual([]);
  },
);

const CHUNK = 'x'.repeat(64 * 1024);
const CHUNKS = 1_000;

/** A session whose call reports 64 MB of progress. */
const talking = (): ServedSession => ({
  tools: async () => [],
  async call({ onProgress }) {
    for (let count = 0; count < CHUNKS; count += 1) {
      onProgress(`${count} ${CHUNK}`);
      await new Promise((next) => setImmediate(next));
    }
    return { content: 'done' };
  },
  async end() {},
});

test('a client that reads slowly gets the newest progress, not all of it', async () => {
  let done = false;
  const open = (): ServedSession => {
    const session = talking();
    return {
      ...session,
      async call(call) {
        const result = await session.call(call);
        done = true;
        return result;
      },
    };
  };
  const { url } = await serveWith({ open });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const { headers, body } = stateless('tools/call', { name: 'x', arguments: {} });
  const withToken = JSON.parse(body);
  withToken.params._meta.progressToken = 1;
  const text = JSON.stringify(withToken);
  const all = {
    ...headers,
    Host: `${hostname}:${port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Connection: 'close',
    'Content-Length': String(text.length),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  await until(() => done);
  let received = 0;
  let last = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    last = (last + chunk.toString('latin1')).slice(-2_000);
  });
  socket.resume();
  await until(() => last.includes('"text":"done"'));
  expect(received).toBeLessThan((CHUNKS * CHUNK.length) / 4);
});
