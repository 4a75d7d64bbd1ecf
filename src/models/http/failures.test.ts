import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ModelFailure, type ModelFailureKind, type ModelRequest } from '../../contract/model.js';
import { type FakeAnswer, type FakeModelServer, startFakeModelServer } from '../../testing/fake-model-server.js';
import { type AnthropicOptions, anthropicModel } from '../wire/anthropic/anthropic.js';
import { errorIn } from './exchange.js';
import { type Endpoint, retryAfterMs, serverFailure, shorten } from './failures.js';

const KEY = 'sk-ant-very-secret-key';
const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const apiError = (status: number, type: string, message: string): FakeAnswer => ({ status, error: { type, message } });

test.each<[string, FakeAnswer, string, string]>([
  [
    'a wrong key',
    apiError(401, 'authentication_error', 'invalid x-api-key'),
    'auth',
    'The model server at PLACE refused the key (401: invalid x-api-key). Check ANTHROPIC_API_KEY.',
  ],
  [
    'a key without the permission',
    apiError(403, 'permission_error', 'not for you'),
    'auth',
    'The model server at PLACE refused the key (403: not for you). Check ANTHROPIC_API_KEY.',
  ],
  [
    'a server that repeats the key',
    apiError(401, 'authentication_error', `bad key ${KEY}!`),
    'auth',
    'The model server at PLACE refused the key (401: bad key [key]!). Check ANTHROPIC_API_KEY.',
  ],
  [
    'an unknown model',
    apiError(404, 'not_found_error', 'model: claude-test'),
    'unknown_model',
    'The model server at PLACE does not know the model "claude-test" (404: model: claude-test). Check the name in --model or HELVE_MODEL.',
  ],
  [
    'a wrong address',
    { status: 404, error: '<html><head><title>404 Not Found</title><style>p { color: red }</style></head></html>' },
    'unreachable',
    'http://PLACE/v1/messages does not exist (404: 404 Not Found). Check ANTHROPIC_BASE_URL: it is the part before /v1/messages.',
  ],
  [
    'the page of a proxy',
    {
      status: 403,
      error: '<html><head><title>Blocked by policy</title></head></html>',
      headers: { 'content-type': 'text/html' },
    },
    'unreachable',
    'A web page answered instead of the model server at PLACE, as of a proxy or a login (403: Blocked by policy). Check the network and ANTHROPIC_BASE_URL.',
  ],
  [
    'a call of the model that the server could not read',
    apiError(400, 'tool_use_failed', 'Failed to call a function.'),
    'broken_stream',
    'The model server at PLACE could not read a call of claude-test (400: Failed to call a function). Try again, or choose another model.',
  ],
  [
    'a body that is too large',
    { status: 413, error: 'Payload Too Large' },
    'context_overflow',
    'The conversation is too long for claude-test (413: Payload Too Large). Send less, or start a new conversation.',
  ],
  [
    'a prompt that is too long',
    apiError(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'context_overflow',
    'The conversation is too long for claude-test (400: prompt is too long: 210000 tokens > 200000 maximum). Send less, or start a new conversation.',
  ],
  [
    'input and output that are too long together',
    apiError(400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 1 + 2 > 2'),
    'context_overflow',
    'The conversation is too long for claude-test (400: input length and `max_tokens` exceed context limit: 1 + 2 > 2). Send less, or start a new conversation.',
  ],
  [
    'a rate limit that says how long',
    { ...apiError(429, 'rate_limit_error', 'too many tokens'), headers: { 'retry-after': '17' } },
    'rate_limited',
    'The model server at PLACE limits the rate (429: too many tokens). Wait 17 s, then try again.',
  ],
  [
    'a rate limit that does not',
    apiError(429, 'rate_limit_error', 'too many tokens'),
    'rate_limited',
    'The model server at PLACE limits the rate (429: too many tokens). Wait a while, then try again.',
  ],
  [
    'an overloaded server',
    apiError(529, 'overloaded_error', 'Overloaded'),
    'overloaded',
    'The model server at PLACE is overloaded (529: Overloaded). Try again in a while.',
  ],
  [
    'a failing server',
    apiError(500, 'api_error', 'Internal server error'),
    'server_error',
    'The model server at PLACE failed (500: Internal server error). Try again in a while.',
  ],
  [
    'a gateway without a body',
    { status: 502, error: '' },
    'server_error',
    'The model server at PLACE failed (502: Bad Gateway). Try again in a while.',
  ],
  [
    'an invalid request',
    apiError(400, 'invalid_request_error', 'max_tokens: 99 > 8'),
    'invalid_request',
    'The model server at PLACE rejected the request as invalid (400: max_tokens: 99 > 8). A retry of the same request would fail too.',
  ],
  [
    'an answer with control characters and much text',
    { status: 400, error: `\u001b[31mred\r\n${'x'.repeat(100_000)}` },
    'invalid_request',
    `The model server at PLACE rejected the request as invalid (400: [31mred ${'x'.repeat(292)}…). A retry of the same request would fail too.`,
  ],
  [
    'a redirect',
    { status: 307, error: 'Moved', headers: { location: 'https://elsewhere.example/' } },
    'unreachable',
    'http://PLACE/v1/messages redirects elsewhere (307: https://elsewhere.example/). Set ANTHROPIC_BASE_URL to the address itself, because keys do not follow redirects.',
  ],
  [
    'a page instead of a stream',
    { status: 200, error: '<h1>Please log in</h1>', headers: { 'content-type': 'text/html' } },
    'unreachable',
    'http://PLACE/v1/messages answered with text/html instead of an event stream (Please log in). Check ANTHROPIC_BASE_URL.',
  ],
  [
    'a type that repeats the key',
    { status: 200, error: '<p>no</p>', headers: { 'content-type': `text/html; key=${KEY}` } },
    'unreachable',
    'http://PLACE/v1/messages answered with text/html; key=[key] instead of an event stream (no). Check ANTHROPIC_BASE_URL.',
  ],
  [
    'an encoded answer',
    { status: 200, error: 'x', headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' } },
    'unreachable',
    'http://PLACE/v1/messages answered with gzip, which was not asked for. Check ANTHROPIC_BASE_URL.',
  ],
  [
    'an encoded refusal',
    { status: 400, error: 'x', headers: { 'content-encoding': 'br' } },
    'invalid_request',
    'The model server at PLACE rejected the request as invalid (400: answered with br, which was not asked for). A retry of the same request would fail too.',
  ],
  [
    'an answer without a body',
    { status: 204, error: '' },
    'unreachable',
    'http://PLACE/v1/messages answered with nothing (204) instead of an event stream. Check ANTHROPIC_BASE_URL.',
  ],
  [
    'a name of an error that repeats the key and has no end',
    { text: 'Hi', streamError: { type: `\u001b[31m${KEY}\n${'A'.repeat(100_000)}`, message: 'bad' } },
    'invalid_request',
    `The model server at PLACE rejected the request as invalid ([31m[key] ${'A'.repeat(290)}…: bad). A retry of the same request would fail too.`,
  ],
  [
    'an overload in the middle of an answer',
    { text: 'Hi', streamError: { type: 'overloaded_error', message: 'Overloaded' } },
    'overloaded',
    'The model server at PLACE is overloaded (overloaded_error: Overloaded). Try again in a while.',
  ],
  [
    'an internal error in the middle of an answer',
    { text: 'Hi', streamError: { type: 'api_error', message: 'Internal server error' } },
    'server_error',
    'The model server at PLACE failed (api_error: Internal server error). Try again in a while.',
  ],
  [
    'a stream without its last event',
    { text: 'Hi', omit: 'message_stop' },
    'broken_stream',
    'The answer of claude-test from PLACE broke off: the connection ended before the message did. Try again.',
  ],
  [
    'a connection that is dropped between events',
    { text: 'Hi', dropAfterEvents: 3 },
    'broken_stream',
    'The answer of claude-test from PLACE broke off: the other side closed the connection. Try again.',
  ],
  [
    'a connection that is dropped inside an event',
    { text: 'Hi', dropAfterBytes: 100 },
    'broken_stream',
    'The answer of claude-test from PLACE broke off: the other side closed the connection. Try again.',
  ],
  [
    'a stream that goes on with a block that never began',
    { text: 'Hi', omit: 'content_block_start' },
    'broken_stream',
    'The answer of claude-test from PLACE broke off: it went on with block 0, which never began. Try again.',
  ],
])('explains %s in one sentence, with what to do', async (_, answer, kind, sentence) => {
  const server = await startFakeModelServer([answer]);
  servers.push(server);
  const failure = await failureOf({ apiKey: KEY, baseUrl: server.url });
  const place = new URL(server.url).host;
  expect({ kind: failure.kind, message: failure.message }).toEqual({ kind, message: sentence.replace('PLACE', place) });
  expect(failure.status).toBe(answer.status);
});

test('names the variable to set if a server requires a key and none was sent', async () => {
  const answer = apiError(401, 'authentication_error', 'x-api-key header is required');
  const server = await startFakeModelServer([answer, answer]);
  servers.push(server);
  expect((await failureOf({ baseUrl: server.url })).message).toMatch(
    /wants a key .* Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN\.$/,
  );
  expect((await failureOf({ baseUrl: server.url, authToken: 'token' })).message).toMatch(
    / Check ANTHROPIC_AUTH_TOKEN\.$/,
  );
});

test('names the server and the variable to set if nothing listens there', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  closed.close();
  await once(closed, 'close');
  const failure = await failureOf({ baseUrl: `http://127.0.0.1:${port}` });
  expect(failure.kind).toBe('unreachable');
  expect(failure.message).toBe(
    `Can't reach the model server at 127.0.0.1:${port} (ECONNREFUSED: nothing listens there). Start the model server, or set ANTHROPIC_BASE_URL to its address.`,
  );
});

test.each([
  ['ENOTFOUND', 'the name is not found'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is not trusted here, set NODE_EXTRA_CA_CERTS if it should be'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
])('explains the network error %s of the public API', async (code, words) => {
  const cause = Object.assign(new Error('details'), { code });
  const failure = await failureOf({
    apiKey: KEY,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });
  expect(failure.message).toContain(`Can't reach the Anthropic API at api.anthropic.com:443 (${code}: ${words}).`);
});

test('a certificate that is not trusted is no reason to start the server', async () => {
  const cause = Object.assign(new Error('details'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const failure = await failureOf({
    baseUrl: 'https://127.0.0.1:1',
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
  });
  expect(failure.message).toContain('set NODE_EXTRA_CA_CERTS if it should be');
  expect(failure.message).toContain('Correct the address');
  expect(failure.message).not.toMatch(/start the (model )?server/i);
});

test.each<[string, Partial<AnthropicOptions>, string, string]>([
  [
    'no key for the public API',
    { apiKey: ' ' },
    'auth',
    'No key for the Anthropic API: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server that needs none.',
  ],
  [
    'a key with a typographic quote',
    { apiKey: `“${KEY}”` },
    'auth',
    "ANTHROPIC_API_KEY holds a character that can't be in a key, such as a space, a line break or a typographic quote. Set it again.",
  ],
  [
    'an invalid base URL',
    { baseUrl: 'localhost:8080' },
    'unreachable',
    'ANTHROPIC_BASE_URL is "localhost:8080", which is not a web address. Set it to one like https://api.anthropic.com.',
  ],
  [
    'a base URL with a password',
    { baseUrl: 'http://me:secret@127.0.0.1:1' },
    'unreachable',
    'ANTHROPIC_BASE_URL holds a user name or password for 127.0.0.1:1, which is not supported. Leave them out, and set ANTHROPIC_AUTH_TOKEN instead.',
  ],
])('refuses %s before anything is sent', async (_, options, kind, sentence) => {
  const failure = await failureOf({ ...options, fetch: () => Promise.reject(new Error('was sent')) });
  expect({ kind: failure.kind, message: failure.message }).toEqual({ kind, message: sentence });
});

test('never shows values of custom headers, nor the query of an address and the path before it', async () => {
  const token = 'token-in-a-header';
  const echo: typeof fetch = async (_, request) =>
    new Response(new Headers(request?.headers).get('x-token'), { status: 404 });
  const failure = await failureOf({
    baseUrl: 'http://127.0.0.1:1/for-me?key=hidden',
    headers: { 'x-token': `Token ${token}` },
    fetch: echo,
  });
  expect(failure.message).toBe(
    'http://127.0.0.1:1 does not exist (404: [key]). Check ANTHROPIC_BASE_URL: it is the part before /v1/messages.',
  );
});

test.each([
  ['bad key sk-ant-very<b></b>-secret-key!', 'bad key [key]!'],
  ['sk-ant-\u200bvery-\u0000secret-key', '[key]'],
  ['sk-ant-another', 'sk-ant-another'],
  ['right \u202eto left', 'right to left'],
])('shows %j as %j', (words, shown) => {
  expect(shorten(words, [KEY, '', '        ', 'short'])).toBe(shown);
});

test('shows no part of a secret if a message is truncated', () => {
  const before = 'x'.repeat(290);
  expect(shorten(`${before} ${KEY}`, [KEY])).toBe(`${before} [key]`);
});

test.each([
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n', 'another protocol: 101'],
  ['', 'the other side closed the connection'],
])('fails at once when a server answers %j and closes', async (answer, why) => {
  const server = createServer((socket) => socket.once('data', () => socket.end(answer))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const failure = await failureOf({ baseUrl: `http://127.0.0.1:${port}` });
  expect([failure.kind, failure.message]).toEqual(['unreachable', expect.stringContaining(why)]);
  server.close();
});

test('accepts an error event whose type is only in its event name', async () => {
  const body = 'event: error\ndata: {"error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  expect((await failureOf({ apiKey: KEY, fetch: answer })).kind).toBe('overloaded');
});

test('reports an event that is not JSON', async () => {
  const body = 'event: message_start\ndata: <oops>\n\n';
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const failure = await failureOf({ apiKey: KEY, fetch: answer });
  expect([failure.kind, failure.message]).toEqual([
    'broken_stream',
    'The answer of claude-test from api.anthropic.com:443 broke off: it held an event that is not JSON. Try again.',
  ]);
});

async function failureOf(options: Partial<AnthropicOptions>): Promise<ModelFailure> {
  const model = anthropicModel({ name: 'claude-test', ...options });
  const failure = await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000))).catch(
    (error: unknown) => error,
  );
  if (!(failure instanceof ModelFailure)) throw new Error('expected a model failure', { cause: failure });
  expect(failure.message).not.toContain(KEY);
  return failure;
}

const endpoint: Endpoint = {
  url: 'https://api.example.org/v1/chat/completions',
  path: '/chat/completions',
  place: 'api.example.org:443',
  server: 'Example',
  model: 'some-model',
  secret: { value: KEY, variable: 'EXAMPLE_API_KEY' },
  secrets: [KEY],
  keyVariables: ['EXAMPLE_API_KEY'],
  baseUrlVariable: 'EXAMPLE_BASE_URL',
};

// One line for each known form of the error.
test.each<[ModelFailureKind, number | undefined, string]>([
  [
    'context_overflow',
    400,
    '{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}',
  ],
  [
    'context_overflow',
    400,
    `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000"}}`,
  ],
  [
    'context_overflow',
    400,
    `{"error":{"message":"This endpoint's maximum context length is 131072 tokens.","code":400}}`,
  ],
  ['context_overflow', 400, '{"error":{"message":"Your input exceeds the context window of this model."}}'],
  ['context_overflow', 400, '{"error":{"code":400,"message":"too big","type":"exceed_context_size_error"}}'],
  ['context_overflow', 500, '{"error":"the request exceeds the available context size, try increasing it"}'],
  [
    'context_overflow',
    400,
    '{"object":"error","message":"The decoder prompt (length 9000) is longer than the maximum model length of 4096."}',
  ],
  [
    'context_overflow',
    400,
    '{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}',
  ],
  ['context_overflow', 400, '{"error":{"message":"Range of input length should be [1, 30720]"}}'],
  ['context_overflow', 400, '{"error":{"code":"1261","message":"Prompt exceeds max length"}}'],
  ['context_overflow', 400, '{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}'],
  [
    'context_overflow',
    400,
    '{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
  ],
  [
    'context_overflow',
    400,
    '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed"}}]',
  ],
  ['context_overflow', 400, '{"error":{"message":"Please reduce the length of the messages or completion."}}'],
  ['context_overflow', undefined, '{"error":{"message":"This model\'s maximum prompt length is 131072"}}'],
  [
    'rate_limited',
    429,
    '{"error":{"message":"Rate limit reached on tokens per min. Limit 30000: reduce the length of the messages","code":"rate_limit_exceeded"}}',
  ],
  ['rate_limited', undefined, '{"error":{"message":"slow down","type":"rate_limit_error"}}'],
  [
    'auth',
    429,
    '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
  ],
  ['auth', 402, '{"error":{"message":"Insufficient Balance","type":"unknown_error"}}'],
  ['auth', 403, '{"error":{"message":"This key requires more credits"}}'],
  ['auth', 400, '{"error":{"message":"no","code":"invalid_api_key"}}'],
  [
    'unknown_model',
    404,
    '{"error":{"message":"The model `some-model` does not exist","type":"invalid_request_error","code":"model_not_found"}}',
  ],
  [
    'unknown_model',
    404,
    '{"error":{"message":"model \\"some-model\\" not found, try pulling it first","type":"api_error"}}',
  ],
  ['unknown_model', 400, '{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}'],
  ['unknown_model', 400, '{"error":{"message":"some-model is not a valid model ID","code":400}}'],
  [
    'unknown_model',
    400,
    '{"object":"error","message":"Invalid model: some-model","type":"invalid_model","code":"1500"}',
  ],
  [
    'unknown_model',
    404,
    '{"error":{"message":"Not found the model some-model or Permission denied","type":"resource_not_found_error"}}',
  ],
  ['unreachable', 404, '{"error":{"message":"Invalid URL (POST /v1/chat/completion)","type":"invalid_request_error"}}'],
  ['unreachable', 404, '{"detail":"Not Found"}'],
  ['overloaded', 503, '{"error":{"message":"The engine is currently overloaded, please try again later"}}'],
  ['overloaded', 429, '{"error":{"message":"The engine is busy","type":"engine_overloaded_error"}}'],
  ['server_error', 503, '{"error":{"message":"Service Unavailable"}}'],
  ['server_error', undefined, '{"error":{"message":"oops","type":"server_error"}}'],
  ['server_error', undefined, '{"error":{"message":"upstream","code":502}}'],
  ['rate_limited', undefined, '{"error":{"message":"slow down","code":429}}'],
  [
    'invalid_request',
    400,
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"tool_choice: bad"}}}',
  ],
  ['invalid_request', 422, '{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}'],
])('reports %s when a server says %s %s', (kind, status, body) => {
  const error = errorIn(JSON.parse(body)) ?? { words: body };
  const failure = serverFailure(endpoint, { ...error, ...(status !== undefined && { status }) });
  expect(failure.kind).toBe(kind);
});

test('recognises an error in a successful response', async () => {
  const answer = async () => Response.json({ error: { message: 'slow down', code: 429 } });
  expect((await failureOf({ apiKey: KEY, fetch: answer })).kind).toBe('rate_limited');
});

test('shows the message of the server behind a gateway', () => {
  const error = { message: 'Provider returned error', metadata: { raw: 'tool_choice: bad' } };
  expect(errorIn({ error })?.words).toBe('Provider returned error: tool_choice: bad');
});

test.each<[string, Record<string, string>, number | undefined]>([
  ['seconds', { 'retry-after': '17' }, 17_000],
  ['parts of a second', { 'retry-after': '0.5' }, 500],
  ['milliseconds, which are more exact', { 'retry-after': '1', 'retry-after-ms': '250' }, 250],
  ['a date', { 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT' }, 30_000],
  ['a date in the past', { 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT' }, 0],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
  ['nothing', {}, undefined],
])('reads how long to wait from %s', (_, headers, expected) => {
  expect(retryAfterMs((name) => headers[name], Date.parse('2026-11-15T10:00:00Z'))).toBe(expected);
});

test('reports how long the server asks to wait before a retry', async () => {
  const server = await startFakeModelServer([{ ...apiError(503, 'api_error', 'x'), headers: { 'retry-after': '2' } }]);
  servers.push(server);
  expect((await failureOf({ apiKey: KEY, baseUrl: server.url })).retryAfterMs).toBe(2000);
});

test.each([
  ['Rate limit reached. Please try again in 1.898s. Visit the console.', 1898],
  ['Please try again in 20 seconds.', 20_000],
  ['Please try again in 150ms.', 150],
  ['Try again in a while.', undefined],
])('the wait that a server asks for in words counts: %s', (words, expected) => {
  expect(serverFailure(endpoint, { type: 'rate_limit_exceeded', words }).retryAfterMs).toBe(expected);
});
