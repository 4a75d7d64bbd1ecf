import { afterEach, expect, test } from 'vitest';
import type { AssistantBlock, Message } from '../../../contract/message.js';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../../../contract/model.js';
import {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../../testing/fake-model-server.js';
import { type OpenAiResponsesOptions, openAiResponsesModel } from './openai-responses.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'größe' } };
const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'First 🧠' },
    { type: 'summary_text', text: 'then' },
  ],
  encrypted_content: 'ZW5j/+==',
};
const everyKind: FakeAnswer = {
  thinking: { text: 'Let me think…', signature: 'c2lnbmF0dXJl/+==' },
  text: 'Ich prüfe das: 你好, \u2028 "quoted" \\ 👩‍👩‍👧',
  blocks: [search, reasoning],
  calls: [
    { name: 'Read', input: { file_path: '/tmp/ünï "quoted" \\ 😀.txt', limit: 10 } },
    { name: 'LS', input: {} },
    { name: 'Bash', json: '{"command": "echo \\u00e9 \\n' },
  ],
  usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 },
};

test('turns every kind of item into events, and unknown kinds into opaque blocks', async () => {
  expect(joined(await ask(everyKind))).toEqual([
    { type: 'message_start', id: 'resp_fake_1', model: 'fake-model' },
    { type: 'thinking_delta', text: 'Let me think…' },
    opaque({
      id: 'rs_fake_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Let me think…' }],
      encrypted_content: 'c2lnbmF0dXJl/+==',
    }),
    { type: 'text_delta', text: everyKind.text },
    opaque({ id: 'msg_fake_1', type: 'message', status: 'completed', role: 'assistant' }),
    { type: 'block', block: { type: 'text', text: everyKind.text } },
    opaque(search),
    { type: 'thinking_delta', text: 'First 🧠\n\nthen' },
    opaque(reasoning),
    { type: 'call_start', index: 4, id: 'call_fake_1_1', name: 'Read' },
    { type: 'call_input', index: 4, json: '{"file_path":"/tmp/ünï \\"quoted\\" \\\\ 😀.txt","limit":10}' },
    { type: 'call_end', index: 4 },
    { type: 'call_start', index: 5, id: 'call_fake_1_2', name: 'LS' },
    { type: 'call_input', index: 5, json: '{}' },
    { type: 'call_end', index: 5 },
    { type: 'call_start', index: 6, id: 'call_fake_1_3', name: 'Bash' },
    { type: 'call_input', index: 6, json: '{"command": "echo \\u00e9 \\n' },
    { type: 'call_end', index: 6 },
    { type: 'message_end', stopReason: 'tool_use', usage: everyKind.usage },
  ]);
});

test.each([1, 2, 3, 7, 64, 100_000])('emits the same events if the bytes arrive %i at a time', async (chunkBytes) => {
  expect(await ask({ ...everyKind, chunkBytes })).toEqual(await ask(everyKind));
});

test('sends reasoning, server tools and texts back unchanged, and calls without the ids of their items', async () => {
  const answer: FakeAnswer = { ...everyKind, calls: [{ name: 'LS', input: { path: 'ü' } }] };
  const server = await serve([answer, { text: 'done' }]);
  const model = modelAt(server);
  const events = await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));
  const content: AssistantBlock[] = [
    ...events.flatMap((event) => (event.type === 'block' ? [event.block] : [])),
    { type: 'tool_use', id: 'call_fake_1_1', name: 'LS', input: { path: 'ü' } },
  ];
  const messages: Message[] = [
    ...hello.messages,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_fake_1_1', content: 'a.txt' }] },
  ];
  await Array.fromAsync(model.stream({ ...hello, messages }, AbortSignal.timeout(60_000)));
  expect(server.refused).toEqual([]);
  expect(server.requests[1]?.body['input']).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    {
      id: 'rs_fake_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Let me think…' }],
      encrypted_content: 'c2lnbmF0dXJl/+==',
    },
    {
      id: 'msg_fake_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: everyKind.text, annotations: [] }],
    },
    search,
    reasoning,
    { type: 'function_call', call_id: 'call_fake_1_1', name: 'LS', arguments: '{"path":"ü"}' },
    { type: 'function_call_output', call_id: 'call_fake_1_1', output: 'a.txt' },
  ]);
});

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const completed = (output: object[] = []) => ({
  type: 'response.completed',
  response: { id: 'r', model: 'm', status: 'completed', output, usage: null },
});
const call = (id: string, json: unknown, more: object = {}) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'Read',
  arguments: json,
  status: 'completed',
  ...more,
});
const piece = (output_index: number, delta: string, item_id?: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
  ...(item_id && { item_id }),
});

const calls: ReadonlyArray<[name: string, events: WireEvent[], calls: Record<string, string>]> = [
  [
    'a call whose arguments come in pieces and then whole, only once',
    [
      added(0, call('a', '')),
      piece(0, '{"x":'),
      piece(0, '1}'),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      done(0, call('a', '{"x":1}')),
    ],
    { a: '{"x":1}' },
  ],
  [
    'arguments that come whole, without pieces',
    [
      added(0, call('a', '')),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      done(0, call('a', '{"x":1}')),
    ],
    { a: '{"x":1}' },
  ],
  ['arguments that come with the end of the item alone', [done(0, call('a', '{"x":1}'))], { a: '{"x":1}' }],
  ['pieces alone', [added(0, call('a', '')), piece(0, '{"x":1}'), done(0, call('a', ''))], { a: '{"x":1}' }],
  [
    'a whole that is spaced differently',
    [added(0, call('a', '')), piece(0, '{"x":1}'), done(0, call('a', '{ "x": 1 }'))],
    { a: '{"x":1}' },
  ],
  ['arguments as an object', [done(0, call('a', { x: 1 }))], { a: '{"x":1}' }],
  ['a call without arguments', [added(0, call('a', '')), done(0, call('a', ''))], { a: '{}' }],
  [
    'two calls at once, by their place',
    [
      added(0, call('a', '')),
      added(1, call('b', '')),
      piece(1, '{"y":2}'),
      piece(0, '{"x":1}'),
      done(0, call('a', '{"x":1}')),
      done(1, call('b', '{"y":2}')),
    ],
    { a: '{"x":1}', b: '{"y":2}' },
  ],
  [
    'two calls at once that have the same place, by their ids',
    [
      added(0, call('a', '')),
      added(0, call('b', '')),
      piece(0, '{"y":2}', 'fc_b'),
      piece(0, '{"x":1}', 'fc_a'),
      done(0, call('b', '{"y":2}')),
      done(0, call('a', '{"x":1}')),
    ],
    { a: '{"x":1}', b: '{"y":2}' },
  ],
  [
    'a call whose id changes from event to event, by its place',
    [added(3, call('a', '')), piece(3, '{"x":1}', 'other'), done(3, call('a', '{"x":1}', { id: 'another' }))],
    { a: '{"x":1}' },
  ],
  [
    'an item that is sent twice, once',
    [done(0, call('a', '{"x":1}')), added(1, call('a', '')), done(1, call('a', '{"x":1}'))],
    { a: '{"x":1}' },
  ],
  [
    'a call without any id that is sent twice, once',
    [done(0, call('', '{"x":1}', { id: undefined })), done(0, call('', '{"x": 1}', { id: undefined }))],
    { '': '{"x":1}' },
  ],
  [
    'a call that comes again with its other id alone, once',
    [
      done(0, call('a', '{"x":1}')),
      done(1, call('', '{"x":1}', { id: 'fc_a' })),
      done(2, call('a', '{"x":1}', { id: '' })),
      done(0, call('', '{"x":1}', { id: 'other' })),
    ],
    { a: '{"x":1}' },
  ],
  [
    'a call that comes again in pieces, once',
    [done(0, call('a', '{"x":1}')), added(0, call('a', '')), piece(0, '{"x":'), piece(0, '1}'), done(0, call('a', ''))],
    { a: '{"x":1}' },
  ],
  [
    'two calls that have the same id, the second without it',
    [done(0, call('a', '{"x":1}')), done(1, call('a', '{"y":2}', { id: 'fc_b' }))],
    { a: '{"x":1}', '': '{"y":2}' },
  ],
  [
    'two calls at once that have the same id, the second without it',
    [
      added(0, call('a', '')),
      added(1, call('a', '', { id: 'fc_b' })),
      piece(1, '{"y":2}', 'fc_b'),
      done(0, call('a', '{"x":1}')),
      done(1, call('a', '{"y":2}', { id: 'fc_b' })),
    ],
    { a: '{"x":1}', '': '{"y":2}' },
  ],
  [
    'two calls whose items have the same id',
    [
      added(0, call('a', '', { id: 'same' })),
      added(1, call('b', '', { id: 'same' })),
      done(0, call('a', '{"x":1}', { id: 'same' })),
      done(1, call('b', '{"y":2}', { id: 'same' })),
    ],
    { a: '{"x":1}', b: '{"y":2}' },
  ],
  [
    'two calls one after the other that have the same place',
    [done(0, call('a', '{"x":1}')), added(0, call('b', '')), piece(0, '{"y":2}'), done(0, call('b', '{"y":2}'))],
    { a: '{"x":1}', b: '{"y":2}' },
  ],
  [
    'an item that begins twice, once',
    [added(0, call('a', '')), added(0, call('a', '')), piece(0, '{"x":1}'), done(0, call('a', '{"x":1}'))],
    { a: '{"x":1}' },
  ],
  [
    'a call whose end is only in the end of the answer',
    [added(0, call('a', '')), piece(0, '{"x"'), completed([call('a', '{"x":1}')])],
    { a: '{"x":1}' },
  ],
  ['an answer that comes whole', [completed([call('a', '{"x":1}'), call('b', '{}')])], { a: '{"x":1}', b: '{}' }],
];

test.each(calls)('accepts %s', async (_, events, expected) => {
  const read = await askRaw([...events, completed()]);
  expect(callsIn(read)).toEqual(expected);
  expect(read.filter(({ type }) => type === 'call_start')).toHaveLength(Object.keys(expected).length);
});

test('never completes a truncated call', async () => {
  const cut = { status: 'incomplete' };
  const events = await askRaw([
    added(0, call('a', '', cut)),
    piece(0, '{"x":1'),
    done(0, call('a', '{"x":1', cut)),
    {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    },
  ]);
  expect(events.map(({ type }) => type)).toEqual(['call_start', 'call_input', 'message_start', 'message_end']);
  expect(events.at(-1)).toMatchObject({ stopReason: 'max_tokens' });
});

test('completes a call of a truncated answer only if it is marked as complete', async () => {
  const details = { incomplete_details: { reason: 'max_output_tokens' } };
  for (const status of [undefined, null, 'in_progress']) {
    const output = [call('a', '{"x":1}', { status })];
    const events = await askRaw([
      added(0, call('a', '', { status })),
      piece(0, '{"x":1}'),
      { type: 'response.incomplete', response: { ...details, output } },
    ]);
    expect(callsIn(events)).toEqual({});
    expect(events.at(-1)).toMatchObject({ stopReason: 'max_tokens' });
  }
});

test('announces a truncated call that has the index of another', async () => {
  const events = await askRaw([
    done(0, call('a', '{"x":1}')),
    added(0, call('b', '')),
    piece(0, '{"y'),
    { type: 'response.incomplete', response: {} },
  ]);
  expect(events.filter(({ type }) => type === 'call_start')).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  expect(callsIn(events)).toEqual({ a: '{"x":1}' });
});

test('counts a negative number of tokens as zero', async () => {
  const usage = { input_tokens: 5, output_tokens: -1_000_000, input_tokens_details: { cached_tokens: -7 } };
  const events = await askRaw([{ type: 'response.completed', response: { usage } }]);
  expect(events.at(-1)).toMatchObject({
    usage: { input_tokens: 5, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  });
});

test.each([
  [
    'a place',
    [piece(0, 'x')].map((event) => ({ ...event, output_index: `\u001b[31mtest-key\n${'B'.repeat(100_000)}` })),
  ],
  [
    'a name',
    [
      added(0, call('a', '', { name: `test-key\u001b[2J${'N'.repeat(100_000)}` })),
      piece(0, '{"x":1}'),
      done(0, call('a', '{"x":2}')),
    ],
  ],
])('shortens %s if a server makes it long, and removes keys from it', async (_, events) => {
  const failure = await askRaw(events).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'broken_stream', message: expect.stringMatching(/^[ -~]{100,300}$/) });
  expect(String(failure)).not.toContain('test-key');
});

test('reports a broken stream if the pieces of a call differ from its final text', async () => {
  const events = askRaw([added(0, call('a', '')), piece(0, '{"x":1}'), done(0, call('a', '{"x":2}')), completed()]);
  await expect(events).rejects.toMatchObject({
    kind: 'broken_stream',
    message: expect.stringContaining('the pieces of the input of Read differ from the whole of it'),
  });
});

test('keeps an item of an unknown kind, and ignores unknown events', async () => {
  const item = { id: 'x_1', type: 'dream', about: ['sheep'] };
  const custom = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '***' };
  const events = await askRaw([
    added(0, { ...item, about: [] }),
    { type: 'response.dream.delta', output_index: 0, delta: 'sheep' },
    done(0, item),
    done(1, custom),
    completed(),
  ]);
  expect(events).toMatchObject([opaque(item), opaque(custom), {}, { type: 'message_end', stopReason: 'end_turn' }]);
});

test('drops a truncated server-side item, and completes a truncated text', async () => {
  const events = await askRaw([
    added(0, { ...search, status: 'in_progress' }),
    added(1, { type: 'message', id: 'msg_1', content: [], status: 'in_progress' }),
    { type: 'response.output_text.delta', output_index: 1, delta: 'And th' },
    { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
  ]);
  expect(events.filter(({ type }) => type === 'block')).toEqual([
    { type: 'block', block: { type: 'text', text: 'And th' } },
  ]);
});

test('keeps a text whose item has the same id as a call before it', async () => {
  const message = { type: 'message', id: 'same', content: [{ type: 'output_text', text: 'Hello' }] };
  const events = await askRaw([done(0, call('a', '{}', { id: 'same' })), done(1, message), completed()]);
  expect(events).toContainEqual({ type: 'block', block: { type: 'text', text: 'Hello' } });
});

test('shows text that arrived without deltas', async () => {
  const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hello' }] };
  const events = await askRaw([done(0, reasoning), done(1, message), completed()]);
  expect(events.filter(({ type }) => /delta/.test(type))).toEqual([
    { type: 'thinking_delta', text: 'First 🧠\n\nthen' },
    { type: 'text_delta', text: 'Hello' },
  ]);
});

test.each([
  [undefined, 'end_turn'],
  ['max_tokens', 'max_tokens'],
  ['refusal', 'refusal'],
  ['a_reason_of_the_future', null],
])('reports an answer that ended with %s as %s', async (stopReason, ours) => {
  const events = await ask({ text: 'Hi', ...(stopReason && { stopReason }) });
  expect(events.at(-1)).toMatchObject({ type: 'message_end', stopReason: ours });
});

test('shows a refusal as text, and passes it on as the reason', async () => {
  const content = [{ type: 'refusal', refusal: 'I will not do that.' }];
  const events = await ask({ blocks: [{ id: 'msg_1', type: 'message', role: 'assistant', content }] });
  expect(joined(events)).toMatchObject([
    {},
    { type: 'text_delta', text: 'I will not do that.' },
    { type: 'block', block: { type: 'text', text: 'I will not do that.' } },
    { type: 'message_end', stopReason: 'refusal', explanation: 'I will not do that.' },
  ]);
});

const failures: ReadonlyArray<[error: object, kind: string, retryAfterMs?: number]> = [
  [{ code: 'server_error', message: 'Sorry' }, 'server_error'],
  [{ code: 'rate_limit_exceeded', message: 'Please try again in 1.5s.' }, 'rate_limited', 1500],
  [{ code: 'rate_limit_exceeded', message: 'Please try again in 20ms' }, 'rate_limited', 20],
  [{ code: 'context_length_exceeded', message: 'Too long' }, 'context_overflow'],
  [{ code: 'insufficient_quota', message: 'Pay' }, 'auth'],
  [{ code: 'invalid_prompt', message: 'No' }, 'invalid_request'],
  [{ code: 'server_is_overloaded', message: 'Busy' }, 'overloaded'],
  [{ code: null, message: 'What?' }, 'server_error'],
];

test.each(failures)('reports the error %j in a stream as %s', async (error, kind, retryAfterMs) => {
  const begun = { type: 'response.created', response: { id: 'r', model: 'm' } };
  for (const event of [
    { type: 'response.failed', response: { status: 'failed', error } },
    { type: 'error', ...error },
    { type: 'error', error },
  ]) {
    const failure = await askRaw([begun, event]).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ kind, retryAfterMs });
  }
});

test.each([
  ['no end', [added(0, call('a', ''))], 'the connection ended before the answer did'],
  ['a piece of nothing', [piece(7, '{')], 'it went on with item 7, which never began'],
  ['a call without a name', [added(0, call('a', '', { name: '' }))], 'it held a tool call without a name'],
])('reports a stream with %s as broken', async (_, events, why) => {
  await expect(askRaw(events)).rejects.toMatchObject({ kind: 'broken_stream', message: expect.stringContaining(why) });
});

test('parses an HTTP error in the format of the API, and never shows the key', async () => {
  const message = 'Incorrect API key provided: sk-secret-key.';
  const server = await serve([{ status: 401, error: { type: 'invalid_request_error', message } }]);
  const failure = await drain(modelAt(server, { apiKey: 'sk-secret-key' })).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'auth', status: 401, message: expect.stringContaining('OPENAI_API_KEY') });
  expect(String(failure)).not.toContain('sk-secret-key');
});

test('sends the key as a bearer token, store: false, and the configured fields', async () => {
  const server = await serve(() => ({ text: 'Hi' }));
  const sent = async (options: Partial<OpenAiResponsesOptions>) => {
    await drain(modelAt(server, options));
    return server.requests.at(-1);
  };
  const plain = await sent({ apiKey: ' key-1\n', headers: { 'openai-project': 'p' } });
  expect(plain?.headers).toMatchObject({ authorization: 'Bearer key-1', 'openai-project': 'p' });
  expect(plain?.body).toEqual({
    model: 'gpt-test',
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: true,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
  });
  expect((await sent({ effort: 'high', maxOutputTokens: 100 }))?.body).toMatchObject({
    reasoning: { effort: 'high', summary: 'auto' },
    max_output_tokens: 100,
  });
  expect((await sent({ effort: 'none' }))?.body['reasoning']).toEqual({ effort: 'none' });
  expect((await sent({ name: 'gpt-4.1' }))?.body).not.toHaveProperty('include');
});

test.each(['', '/', '/v1', '/v1/'])(
  'posts to the responses endpoint for a base URL that ends in "%s"',
  async (ending) => {
    const server = await serve([{ text: 'Hi' }]);
    await drain(modelAt(server, { baseUrl: server.url + ending }));
    expect(server.requests[0]?.path).toBe('/v1/responses');
  },
);

test('requires a key for the vendor before anything is sent', () => {
  const { check } = openAiResponsesModel({ name: 'gpt-test' });
  expect(check).toThrow('No key for the OpenAI API: set OPENAI_API_KEY');
});

test('stops at once if aborted in the middle of an answer, and closes the connection', async () => {
  const server = await serve([{ text: 'A long answer', holdAfter: { events: 6, until: new Promise(() => {}) } }]);
  const controller = new AbortController();
  const reason = new Error('the user pressed Escape');
  await expect(async () => {
    for await (const event of modelAt(server).stream(hello, controller.signal)) {
      if (event.type === 'text_delta') controller.abort(reason);
    }
  }).rejects.toBe(reason);
  expect(await server.requests[0]?.finished).toBe('disconnected');
});

type WireEvent = { type: string; [field: string]: unknown };

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function modelAt(server: FakeModelServer, options: Partial<OpenAiResponsesOptions> = {}): Model {
  return openAiResponsesModel({ name: 'gpt-test', baseUrl: server.url, ...options });
}

async function drain(model: Model): Promise<ModelEvent[]> {
  return await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));
}

async function ask(answer: FakeAnswer): Promise<ModelEvent[]> {
  return await drain(modelAt(await serve([answer])));
}

/** The events that the adapter emits for exactly these wire events. */
async function askRaw(events: readonly WireEvent[]): Promise<ModelEvent[]> {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return await drain(openAiResponsesModel({ name: 'gpt-test', apiKey: 'test-key', fetch: answer }));
}

/** The inputs of the calls that ended, by id. */
function callsIn(events: readonly ModelEvent[]): Record<string, string> {
  const inputs = new Map<number, { id: string; json: string }>();
  const ended: Record<string, string> = {};
  for (const event of events) {
    if (event.type === 'call_start') inputs.set(event.index, { id: event.id, json: '' });
    const open = 'index' in event ? inputs.get(event.index) : undefined;
    if (event.type === 'call_input' && open) open.json += event.json;
    if (event.type === 'call_end' && open) {
      expect(Object.keys(ended)).not.toContain(open.id);
      ended[open.id] = open.json;
    }
  }
  return ended;
}

function opaque(value: Record<string, unknown>): ModelEvent {
  return { type: 'block', block: { type: 'opaque', provider: 'openai', value } };
}

/** Merges adjacent deltas, because their boundaries are up to the server. */
function joined(events: ModelEvent[]): ModelEvent[] {
  return events.reduce<ModelEvent[]>((before, event) => {
    const last = before.at(-1);
    if (event.type === 'text_delta' && last?.type === 'text_delta') last.text += event.text;
    else if (event.type === 'thinking_delta' && last?.type === 'thinking_delta') last.text += event.text;
    else if (event.type === 'call_input' && last?.type === 'call_input') last.json += event.json;
    else before.push({ ...event });
    return before;
  }, []);
}
