import { afterEach, expect, test } from 'vitest';
import type { AssistantBlock, Message } from '../../../contract/message.js';
import type { Model, ModelRequest } from '../../../contract/model.js';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { type OpenAiCompatibleOptions, openAiCompatibleModel } from './openai-compatible.js';

const KEY = 'sk-very-secret-key';
const hello: ModelRequest = {
  system: ['Be brief.'],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};
const list = { name: 'LS', description: 'Lists', input_schema: { type: 'object', properties: {} } };

const BRIEF = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test('sends a request and reads the answer over a real connection', async () => {
  const server = await serve([
    {
      thinking: { text: 'Let me see… 🧠', signature: '' },
      text: 'Ich prüfe das: 你好',
      calls: [{ name: 'LS', input: { path: 'ünï "x"' } }, { name: 'LS' }],
      usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30 },
    },
  ]);
  const model = modelAt(server, { apiKey: KEY, headers: { 'x-title': 'helve' }, maxOutputTokens: 99 });
  const events = await ask(model, { ...hello, tools: [list] });
  expect(events[0]).toEqual({ type: 'message_start', id: 'chatcmpl_fake_1', model: 'fake-model' });
  expect(events.filter(({ type }) => !/_delta$|_input$/.test(type)).slice(1)).toEqual([
    {
      type: 'block',
      block: {
        type: 'opaque',
        provider: 'test',
        value: { type: 'reasoning', field: 'reasoning_content', text: 'Let me see… 🧠' },
      },
    },
    { type: 'block', block: { type: 'text', text: 'Ich prüfe das: 你好' } },
    { type: 'call_start', index: 0, id: 'call_fake_1_1', name: 'LS' },
    { type: 'call_end', index: 0 },
    { type: 'call_start', index: 1, id: 'call_fake_1_2', name: 'LS' },
    { type: 'call_end', index: 1 },
    {
      type: 'message_end',
      stopReason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 0 },
    },
  ]);
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${KEY}`, 'x-title': 'helve' },
    body: { model: 'some-model', stream: true, stream_options: { include_usage: true }, max_tokens: 99 },
  });
});

test('sends reasoning back unchanged, and the bytes of earlier messages stay the same', async () => {
  const server = await serve((_, number) => ({
    thinking: { text: `thought ${number}`, signature: '' },
    calls: [{ name: 'LS' }],
  }));
  const model = modelAt(server, { provider: 'deepseek' });
  const messages: Message[] = [...hello.messages];
  for (let turn = 1; turn <= 3; turn++) {
    const events = await ask(model, { ...hello, tools: [list], messages: [...messages] });
    const content: AssistantBlock[] = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
    const id = `call_fake_${turn}_1`;
    messages.push(
      { role: 'assistant', content: [...content, { type: 'tool_use', id, name: 'LS', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'a.txt' }] },
    );
  }
  expect(server.refused).toEqual([]);
  const sent = server.requests.map(({ text }) => text.slice(0, -']}'.length));
  expect(sent.map((text, at) => sent[at + 1]?.startsWith(text) ?? true)).toEqual([true, true, true]);
  const last = JSON.parse(server.requests[2]?.text ?? '');
  expect(last.messages.slice(2, 4)).toEqual([
    {
      role: 'assistant',
      content: '',
      reasoning_content: 'thought 0',
      tool_calls: [{ id: 'call_fake_1_1', type: 'function', function: { name: 'LS', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_fake_1_1', content: 'a.txt' },
  ]);
});

test("maps the arguments of calls back to the tool's own names", async () => {
  const grep = {
    name: 'Grep',
    description: 'g',
    input_schema: { type: 'object', properties: { '-A': { type: 'number' } } },
  };
  const server = await serve([
    {
      calls: [
        { name: 'Grep', input: { flag_A: 2 } },
        { name: 'Grep', json: '{"flag_A":' },
      ],
    },
  ]);
  const events = await ask(modelAt(server), { ...hello, tools: [grep] });
  expect(events.flatMap((event) => (event.type === 'call_input' ? [event.json] : []))).toEqual([
    '{"-A":2}',
    '{"flag_A":',
  ]);
  expect(JSON.parse(server.requests[0]?.text ?? '').tools[0].function.parameters.properties).toHaveProperty('flag_A');
});

test.each<[string, Partial<OpenAiCompatibleOptions>, object]>([
  [
    'openai',
    { baseUrl: 'https://api.openai.com/v1', effort: 'max', maxOutputTokens: 5 },
    { reasoning_effort: 'xhigh', max_completion_tokens: 5 },
  ],
  ['openrouter', { effort: 'high' }, { reasoning: { effort: 'high' } }],
  ['qwen', { effort: 'none', maxOutputTokens: 5 }, { enable_thinking: false, max_tokens: 5 }],
  ['glm', { effort: 'low' }, { thinking: { type: 'enabled' }, tool_stream: true }],
  ['vllm', { effort: 'none' }, { chat_template_kwargs: { enable_thinking: false } }],
  ['whatever', { effort: 'medium' }, { reasoning_effort: 'medium' }],
])('sends the effort to %s in its own format', async (provider, options, expected) => {
  const bodies: unknown[] = [];
  const model = openAiCompatibleModel({
    provider,
    name: 'm',
    baseUrl: 'http://127.0.0.1:1',
    ...options,
    fetch: async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(BRIEF);
    },
  });
  await ask(model, hello);
  expect(bodies).toEqual([expect.objectContaining(expected)]);
});

test('sends no field for thinking, limits or tools unless they are set', async () => {
  const server = await serve([{ text: 'Hi' }]);
  await ask(modelAt(server), hello);
  expect(JSON.parse(server.requests[0]?.text ?? '')).toEqual({
    model: 'some-model',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
  });
});

test.each([
  ['http://127.0.0.1:1', 'http://127.0.0.1:1/v1/chat/completions'],
  ['http://127.0.0.1:1/', 'http://127.0.0.1:1/v1/chat/completions'],
  ['http://127.0.0.1:1/v1/', 'http://127.0.0.1:1/v1/chat/completions'],
  ['https://example.org/api/paas/v4', 'https://example.org/api/paas/v4/chat/completions'],
  ['https://example.org/v1/chat/completions', 'https://example.org/v1/chat/completions'],
])('posts for the base URL %s to %s', async (baseUrl, expected) => {
  const urls: unknown[] = [];
  const model = openAiCompatibleModel({
    provider: 'test',
    name: 'm',
    baseUrl,
    fetch: async (url) => {
      urls.push(url);
      return new Response(BRIEF);
    },
  });
  await ask(model, hello);
  expect(urls).toEqual([expected]);
});

test.each<[string, Partial<OpenAiCompatibleOptions>, string]>([
  [
    'an invalid address',
    { baseUrl: 'localhost:8080' },
    'TEST_BASE_URL is "localhost:8080", which is not a web address. Set it to one like http://127.0.0.1:8080/v1.',
  ],
  [
    'a key with a line break',
    { apiKey: 'sk-a\nb' },
    "TEST_API_KEY holds a character that can't be in a key, such as a space, a line break or a typographic quote. Set it again.",
  ],
  [
    'a password in the address',
    { baseUrl: 'http://me:pw@127.0.0.1:1', keyVariable: 'MY_KEY', baseUrlVariable: 'MY_URL' },
    'MY_URL holds a user name or password for 127.0.0.1:1, which is not supported. Leave them out, and set MY_KEY instead.',
  ],
])('refuses %s before anything is sent', (_, options, sentence) => {
  const model = openAiCompatibleModel({ provider: 'test', name: 'm', baseUrl: 'http://127.0.0.1:1', ...options });
  expect(() => model.check?.()).toThrow(sentence);
});

test('names the server by its title and the variables in every failure', async () => {
  const answer = { status: 401, error: { type: 'invalid_request_error', message: `bad key ${KEY}` } };
  const server = await serve([answer, { status: 404, error: 'Not Found' }, { text: 'x', dropAfterEvents: 2 }]);
  const model = modelAt(server, {
    title: 'DeepSeek',
    apiKey: KEY,
    keyVariable: 'DEEPSEEK_API_KEY',
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
  });
  const place = new URL(server.url).host;
  const failures: string[] = [];
  for (let turn = 0; turn < 3; turn++)
    failures.push(
      await ask(model, hello).then(
        () => '',
        (error) => error.message,
      ),
    );
  expect(failures).toEqual([
    `DeepSeek at ${place} refused the key (401: bad key [key]). Check DEEPSEEK_API_KEY.`,
    `${server.url}/v1/chat/completions does not exist (404: Not Found). Check DEEPSEEK_BASE_URL: it is the part before /chat/completions.`,
    `The answer of some-model from ${place} broke off: the other side closed the connection. Try again.`,
  ]);
});

test('stops with the reason if aborted in the middle of an answer', async () => {
  const server = await serve([{ text: 'Hello there', holdAfter: { events: 2, until: new Promise(() => {}) } }]);
  const controller = new AbortController();
  const reason = new Error('enough');
  await expect(async () => {
    for await (const event of modelAt(server).stream(hello, controller.signal)) {
      if (event.type === 'text_delta') controller.abort(reason);
    }
  }).rejects.toBe(reason);
  expect(await server.requests[0]?.finished).toBe('disconnected');
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function modelAt({ url }: FakeModelServer, options: Partial<OpenAiCompatibleOptions> = {}): Model {
  return openAiCompatibleModel({ provider: 'test', name: 'some-model', baseUrl: url, ...options });
}

async function ask(model: Model, request: ModelRequest) {
  return await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000)));
}
