import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';

import { AccessFile } from './access-file.js';
import type { BackEnd } from './back-end.js';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.js';
import { webFiles } from './web-files.js';

/** A back end that echoes what it gets, and sends what it is told to. */
function echoing({ flood = 0 }: { flood?: number } = {}) {
  const facts = { sent: 0, received: [] as string[] };
  let left = flood; // for the first client
  const backEnd: BackEnd = {
    async connect() {
      let waiting = left;
      left = 0;
      const ended = Promise.withResolvers<void>();
      const queue: string[] = [];
      let wake = Promise.withResolvers<void>();
      return {
        lines: (async function* lines() {
          for (; waiting > 0; waiting -= 1, facts.sent += 1) {
            yield {
              text: JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { n: facts.sent, pad: 'x'.repeat(65_536) } }),
            };
          }
          for (;;) {
            const text = queue.shift();
            if (text !== undefined) yield { text };
            else if ((await Promise.race([ended.promise.then(() => 'end'), wake.promise])) === 'end') return;
            else wake = Promise.withResolvers();
          }
        })(),
        async write(line) {
          facts.received.push(line);
          const { id } = JSON.parse(line);
          queue.push(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
          wake.resolve();
        },
        close: () => ended.resolve(),
      };
    },
    caller: () => ({ env: { A: 'b' }, argv: [] }),
    sessionStates: async () => new Map([['idle', 2]]),
  };
  return { backEnd, facts };
}

async function started(options: Partial<GatewayOptions> & Pick<GatewayOptions, 'backEnd'>) {
  const access = new AccessFile(await mkdtemp(join(tmpdir(), 'helve-access-')));
  const gateway = await startGateway({
    address: '127.0.0.1',
    port: 0,
    isBehindProxy: false,
    allowedHosts: [],
    access,
    webFiles: () => new Map(),
    version: '9.9.9',
    protocol: 1,
    onProblem: () => {},
    ...options,
  });
  onTestFinished(async () => await gateway.drain('The test is over.', 0));
  return { gateway, access, token: await access.addToken('tester', 'run') };
}

function connect({ port }: Gateway, token: string, headers: Readonly<Record<string, string>> = {}): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/acp`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  socket.on('error', () => {});
  onTestFinished(() => socket.terminate());
  return socket;
}

const closing = async (socket: WebSocket): Promise<{ code: number; reason: string }> => {
  const [code, reason] = await once(socket, 'close');
  return { code, reason: String(reason) };
};

/** The answers of the server to raw bytes, until it closes the connection. */
async function raw({ port }: Gateway, text: string, { allowHalfOpen = false } = {}): Promise<string> {
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen });
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    answer += data;
  });
  socket.on('error', () => {});
  const push = (): void => void socket.write('x', (error) => !error && setImmediate(push));
  if (allowHalfOpen) socket.on('end', push); // fails once the server holds the connection no longer
  socket.write(text.replaceAll('\n', '\r\n'));
  await new Promise((done) => socket.once('close', done)); // also after an error
  return answer;
}

test('a client that reads nothing stops its own messages, and gets all of them once it reads', async () => {
  const count = 600; // 40 MB, more than sockets hold
  const { backEnd, facts } = echoing({ flood: count });
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  socket.on('open', () => socket.pause());
  await once(socket, 'open');
  await once(connect(gateway, token), 'open'); // others are served meanwhile
  const numbers: number[] = [];
  socket.on('message', (data) => numbers.push(JSON.parse(String(data)).params?.n));
  expect(facts.sent).toBeLessThan(count);
  socket.resume();
  await new Promise<void>((done) => socket.on('message', () => numbers.length === count && done()));
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index));
});

test('the environment of sessions is that of the server, and the actor that of the token, whatever the client says', async () => {
  const { backEnd, facts } = echoing();
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  await once(socket, 'open');
  const forged = { env: { A: 'evil' }, argv: ['--dangerously-skip-permissions'], actor: 'root', role: 'admin' };
  socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { _meta: { helve: forged, other: 1 } } }),
  );
  await once(socket, 'message');
  const { params } = JSON.parse(facts.received[0] ?? '');
  expect(params._meta).toEqual({ helve: { env: { A: 'b' }, argv: [], actor: 'tester', role: 'run' }, other: 1 });
});

test('malformed messages get an error each, and a flood of them ends the connection', async () => {
  const { backEnd, facts } = echoing();
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  await once(socket, 'open');
  const answers: Array<{ error?: { code: number; message: string } }> = [];
  socket.on('message', (data) => answers.push(JSON.parse(String(data))));
  for (const bad of ['{', '[]', '7', '{"id":1}', '{"id":1,"method":7}', '{"id":"a","method":"_helve/none"}'])
    socket.send(bad);
  socket.send(Buffer.from('{}'), { binary: true });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 5, method: '_helve/sessions/list' }));
  await new Promise<void>((done) => socket.on('message', () => answers.length === 8 && done()));
  expect(answers.map(({ error }) => error?.code)).toEqual([
    ...[-32_700, -32_600, -32_600, -32_600, -32_600, -32_601, -32_700],
    undefined,
  ]);
  expect(answers[5]?.error?.message).toContain('This server, Helve 9.9.9, has no method "_helve/none"');
  expect(facts.received).toHaveLength(1);
  for (let sent = 0; sent < 60; sent += 1) socket.send('{');
  expect(await closing(socket)).toEqual({ code: 1002, reason: expect.stringContaining('could not be accepted') });
});

test('a message that is nested too deeply to be passed on is refused, and the server goes on', async () => {
  const { backEnd, facts } = echoing();
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  await once(socket, 'open');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const message of [`"id":1,"method":"initialize","params":{"_meta":{"x":${deep}}}`, `"id":2,"result":${deep}`]) {
    socket.send(`{"jsonrpc":"2.0",${message}}`);
    const [answer] = await once(socket, 'message');
    expect(JSON.parse(String(answer)).error.message).toContain('nested more deeply');
  }
  expect(facts.received).toEqual([]);
});

test('a frame that is too big ends the connection with the limit as the reason, and is not passed on', async () => {
  const { backEnd, facts } = echoing();
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  await once(socket, 'open');
  socket.send(`{"method":"_helve/prompt","id":1,"params":{"x":"${'x'.repeat(50 * 1024 * 1024)}"}}`);
  expect(await closing(socket)).toEqual({ code: 1009, reason: expect.stringContaining('at most 16 MiB') });
  expect(facts.received).toEqual([]);
});

test('no compression is agreed on, which could unpack to any size', async () => {
  const { gateway, token } = await started(echoing());
  const socket = connect(gateway, token, { 'Sec-WebSocket-Extensions': 'permessage-deflate' });
  await once(socket, 'open');
  expect(socket.extensions).toBe('');
});

test('more clients than the limit are refused until one leaves', async () => {
  const { gateway, token } = await started({ ...echoing(), maxClients: 1 });
  const first = connect(gateway, token);
  await once(first, 'open');
  const [, response] = await once(connect(gateway, token), 'unexpected-response');
  expect(response.statusCode).toBe(503);
  first.close();
  await once(first, 'close');
  await once(connect(gateway, token), 'open');
});

test('one token can not take the places of all clients', async () => {
  const { gateway, access, token } = await started({ ...echoing(), maxOfOneToken: 1 });
  await once(connect(gateway, token), 'open');
  const [, response] = await once(connect(gateway, token), 'unexpected-response');
  expect(response.statusCode).toBe(503);
  await once(connect(gateway, await access.addToken('owner', 'admin')), 'open');
});

test('connections that never send a request, or hold one, keep no one else out, and the person learns of them', async () => {
  const problems: string[] = [];
  const onProblem = (sentence: string): void => void problems.push(sentence);
  const { gateway, token } = await started({ ...echoing(), maxConnections: 5, onProblem });
  const client = connect(gateway, token);
  await once(client, 'open');
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const socket = createConnection({ port: gateway.port, host: '127.0.0.1' });
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
      return socket;
    }),
  );
  expect((await fetch(`http://127.0.0.1:${gateway.port}/healthz`)).status).toBe(200);
  await once(connect(gateway, token), 'open');
  expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(5);
  expect(problems).toEqual([expect.stringContaining('the oldest are closed')]);
  client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: '_helve/sessions/list' }));
  await once(client, 'message'); // a client is not one of them
});

test('a client that leaves in the middle of its request is no problem of the server', async () => {
  const problems: string[] = [];
  const { gateway } = await started({ ...echoing(), onProblem: (sentence) => problems.push(sentence) });
  const socket = createConnection({ port: gateway.port, host: '127.0.0.1' });
  socket.write(
    `POST /auth/exchange HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  await fetch(`http://127.0.0.1:${gateway.port}/healthz`); // the head has arrived
  socket.destroy();
  await gateway.drain('The test is over.', 1_000);
  expect(problems).toEqual([]);
});

test('a request that does not arrive is given up', async () => {
  const { gateway } = await started({ ...echoing(), requestMs: 80 });
  expect(await raw(gateway, 'GET / HTTP/1.1\nHost: ')).toContain('408');
});

test.each([
  ['a refused upgrade', 'GET /acp HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\n\n', '401'],
  ['a malformed request', 'NONE\n\n', '400'],
  ['a request that does not arrive', 'GET / HTTP/1.1\nHost: ', '408'],
  ['a refused body', 'POST /auth/exchange HTTP/1.1\nHost: HOST\nContent-Length: 9\n\n', '415'],
])('%s does not hold the connection of a client that never closes it', async (_, request, status) => {
  const { gateway } = await started({ ...echoing(), requestMs: 80 });
  const text = request.replaceAll('HOST', `127.0.0.1:${gateway.port}`);
  expect(await raw(gateway, text, { allowHalfOpen: true })).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
});

test('answers to pings do not pile up for a client that reads nothing', async () => {
  const { backEnd } = echoing({ flood: 600 });
  const { gateway, token } = await started({ backEnd });
  const socket = connect(gateway, token);
  socket.on('open', () => socket.pause());
  await once(socket, 'open');
  const other = connect(gateway, token);
  await once(other, 'open');
  const queued = async (): Promise<number> => {
    const address = `http://127.0.0.1:${gateway.port}/metrics`;
    const text = await (await fetch(address, { headers: { Authorization: `Bearer ${token}` } })).text();
    return Number(/^helve_event_queue_bytes (\d+)$/m.exec(text)?.[1]);
  };
  let before = 0;
  for (let now = await queued(); now > before || now === 0; now = await queued()) before = now; // sockets are full
  for (let sent = 0; sent < 2_000; sent += 1) socket.ping('x'.repeat(125));
  await new Promise((done) => socket.ping('last', undefined, done));
  other.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: '_helve/sessions/list' }));
  await once(other, 'message');
  expect(await queued()).toBeLessThan(before + 20_000);
});

test('errors of the server are not described to strangers', async () => {
  const problems: string[] = [];
  const { gateway, access } = await started({ ...echoing(), onProblem: (sentence) => problems.push(sentence) });
  writeFileSync(access.path, 'damaged');
  const headers = { Authorization: 'Bearer x' };
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/auth/me`, { headers });
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toContain(access.folder);
  const [, response] = await once(connect(gateway, 'x'), 'unexpected-response');
  expect(response.statusCode).toBe(503);
  expect(problems[0]).toContain(access.path);
});

test('requests whose bodies come late count as sign-ins, too', async () => {
  const { gateway } = await started(echoing());
  const body = '{"code":"AAAA-AAAA"}';
  const head = `POST /auth/exchange HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const socket = createConnection({ port: gateway.port, host: '127.0.0.1' });
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      socket.write(head);
      return socket;
    }),
  );
  await fetch(`http://127.0.0.1:${gateway.port}/healthz`); // the heads have arrived
  const statuses = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(body);
      const [data] = await once(socket, 'data');
      return String(data).slice(9, 12);
    }),
  );
  expect(statuses.filter((status) => status === '429')).toHaveLength(2);
});

test.each([
  [
    'two lengths',
    'POST /auth/exchange HTTP/1.1\nHost: HOST\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n',
    '400',
  ],
  ['two hosts', 'GET / HTTP/1.1\nHost: HOST\nHost: evil.test\nConnection: close\n\n', '403'],
  ['no host', 'GET / HTTP/1.0\n\n', '403'],
  ['an absolute address', 'GET http://evil.test/ HTTP/1.1\nHost: HOST\nConnection: close\n\n', '403'],
  ['another protocol', 'GET /acp HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: h2c\n\n', '401'],
  [
    'no WebSocket key',
    'GET /acp HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\nAuthorization: Bearer TOKEN\n\n',
    '400',
  ],
  [
    'a POST that upgrades',
    'POST /acp HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\nContent-Length: 0\n\n',
    '404',
  ],
  ['a rebound name', 'GET / HTTP/1.1\nHost: evil.test\nConnection: close\n\n', '403'],
  ['another port', 'GET / HTTP/1.1\nHost: 127.0.0.1:1\nConnection: close\n\n', '403'],
  ['headers without end', `GET / HTTP/1.1\nHost: HOST\nX: ${'x'.repeat(20_000)}\n\n`, '431'],
])('a request with %s is refused, and the server goes on', async (_, request, status) => {
  const { gateway, token } = await started(echoing());
  const text = request.replaceAll('HOST', `127.0.0.1:${gateway.port}`).replace('TOKEN', token);
  expect(await raw(gateway, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
  await once(connect(gateway, token), 'open');
});

test('a browser signs in with a code, once, and needs the key of its page beside the cookie', async () => {
  const { gateway, access } = await started(echoing());
  const origin = `http://127.0.0.1:${gateway.port}`;
  const exchange = async (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    await fetch(`${origin}/auth/exchange`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const code = await access.addCode('answer');
  expect((await exchange({ code }, { Origin: 'http://127.0.0.1:3000' })).status).toBe(403);
  expect((await exchange({ code }, { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await exchange({ code, pad: 'x'.repeat(9_000) })).status).toBe(413);
  const signedIn = await exchange({ code: code.toLowerCase() }, { Origin: origin });
  const line = signedIn.headers.get('set-cookie') ?? '';
  expect(line).toMatch(/^helve_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
  const { key, ...about } = (await signedIn.json()) as Record<string, string>;
  expect(about).toEqual({ name: expect.stringMatching(/^browser-/), role: 'answer', version: '9.9.9', protocol: 1 });
  expect((await exchange({ code })).status).toBe(401);

  const [cookie = ''] = line.split(';');
  const open = (headers: Record<string, string>, protocols: string[]): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/acp`, protocols, { headers });
    socket.on('error', () => {});
    onTestFinished(() => socket.terminate());
    return socket;
  };
  const statusOf = async (socket: WebSocket): Promise<number> =>
    (await once(socket, 'unexpected-response'))[1].statusCode;
  const keyed = ['helve', `helve.key.${key}`];
  expect(await statusOf(open({ Cookie: cookie, Origin: origin }, []))).toBe(401);
  expect(await statusOf(open({ Origin: origin }, keyed))).toBe(401);
  expect(await statusOf(open({ Cookie: cookie, Origin: 'http://evil.test' }, keyed))).toBe(403);
  const socket = open({ Cookie: cookie, Origin: origin }, keyed);
  await once(socket, 'open');
  expect(socket.protocol).toBe('helve');

  const headers = { Cookie: cookie, 'Helve-Key': key ?? '' };
  expect(await (await fetch(`${origin}/auth/me`, { headers })).json()).toEqual(about);
  expect((await fetch(`${origin}/auth/me`, { headers: { Cookie: cookie } })).status).toBe(401);
  const left = closing(socket);
  expect((await fetch(`${origin}/auth/leave`, { method: 'POST', headers })).status).toBe(204);
  expect((await left).code).toBe(1008);
  expect((await fetch(`${origin}/auth/me`, { headers })).status).toBe(401);
});

test('wrong codes are answered slowly after a few, also the right one', async () => {
  const { gateway, access } = await started(echoing());
  const code = await access.addCode('run');
  const attempt = async (given: string): Promise<number> => {
    const body = JSON.stringify({ code: given });
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch(`http://127.0.0.1:${gateway.port}/auth/exchange`, { method: 'POST', body, headers })).status;
  };
  for (let wrong = 0; wrong < 10; wrong += 1) expect(await attempt('AAAA-AAAA')).toBe(401);
  expect(await attempt(code)).toBe(429);
});

test('the page can be framed by none, runs no script of others, and is not guessed at', async () => {
  const { gateway } = await started(echoing());
  const { headers } = await fetch(`http://127.0.0.1:${gateway.port}/`);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('the files of the web view are compressed for browsers that accept it, and sent once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-web-'));
  const page = '<!doctype html><title>Helve</title>'.repeat(50);
  await writeFile(join(folder, 'index.html'), page);
  const { gateway } = await started({ ...echoing(), webFiles: () => webFiles(folder) });
  const get = async (headers: Readonly<Record<string, string>>) =>
    await fetch(`http://127.0.0.1:${gateway.port}/`, { headers });
  const small = await get({ 'accept-encoding': 'deflate, gzip;q=0.5' });
  expect(small.headers.get('content-encoding')).toBe('gzip');
  expect(Number(small.headers.get('content-length'))).toBeLessThan(page.length / 5);
  expect(await small.text()).toBe(page);
  for (const accepted of ['identity', 'gzip;q=0, deflate', 'gzipped']) {
    const plain = await get({ 'accept-encoding': accepted });
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
    expect(await plain.text()).toBe(page);
    expect(plain.headers.get('etag')).not.toBe(small.headers.get('etag'));
  }
  const again = { 'accept-encoding': 'gzip', 'if-none-match': small.headers.get('etag') ?? '' };
  expect((await get(again)).status).toBe(304);
});

test('metrics need a token, and are valid OpenMetrics', async () => {
  const { gateway, token } = await started(echoing());
  const address = `http://127.0.0.1:${gateway.port}/metrics`;
  expect((await fetch(address)).status).toBe(401);
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const lines = (await answer.text()).split('\n');
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
  expect(lines).toContain('helve_sessions{state="idle"} 2');
  let family = { name: '', type: '' };
  for (const line of lines.slice(0, -2)) {
    const [, name = '', type = ''] = /^# TYPE ([a-z_]+) (gauge|counter)$/.exec(line) ?? [];
    if (name !== '') family = { name, type };
    if (line.startsWith('#')) expect(line).toMatch(/^# (?:TYPE [a-z_]+ (?:gauge|counter)|HELP [a-z_]+ .+\.)$/);
    else {
      const sample = family.type === 'counter' ? `${family.name}_total` : family.name;
      expect(line).toMatch(new RegExp(`^${sample}(?:\\{[a-z]+="[^"]*"\\})? -?\\d+(?:\\.\\d+)?(?:e-?\\d+)?$`));
    }
  }
});

test('another loopback address is a name of the server, as its url says', async () => {
  const { gateway } = await started({ ...echoing(), address: '127.0.0.2' });
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
});

test('behind a proxy, what it says counts, and only its name is accepted', async () => {
  const { gateway } = await started({ ...echoing(), isBehindProxy: true, allowedHosts: ['helve.example.org'] });
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${gateway.port}/healthz`, { headers })).status;
  const https = { 'X-Forwarded-Proto': 'https' };
  expect(await status({ ...https, 'X-Forwarded-Host': 'helve.example.org' })).toBe(200);
  const own = { ...https, 'X-Forwarded-Host': 'helve.example.org', Origin: 'https://helve.example.org' };
  expect(await status(own)).toBe(200);
  expect(await status({ ...own, Origin: 'http://helve.example.org' })).toBe(403);
  const unknown = { ...https, 'X-Forwarded-Host': 'evil.test' };
  const refusal = await fetch(`http://127.0.0.1:${gateway.port}/healthz`, { headers: unknown });
  expect(refusal.status).toBe(403);
  expect(await refusal.text()).toContain('Use helve.example.org, or');
  expect(await status({})).toBe(400);
});

test('when it ends, clients are told, open requests are answered first, and nothing new is accepted', async () => {
  const { gateway, token } = await started(echoing());
  const socket = connect(gateway, token);
  await once(socket, 'open');
  const messages: unknown[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: '_helve/sessions/list' }));
  await once(socket, 'message');
  const closed = closing(socket);
  await gateway.drain('The server is ending.', 5_000);
  expect(await closed).toEqual({ code: 1001, reason: 'The server is ending.' });
  expect(messages).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', method: '_helve/server/draining', params: { sentence: 'The server is ending.' } },
  ]);
});
