import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { anthropicSse } from './anthropic-format.js';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from './fake-model-server.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const hello = { model: 'm', max_tokens: 5, stream: true, messages: [{ role: 'user', content: 'Hi' }] };

test('streams its answers in order, in the wire format', async () => {
  const answers = [{ text: 'One 😀' }, { calls: [{ name: 'LS', input: { path: '.' } }] }];
  const server = await serve(answers);
  expect(await (await post(server)).text()).toBe(anthropicSse({ text: 'One 😀' }, 1));
  const second = await post(server);
  expect(second.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await second.text()).toBe(anthropicSse({ calls: [{ name: 'LS', input: { path: '.' } }] }, 2));
});

test('renders an answer event by event', () => {
  const events = anthropicSse({ text: 'Hello there', usage: { input_tokens: 3, output_tokens: 4 } })
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)));
  expect(events).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_fake_1',
        type: 'message',
        role: 'assistant',
        model: 'fake-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello th' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ere' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ]);
});

test('answers by what the request says, and keeps the request', async () => {
  const server = await serve(({ body }, number) => ({ text: `${number}: ${body.messages[0]?.content}` }));
  await (await post(server)).text();
  expect(await (await post(server)).text()).toBe(anthropicSse({ text: '1: Hi' }, 2));
  expect(server.requests[1]).toMatchObject({ path: '/v1/messages', text: JSON.stringify(hello), body: hello });
  expect(await server.requests[1]?.finished).toBe('answered');
});

test('refuses what the API would refuse, and uses up no answer for it', async () => {
  const server = await serve([{ text: 'Hi' }]);
  const refused = await post(server, { ...hello, messages: [] });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'messages: at least one is required' } },
  ]);
  expect(server.refused).toEqual([
    { text: JSON.stringify({ ...hello, messages: [] }), violations: ['messages: at least one is required'] },
  ]);
  expect((await post(server)).status).toBe(200);
});

test('says that a request is no JSON, or for another path, or not streaming, or one too many', async () => {
  const server = await serve([]);
  const messages: string[] = [];
  for (const response of [
    await fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{' }),
    await fetch(`${server.url}/v1/complete`, { method: 'POST' }),
    await post(server, { ...hello, stream: false }),
    await post(server),
  ]) {
    messages.push(`${response.status} ${JSON.parse(await response.text()).error.message}`);
  }
  expect(messages).toEqual([
    '400 the body is not a JSON object; stream: this fake server only streams, so it must be true',
    '404 Not found',
    '400 stream: this fake server only streams, so it must be true',
    '400 The fake model server has only 0 answers, and this is request 1.',
  ]);
});

test('answers with an HTTP error on request, worded as the API words it or raw', async () => {
  const server = await serve([
    { status: 429, error: { type: 'rate_limit_error', message: 'slow down' }, headers: { 'retry-after': '3' } },
    { status: 502, error: '<html>' },
    { status: 500 },
  ]);
  const first = await post(server);
  expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([
    429,
    '3',
    { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
  ]);
  const second = await post(server);
  expect([second.status, await second.text()]).toEqual([502, '<html>']);
  expect((await post(server)).status).toBe(500);
});

test('turns an error of the answering function into a server error', async () => {
  const server = await serve(() => {
    throw new Error('no idea');
  });
  const response = await post(server);
  expect([response.status, await response.json()]).toEqual([
    500,
    { type: 'error', error: { type: 'api_error', message: 'no idea' } },
  ]);
});

test('cuts the stream into chunks of any size without changing a byte', async () => {
  const answer = { text: 'größer 😀' };
  const server = await serve([
    { ...answer, chunkBytes: 1 },
    { ...answer, chunkBytes: 3, delayMs: 1 },
  ]);
  const bytes = Buffer.from(anthropicSse(answer, 1));
  // Clients may join chunks again, so this looks at what is on the wire: length, line, bytes, line, and at the end 0.
  const cutUp = [...bytes].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
  expect((await postRaw(server)).toString('latin1')).toContain(`\r\n\r\n${cutUp}0\r\n\r\n`);
  expect(await (await post(server)).text()).toBe(anthropicSse(answer, 2));
});

test('holds an answer until the test lets go', async () => {
  const gate = Promise.withResolvers<void>();
  const server = await serve([{ text: 'Hi', holdAfter: { events: 2, until: gate.promise } }]);
  const reader = (await post(server)).body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('ping"}\n\n')) text += (await reader?.read())?.value ?? '';
  const rest = reader?.read();
  gate.resolve();
  expect((await rest)?.value).toMatch(/^event: content_block_start/);
});

test('drops the connection after so many events or bytes, with what came before on its way', async () => {
  const server = await serve([
    { text: 'Hi', dropAfterEvents: 2 },
    { text: 'Hi', dropAfterBytes: 30, chunkBytes: 7 },
  ]);
  const whole = anthropicSse({ text: 'Hi' });
  const received = async () => {
    let text = '';
    const response = await post(server);
    const failure = await (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    return text;
  };
  expect(await received()).toBe(whole.slice(0, whole.indexOf('event: content_block_start')));
  expect(await received()).toBe(anthropicSse({ text: 'Hi' }, 2).slice(0, 30));
});

test('closes although an answer still waits', async () => {
  const server = await serve([{ text: 'Hi', holdAfter: { events: 0, until: new Promise(() => {}) } }]);
  const response = await post(server);
  await server.close();
  await expect(response.text()).rejects.toThrow();
  expect(await server.requests[0]?.finished).toBe('disconnected');
  await server.close();
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function post(server: FakeModelServer, body: object = hello): Promise<Response> {
  return fetch(`${server.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) });
}

async function postRaw(server: FakeModelServer): Promise<Buffer> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify(hello);
  const head = ['POST /v1/messages HTTP/1.1', 'host: x', 'connection: close', `content-length: ${body.length}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return Buffer.concat(await socket.toArray());
}
