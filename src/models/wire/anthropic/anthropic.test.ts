import { afterEach, expect, test } from 'vitest';
import type { Message } from '../../../contract/message.js';
import type { Model, ModelEvent, ModelRequest } from '../../../contract/model.js';
import {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../../testing/fake-model-server.js';
import { type AnthropicOptions, anthropicModel } from './anthropic.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const search = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'größe "😀"', nested: { z: 1, a: [true, null] } },
};
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ url: 'https://example.org', type: 'web_search_result', encrypted_content: 'AbC=', title: 'é' }],
};
const cited = {
  type: 'text',
  text: 'It is “large”.',
  citations: [{ type: 'web_search_result_location', url: 'https://example.org', cited_text: 'large' }],
};
const everyKind: FakeAnswer = {
  thinking: { text: 'Let me think… 🧠\nin two lines', signature: 'c2lnbmF0dXJl/+==' },
  text: 'Ich prüfe das: 你好, \u2028 "quoted" \\ 👩‍👩‍👧',
  blocks: [
    { type: 'redacted_thinking', data: 'EncryptedData==' },
    search,
    found,
    cited,
    { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'test', input: { text: 'x' } },
    { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [{ type: 'text', text: 'x' }] },
  ],
  calls: [
    { name: 'Read', input: { file_path: '/tmp/ünï "quoted" \\ 😀.txt', limit: 10 } },
    { name: 'LS', input: {} },
    { name: 'Bash', json: '{"command": "echo \\u00e9 \\n' },
  ],
  usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 },
};

test('turns every kind of block into events, and unknown kinds into opaque blocks', async () => {
  const events = await ask(everyKind);
  const [first, ...others] = joined(events);
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 };
  expect(first).toEqual({ type: 'message_start', id: 'msg_fake_1', model: 'fake-model', usage });
  expect(others).toEqual([
    { type: 'thinking_delta', text: 'Let me think… 🧠\nin two lines' },
    {
      type: 'block',
      block: { type: 'thinking', thinking: 'Let me think… 🧠\nin two lines', signature: 'c2lnbmF0dXJl/+==' },
    },
    { type: 'text_delta', text: everyKind.text },
    { type: 'block', block: { type: 'text', text: everyKind.text } },
    opaque({ type: 'redacted_thinking', data: 'EncryptedData==' }),
    opaque(search),
    opaque(found),
    { type: 'text_delta', text: 'It is “large”.' },
    opaque(cited),
    opaque({ type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'test', input: { text: 'x' } }),
    opaque({
      type: 'mcp_tool_result',
      tool_use_id: 'mcptoolu_1',
      is_error: false,
      content: [{ type: 'text', text: 'x' }],
    }),
    { type: 'call_start', index: 8, id: 'toolu_fake_1_1', name: 'Read' },
    { type: 'call_input', index: 8, json: '{"file_path":"/tmp/ünï \\"quoted\\" \\\\ 😀.txt","limit":10}' },
    { type: 'call_end', index: 8 },
    { type: 'call_start', index: 9, id: 'toolu_fake_1_2', name: 'LS' },
    { type: 'call_input', index: 9, json: '{}' },
    { type: 'call_end', index: 9 },
    { type: 'call_start', index: 10, id: 'toolu_fake_1_3', name: 'Bash' },
    { type: 'call_input', index: 10, json: '{"command": "echo \\u00e9 \\n' },
    { type: 'call_end', index: 10 },
    { type: 'message_end', stopReason: 'tool_use', usage: everyKind.usage },
  ]);
});

test('passes the body to a custom fetch as text', async () => {
  const bodies: unknown[] = [];
  const watching: typeof fetch = (url, init) => {
    bodies.push(init?.body);
    return fetch(url, init);
  };
  await ask(everyKind, { fetch: watching });
  expect(bodies).toEqual([expect.stringMatching(/^{"model":/)]);
});

test.each([1, 2, 3, 7, 64, 100_000])('emits the same events if the bytes arrive %i at a time', async (count) => {
  const whole = await ask(everyKind);
  expect(await ask({ ...everyKind, chunkBytes: count })).toEqual(whole);
  // The network may merge chunks, so they are also split in the adapter's fetch.
  const cutting: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    return new Response(response.body?.pipeThrough(cutInto(count)), response);
  };
  expect(await ask(everyKind, { fetch: cutting })).toEqual(whole);
});

test('sends every block back exactly as it arrived', async () => {
  const server = await serve([everyKind, { text: 'done' }]);
  const model = modelAt(server);
  const content = joined(await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)))).flatMap((event) =>
    event.type === 'block' ? [event.block] : [],
  );
  const messages: Message[] = [
    ...hello.messages,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'text', text: 'Go on' }] },
  ];
  await Array.fromAsync(model.stream({ ...hello, messages }, AbortSignal.timeout(60_000)));

  const wire = [
    { type: 'thinking', thinking: everyKind.thinking?.text, signature: everyKind.thinking?.signature },
    { type: 'text', text: everyKind.text },
    ...(everyKind.blocks ?? []),
  ];
  expect(server.requests[1]?.text).toContain(`{"role":"assistant","content":${JSON.stringify(wire)}}`);
});

test('accepts a call whose whole input arrives with its start, and one without input', async () => {
  const events = await askRaw([
    { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'a', name: 'Read', input: { b: 1, a: 2 } },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'b', name: 'LS', input: {} } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c', name: 'LS' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ]);
  expect(events.filter(({ type }) => type.startsWith('call'))).toEqual([
    { type: 'call_start', index: 0, id: 'a', name: 'Read' },
    { type: 'call_input', index: 0, json: '{"b":1,"a":2}' },
    { type: 'call_end', index: 0 },
    { type: 'call_start', index: 1, id: 'b', name: 'LS' },
    { type: 'call_input', index: 1, json: '{}' },
    { type: 'call_end', index: 1 },
    { type: 'call_start', index: 2, id: 'c', name: 'LS' },
    { type: 'call_input', index: 2, json: '{}' },
    { type: 'call_end', index: 2 },
  ]);
});

const begun = { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } };
const called = (index: number, id: string, json: string) => [
  { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'Bash', input: {} } },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
  { type: 'content_block_stop', index },
];
const stopped = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }];

test.each([
  ['with input', '{"command":"ls"}', '{"command": "ls"}'],
  ['without input', '', '{}'],
])('accepts a call %s that is sent twice only once', async (_, first, second) => {
  const events = await askRaw([begun, ...called(0, 'a', first), begun, ...called(0, 'a', second), ...stopped]);
  expect(events.filter(({ type }) => type.startsWith('call'))).toEqual([
    { type: 'call_start', index: 0, id: 'a', name: 'Bash' },
    { type: 'call_input', index: 0, json: first || '{}' },
    { type: 'call_end', index: 0 },
  ]);
});

test('treats two calls with the same id as two, and gives the second a new id', async () => {
  const events = await askRaw([begun, ...called(0, 'a', '{"x":1}'), ...called(1, 'a', '{"x":2}'), ...stopped]);
  expect(events.filter(({ type }) => type.startsWith('call'))).toEqual([
    { type: 'call_start', index: 0, id: 'a', name: 'Bash' },
    { type: 'call_input', index: 0, json: '{"x":1}' },
    { type: 'call_end', index: 0 },
    { type: 'call_start', index: 1, id: '', name: 'Bash' },
    { type: 'call_input', index: 1, json: '{"x":2}' },
    { type: 'call_end', index: 1 },
  ]);
});

test('counts a negative number of tokens as zero', async () => {
  const usage = { input_tokens: -5, output_tokens: -1_000_000 };
  const events = await askRaw([{ type: 'message_delta', delta: {}, usage }, { type: 'message_stop' }]);
  expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 } });
});

test('never completes a call that was truncated before the first character of its input', async () => {
  const events = await ask({ calls: [{ name: 'Bash', json: '' }], stopReason: 'max_tokens' });
  expect(events.map(({ type }) => type)).toEqual(['message_start', 'call_start', 'message_end']);
});

test('drops a truncated server-side call', async () => {
  const events = await askRaw([
    { type: 'content_block_start', index: 0, content_block: { ...search, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query": "gr' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
    { type: 'message_stop' },
  ]);
  expect(events.map(({ type }) => type)).toEqual(['message_end']);
});

test('keeps a block of an unknown kind, with all its deltas', async () => {
  const events = await askRaw([
    { type: 'content_block_start', index: 0, content_block: { type: 'dream', about: 'she', depth: 1 } },
    { type: 'content_block_delta', index: 0, delta: { type: 'dream_delta', about: 'ep', depth: 2 } },
    { type: 'content_block_stop', index: 0 },
    { type: 'some_event_of_the_future' },
    { type: 'message_stop' },
  ]);
  expect(events[0]).toEqual(opaque({ type: 'dream', about: 'sheep', depth: 2 }));
});

test('completes the text of a server that omits the ends of blocks, but not its calls', async () => {
  const events = await ask({ text: 'Hello', calls: [{ name: 'LS', input: {} }], omit: 'content_block_stop' });
  expect(joined(events).map(({ type }) => type)).toEqual([
    'message_start',
    'text_delta',
    'call_start',
    'call_input',
    'block',
    'message_end',
  ]);
});

test.each([
  ['end_turn', 'end_turn'],
  ['tool_use', 'tool_use'],
  ['max_tokens', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  ['pause_turn', 'pause_turn'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context_overflow'],
  ['a_reason_of_the_future', null],
  [null, null],
])('reports the stop reason %s as %s', async (wire, ours) => {
  const events = await ask({ text: 'Hi', stopReason: wire });
  expect(events.at(-1)).toMatchObject({ type: 'message_end', stopReason: ours });
});

test('passes on the reason of a refusal', async () => {
  const events = await ask({
    stopReason: 'refusal',
    stopDetails: { type: 'refusal', category: 'cyber', explanation: 'That would harm people.' },
  });
  expect(events.at(-1)).toMatchObject({ stopReason: 'refusal', explanation: 'That would harm people.' });
});

test('sends a paused turn back as the end of the conversation', async () => {
  const server = await serve([{ blocks: [search], stopReason: 'pause_turn' }, { text: 'done' }]);
  const model = modelAt(server);
  const events = await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));
  const content = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
  const messages: Message[] = [...hello.messages, { role: 'assistant', content }];
  await Array.fromAsync(model.stream({ ...hello, messages }, AbortSignal.timeout(60_000)));
  expect(server.requests[1]?.body.messages.at(-1)).toEqual({ role: 'assistant', content: [search] });
});

test('sends the key as x-api-key, a token as bearer, or either as configured, with the version', async () => {
  const server = await serve(() => ({ text: 'Hi' }));
  const sent = async (options: Partial<AnthropicOptions>) => {
    await Array.fromAsync(modelAt(server, options).stream(hello, AbortSignal.timeout(60_000)));
    const headers = server.requests.at(-1)?.headers;
    return [
      headers?.['x-api-key'],
      headers?.authorization,
      headers?.['anthropic-version'],
      headers?.['anthropic-beta'],
    ];
  };
  expect(await sent({ apiKey: ' key-1\n' })).toEqual(['key-1', undefined, '2023-06-01', undefined]);
  expect(await sent({ apiKey: 'key-1', authToken: 'token-1' })).toEqual([
    undefined,
    'Bearer token-1',
    '2023-06-01',
    undefined,
  ]);
  expect(await sent({ apiKey: 'key-1', authStyle: 'bearer', version: '2026-10-21' })).toEqual([
    undefined,
    'Bearer key-1',
    '2026-10-21',
    undefined,
  ]);
  expect(await sent({ authToken: 'token-1', authStyle: 'x-api-key', headers: { 'anthropic-beta': 'b' } })).toEqual([
    'token-1',
    undefined,
    '2023-06-01',
    'b',
  ]);
  expect(await sent({})).toEqual([undefined, undefined, '2023-06-01', undefined]);
});

test.each(['', '/', '/v1', '/v1/'])(
  'posts to the messages endpoint for a base URL that ends in "%s"',
  async (ending) => {
    const server = await serve([{ text: 'Hi' }]);
    await Array.fromAsync(modelAt(server, { baseUrl: server.url + ending }).stream(hello, AbortSignal.timeout(60_000)));
    expect(server.requests[0]?.path).toBe('/v1/messages');
  },
);

test("requests no more output than the model's known limit", () => {
  const limit = (name: string) => anthropicModel({ name }).maxOutputTokens;
  expect([limit('claude-sonnet-4-5'), limit('claude-3-5-haiku-latest'), limit('claude-3-haiku-20240307')]).toEqual([
    32_000, 8192, 4096,
  ]);
});

test('stops at once when aborted in the middle of an answer, and closes the connection', async () => {
  const server = await serve([{ text: 'A long answer', holdAfter: { events: 5, until: new Promise(() => {}) } }]);
  const controller = new AbortController();
  const reason = new Error('the user pressed Escape');
  const seen: ModelEvent[] = [];
  await expect(async () => {
    for await (const event of modelAt(server).stream(hello, controller.signal)) {
      seen.push(event);
      if (event.type === 'text_delta') controller.abort(reason);
    }
  }).rejects.toBe(reason);
  expect(seen.map(({ type }) => type)).toEqual(['message_start', 'text_delta']);
  expect(await server.requests[0]?.finished).toBe('disconnected');
});

test('stops waiting for an answer if aborted before it begins', async () => {
  const controller = new AbortController();
  const server = await serve(() => {
    controller.abort('stop');
    return new Promise<FakeAnswer>(() => {});
  });
  await expect(Array.fromAsync(modelAt(server).stream(hello, controller.signal))).rejects.toBe('stop');
  await expect(Array.fromAsync(modelAt(server).stream(hello, AbortSignal.abort('never')))).rejects.toBe('never');
  expect(server.requests).toHaveLength(1);
});

test('ends, and closes the connection, when a server leaves it open after the last event', async () => {
  const server = await serve([{ text: 'Hi', holdAfter: { events: 100, until: new Promise(() => {}) } }]);
  const events = await Array.fromAsync(modelAt(server).stream(hello, AbortSignal.timeout(60_000)));
  expect(events.at(-1)).toMatchObject({ type: 'message_end', stopReason: 'end_turn' });
  expect(await server.requests[0]?.finished).toBe('disconnected');
});

test('closes the connection when the consumer stops early', async () => {
  const server = await serve([{ text: 'A long answer', holdAfter: { events: 5, until: new Promise(() => {}) } }]);
  for await (const _ of modelAt(server).stream(hello, AbortSignal.timeout(60_000))) break;
  expect(await server.requests[0]?.finished).toBe('disconnected');
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function modelAt(server: FakeModelServer, options: Partial<AnthropicOptions> = {}): Model {
  return anthropicModel({ name: 'claude-test', baseUrl: server.url, ...options });
}

async function ask(answer: FakeAnswer, options: Partial<AnthropicOptions> = {}): Promise<ModelEvent[]> {
  const server = await serve([answer]);
  return await Array.fromAsync(modelAt(server, options).stream(hello, AbortSignal.timeout(60_000)));
}

function cutInto(count: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += count) controller.enqueue(chunk.subarray(at, at + count));
    },
  });
}

/** The events that the adapter emits for exactly these wire events. */
async function askRaw(events: Array<{ type: string; [field: string]: unknown }>): Promise<ModelEvent[]> {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const model = anthropicModel({ name: 'claude-test', apiKey: 'test-key', fetch: answer });
  return await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));
}

function opaque(value: Record<string, unknown>): ModelEvent {
  return { type: 'block', block: { type: 'opaque', provider: 'anthropic', value } };
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
