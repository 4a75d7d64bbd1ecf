import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createPlainServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createHostProxy } from './host-proxy.js';

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function proxyFor(allowed: (port: number) => string[], addresses: Record<string, string[]> = {}) {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    seen.push(
      `${incoming.method} ${incoming.url} ${incoming.headers.host} ${incoming.headers['proxy-connection'] ?? ''}`,
    );
    if (incoming.method === 'GET') response.end('reached');
    else incoming.pipe(response);
  });
  const port = await listening(server);
  const refused: string[] = [];
  const hosts = { allowed: allowed(port), denied: [] as string[] };
  const proxy = await createHostProxy({
    hosts: () => hosts,
    onRefused: (sentence) => refused.push(sentence),
    lookup: async (host) =>
      (addresses[host] ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  const { port: at = 0 } = await proxy.listen({ port: 0 });
  onTestFinished(() => proxy.close());
  const get = async (url: string, { method = 'GET', body = '', headers = {} } = {}) => {
    const sent = request({ host: '127.0.0.1', port: at, method, path: url, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, body: await text(response) };
  };
  /** What comes back from a tunnel. */
  const tunnel = async (target: string, send: string) => {
    const socket = connect(at, '127.0.0.1');
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${send}`);
    return await text(socket);
  };
  return { port, get, tunnel, refused, seen, hosts, at };
}

const asking = (port: number) => `GET /inside HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;

test('a listed host can be reached, by a plain request and through a tunnel', async () => {
  const { port, get, tunnel, refused, seen } = await proxyFor((at) => [`localhost:${at}`]);
  expect(await get(`http://LocalHost.:${port}/a?b=1`)).toEqual({ status: 200, body: 'reached' });
  expect(await get(`http://localhost:${port}/p`, { method: 'POST', body: 'echo' })).toEqual({
    status: 200,
    body: 'echo',
  });
  expect(await tunnel(`localhost:${port}`, asking(port))).toMatch(
    /^HTTP\/1.1 200 Connection established\r\n\r\nHTTP\/1.1 200 OK[\s\S]*reached/,
  );
  expect(refused).toEqual([]);
  expect(seen[0]).toBe(`GET /a?b=1 localhost.:${port} `);
});

test('a host that is not listed is refused, and the message lists allowed hosts', async () => {
  const { port, get, tunnel, refused, seen } = await proxyFor(() => ['example.com', '*.example.org:443']);
  const sentence = `The sandbox refused a connection to localhost:${port}. Allowed are: example.com, *.example.org:443.`;
  expect(await get(`http://localhost:${port}/`)).toEqual({ status: 403, body: `${sentence}\n` });
  expect(await tunnel(`localhost:${port}`, asking(port))).toMatch(
    /^HTTP\/1.1 403 Forbidden\r\n[\s\S]*refused a connection/,
  );
  expect(refused).toEqual([sentence, sentence]);
  expect(seen).toEqual([]);
});

test.each([
  ['an address of this machine', (port: number) => `127.0.0.1:${port}`],
  ['the same, written otherwise', (port: number) => `2130706433:${port}`],
  ['the same as IPv6', (port: number) => `[::ffff:127.0.0.1]:${port}`],
  ['another port', (port: number) => `localhost:${port + 1}`],
  ['nothing that is a host', () => 'a@b:80'],
  ['no port', () => 'localhost'],
])('a tunnel to %s is refused', async (_name, target) => {
  const { port, tunnel, seen } = await proxyFor((at) => [`localhost:${at}`, '*']);
  expect(await tunnel(target(port), asking(port))).toMatch(/^HTTP\/1.1 (?:400|403)/);
  expect(seen).toEqual([]);
});

test('a listed name that resolves to this machine is refused, until the address is listed too', async () => {
  const { port, get, refused, hosts } = await proxyFor(() => ['rebound.example'], { 'rebound.example': ['127.0.0.1'] });
  expect((await get(`http://rebound.example:${port}/`)).status).toBe(403);
  expect(refused[0]).toContain('It leads to 127.0.0.1, an address of this machine or its network');
  hosts.allowed.push(`127.0.0.1:${port}`);
  expect((await get(`http://rebound.example:${port}/`)).body).toBe('reached');
});

test('only allowed addresses of a name are tried', async () => {
  const addresses = { 'mixed.example': ['10.255.255.1', '127.0.0.1'] };
  const { port, get } = await proxyFor((at) => ['mixed.example', `127.0.0.1:${at}`], addresses);
  expect((await get(`http://mixed.example:${port}/`)).body).toBe('reached');
});

test('the server receives the host that was checked, regardless of the request, and no proxy headers', async () => {
  const { port, get, seen } = await proxyFor((at) => [`localhost:${at}`]);
  await get(`http://localhost:${port}/`, { headers: { host: 'inner.example', 'proxy-connection': 'keep-alive' } });
  expect(seen).toEqual([`GET / localhost:${port} `]);
});

test.each([
  [
    'chunked',
    (body: string) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
  ['of a given length', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
  [
    'of a length that is said to be of this connection',
    (body: string) => `Content-Length: ${body.length}\r\nConnection: content-length\r\n\r\n${body}`,
  ],
])(
  'a body that comes with GET, %s, is a body for the server too and could be taken for no second request',
  async (_name, framed) => {
    const { at, hosts } = await proxyFor(() => []);
    const second = 'GET /second HTTP/1.1\r\nHost: inner.example\r\n\r\n';
    const received = Promise.withResolvers<string>();
    const server = createPlainServer((socket) => {
      let all = '';
      socket.on('error', () => {}); // the proxy hangs up when the test is over
      socket.on('data', (bytes) => {
        all += bytes;
        if (!all.includes(second)) return;
        received.resolve(all);
        socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
      });
    });
    const port = await listening(server);
    hosts.allowed.push(`localhost:${port}`);
    const socket = connect(at, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET http://localhost:${port}/first HTTP/1.1\r\nHost: localhost\r\n${framed(second)}`);
    const [head = ''] = (await received.promise).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^(?:content-length: ${second.length}|transfer-encoding: chunked)$`, 'im'));
  },
);

test('a name that is too long is refused', async () => {
  const { get } = await proxyFor(() => ['*']);
  expect((await get(`http://${'a-sentence.'.repeat(30)}example/`)).status).toBe(400);
});

test.each(['/', 'https://localhost/', 'ftp://localhost/', 'file:///etc/passwd'])(
  'the request target %s is refused',
  async (target) => {
    const { get } = await proxyFor(() => ['*', 'localhost']);
    expect((await get(target)).status).toBe(400);
  },
);

test('a missing server and one that closes the connection are reported, and the proxy keeps working', async () => {
  const { get, tunnel, hosts } = await proxyFor(() => []);
  const rude = createPlainServer((socket) => socket.destroy());
  const port = await listening(rude);
  hosts.allowed.push('localhost');
  expect((await get(`http://localhost:${port}/`)).status).toBe(502);
  expect(await tunnel(`localhost:${port}`, 'x')).toMatch(/^HTTP\/1.1 200/);
  rude.close();
  await once(rude, 'close');
  expect((await get(`http://localhost:${port}/`)).body).toContain('The connection failed');
  expect(await tunnel(`localhost:${port}`, 'x')).toMatch(/^HTTP\/1.1 502/);
});
