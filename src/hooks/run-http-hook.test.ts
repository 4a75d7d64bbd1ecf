import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { fillHeaders, type HttpRun, runHttpHook } from './run-http-hook.js';

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`); // a server on a port has such an address
}

const post = (url: URL, changes: Partial<HttpRun> = {}) =>
  runHttpHook({
    url,
    headers: {},
    body: '{"a":"ü"}',
    timeoutMs: 50_000,
    signal: new AbortController().signal,
    ...changes,
  });

test('posts the input as JSON and reads the answer', async () => {
  const seen: IncomingMessage[] = [];
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    seen.push(request);
    bodies.push(await text(request));
    response.end('{"decision": "block"}');
  });
  expect(await post(url, { headers: { 'X-Key': 'k', 'Content-Type': 'text/plain' } })).toEqual({
    text: '{"decision": "block"}',
  });
  expect(bodies).toEqual(['{"a":"ü"}']);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/hook',
    headers: { 'content-type': 'application/json', 'x-key': 'k' },
  });
});

test('an empty response means no answer', async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  expect(await post(url)).toEqual({ text: '' });
});

test.each([
  ['a refusal by status', 403, '{"decision": "block"}', 'it answered with status 403'],
  ['a broken server', 500, '', 'it answered with status 500'],
])('%s is a failure', async (_, status, body, failure) => {
  const url = await serve((_, response) => response.writeHead(status).end(body));
  expect(await post(url)).toEqual({ text: '', failure: expect.stringContaining(failure) });
});

test.each<[string, RequestListener]>([
  ['too long', (_, response) => response.end(`{"a": "${'x'.repeat(1_100_000)}"}`)],
  [
    'broken',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}').subarray(0, 12)),
  ],
  ['in an unknown encoding', (_, response) => response.writeHead(200, { 'content-encoding': 'x' }).end('{}')],
  ['too long when decompressed', (_, response) => response.end(gzipSync(' '.repeat(2_000_000)))],
])('a response that is %s cannot be read', async (_, listener) => {
  expect(await post(await serve(listener))).toEqual({ isUnreadable: true, failure: expect.any(String) });
});

test.each<[string, Buffer, Record<string, string>]>([
  ['gzip', gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }],
  ['gzip that is not announced', gzipSync('{"a":1}'), {}],
  ['deflate', deflateSync('{"a":1}'), { 'content-encoding': 'deflate' }],
  ['brotli', brotliCompressSync('{"a":1}'), { 'content-encoding': 'br' }],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), {}],
])('reads an answer in %s', async (_, body, headers) => {
  const url = await serve((_, response) => response.writeHead(200, headers).end(body));
  expect(await post(url)).toEqual({ text: '{"a":1}' });
});

test('keeps the part that arrived before the connection was lost', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '500' }).write('{"decision":"block"}', () => response.destroy());
  });
  expect(await post(url)).toEqual({
    text: '{"decision":"block"}',
    failure: expect.stringContaining('its answer was cut off'),
  });
});

test('follows no redirect', async () => {
  const asked: string[] = [];
  const other = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  const url = await serve((_, response) => response.writeHead(307, { location: other.href }).end());
  expect(await post(url)).toEqual({ text: '', failure: expect.stringContaining('redirects are not followed') });
  expect(asked).toEqual([]);
});

test.each([
  ['at all', '', 'it did not answer within 0.2 s'],
  ['to the end', '{"decision"', 'its answer was not complete within 0.2 s'],
])('times out on a server that does not answer %s', async (_, text, failure) => {
  const url = await serve((_, response) => void (text === '' || response.writeHead(200).write(text)));
  expect(await post(url, { timeoutMs: 200 })).toEqual({ text, failure });
});

test('rejects with the reason of the signal', async () => {
  const controller = new AbortController();
  const url = await serve(() => controller.abort(new Error('enough')));
  await expect(post(url, { signal: controller.signal })).rejects.toThrow('enough');
});

test('an unreachable server is a failure', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server on a port has such an address
  server.close();
  await once(server, 'close');
  expect(await post(new URL(`http://127.0.0.1:${port}/`))).toEqual({
    text: '',
    failure: expect.stringContaining('it could not be reached'),
  });
});

test('headers contain only the variables that the hook may use', () => {
  const env = { TOKEN: 't$SECRET', SECRET: 's' };
  const headers = { Authorization: 'Bearer $TOKEN', 'X-Other': `a\${SECRET}b$NONE`, Plain: '5 $' };
  expect(fillHeaders(headers, ['TOKEN', 'NONE'], env)).toEqual({
    Authorization: 'Bearer t$SECRET',
    'X-Other': 'ab',
    Plain: '5 $',
  });
});
