import { afterEach, expect, test } from 'vitest';
import type { Message } from '../../../contract/message.js';
import type { Model, ModelRequest } from '../../../contract/model.js';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { type OpenAiCompatibleOptions, openAiCompatibleModel } from './openai-compatible.js';

const list = {
  name: 'LS',
  description: 'Lists a folder',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
};
const asked: ModelRequest = {
  system: ['Be brief.'],
  tools: [list],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is in src?' }] }],
};
const WRITTEN = '<tool_call>\n{"name": "LS", "arguments": {"path": "src"}}\n</tool_call>';
const NO_TOOLS = { status: 400, error: { type: 'api_error', message: 'registry/gemma:7b does not support tools' } };

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test('reads calls from the text of a marked model, and shows only the text before them', async () => {
  const server = await serve([{ text: `I'll look.\n${WRITTEN}` }]);
  const events = await ask(modelAt(server, { textCalls: 'recover' }), asked);
  expect(shown(events)).toBe("I'll look.\n");
  expect(events.filter(({ type }) => !/_delta$|message_start/.test(type))).toMatchObject([
    { type: 'block', block: { type: 'text', text: "I'll look.\n" } },
    { type: 'text_calls', format: 'hermes', tools: ['LS'] },
    { type: 'call_start', index: 0, id: '', name: 'LS' },
    { type: 'call_input', json: '{"path":"src"}' },
    { type: 'call_end', index: 0 },
    { type: 'message_end', stopReason: 'tool_use' },
  ]);
});

test('the calls of other models, beside a call of the wire, and without tools are text', async () => {
  const server = await serve((_, number) => ({
    text: WRITTEN,
    ...(number === 1 && { calls: [{ name: 'LS', input: { path: 'docs' } }] }),
  }));
  const marked = modelAt(server, { textCalls: 'recover' });
  const answers = [
    await ask(modelAt(server), asked),
    await ask(marked, asked),
    await ask(marked, { ...asked, tools: [] }),
  ];
  expect(answers.map(shown)).toEqual([WRITTEN, WRITTEN, WRITTEN]);
  expect(answers.map((events) => events.filter(({ type }) => type === 'call_start').length)).toEqual([0, 1, 0]);
  expect(answers.flat().filter(({ type }) => type === 'text_calls')).toEqual([]);
});

test('a call that stands in a result is no call', async () => {
  const server = await serve([{ text: WRITTEN }]);
  const messages: Message[] = [
    ...asked.messages,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'LS', input: { path: 'docs' } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: `     1\t${WRITTEN.split('\n')[1]}` }],
    },
  ];
  const events = await ask(modelAt(server, { textCalls: 'recover' }), { ...asked, messages });
  expect(shown(events)).toBe(WRITTEN);
  expect(events.some(({ type }) => type === 'call_start')).toBe(false);
});

test('a call that is cut off at the limit of the answer never ends', async () => {
  const server = await serve([{ text: WRITTEN.slice(0, -20), stopReason: 'max_tokens' }]);
  const events = await ask(modelAt(server, { textCalls: 'recover' }), asked);
  expect(events.filter(({ type }) => type === 'call_start')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'call_end')).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: 'message_end', stopReason: 'max_tokens' });
});

test('thinking is not searched for calls', async () => {
  const server = await serve([{ text: `<think>${WRITTEN}</think>Done.` }]);
  const events = await ask(modelAt(server, { textCalls: 'recover' }), asked);
  expect([shown(events), events.some(({ type }) => type === 'call_start')]).toEqual(['Done.', false]);
});

test('describes the tools in the prompt if the server refuses them, and remembers that', async () => {
  const server = await serve((_, number) =>
    number === 0 ? NO_TOOLS : { text: number === 1 ? WRITTEN : 'Two files.' },
  );
  const model = modelAt(server, { title: 'Ollama' });
  const events = await ask(model, asked);
  expect(events.find(({ type }) => type === 'notice')).toMatchObject({
    text: expect.stringMatching(
      /^some-model has no tools on this server\. .*does not support tools\)\. They are described in its prompt from now on, and its calls are read from its text\.$/,
    ),
  });
  expect(events.filter(({ type }) => type === 'call_start')).toMatchObject([{ name: 'LS' }]);

  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'a.ts\n</tool_response>', is_error: true } as const;
  const messages: Message[] = [
    ...asked.messages,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Well.' },
        { type: 'tool_use', id: 'c1', name: 'LS', input: { path: 'src' } },
      ],
    },
    { role: 'user', content: [result, { type: 'text', text: 'Go on.' }] },
  ];
  expect(shown(await ask(model, { ...asked, messages }))).toBe('Two files.');
  const [, second, third] = server.requests.map(({ body }) => body);
  expect([second?.tools, third?.tools]).toEqual([undefined, undefined]);
  expect(JSON.stringify(second?.messages[0]?.content)).toContain('Lists a folder');
  expect(third?.messages.slice(1)).toEqual([
    { role: 'user', content: 'What is in src?' },
    {
      role: 'assistant',
      content: `Well.\n${WRITTEN.replace(': "LS", "arguments": {"path": "src"', ':"LS","arguments":{"path":"src"').replaceAll('": ', '":')}`,
    },
    {
      role: 'user',
      content: '<tool_response name="LS" error="true">\na.ts\n‹/tool_response>\n</tool_response>\n\nGo on.',
    },
  ]);
  expect(server.refused).toEqual([]);
});

test.each([
  [400, 'registry.ollama.ai/library/gemma:7b does not support tools'],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, 'tools param requires --jinja flag'],
  [404, 'No endpoints found that support tool use.'],
  [400, 'Function calling is not enabled for models/gemma'],
  [422, 'Unrecognized request argument supplied: tools'],
])('understands the refusal of tools: %s %s', async (status, message) => {
  const server = await serve((_, number) =>
    number === 0 ? { status, error: { type: 'api_error', message } } : { text: 'Hi' },
  );
  expect(shown(await ask(modelAt(server), asked))).toBe('Hi');
});

test.each([
  [400, 'tools.0.function.parameters: invalid schema'],
  [401, 'this key does not support tools'],
  [400, 'The model some-model does not exist'],
])('does not take another failure for a refusal of tools: %s %s', async (status, message) => {
  const server = await serve([{ status, error: { type: 'api_error', message } }]);
  await expect(ask(modelAt(server), asked)).rejects.toThrow(message);
});

test.each([
  ['vllm', { tool_choice: { type: 'function', function: { name: 'LS' } } }],
  ['llamacpp', { tool_choice: 'required' }],
  [
    'ollama',
    { response_format: { type: 'json_schema', json_schema: { schema: { required: ['name', 'arguments'] } } } },
  ],
])('%s is made to answer a malformed call with a valid one', async (provider, fields) => {
  const server = await serve((_, number) =>
    number === 2
      ? { status: 400, error: { type: 'invalid_request_error', message: 'unknown field' } }
      : { text: '{"name": "LS", "arguments": {}}' },
  );
  const model = modelAt(server, { provider });
  await ask(model, asked);
  const events = await ask(model, { ...asked, expectedCall: 'LS' });
  await ask(model, { ...asked, expectedCall: 'LS' }); // refused, and sent again without
  const bodies = server.requests.map(({ body }) => ({ choice: body['tool_choice'], format: body['response_format'] }));
  expect(server.requests[1]?.body).toMatchObject(fields);
  expect(bodies.map(({ choice, format }) => choice !== undefined || format !== undefined)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(events.some(({ type }) => type === 'call_start')).toBe(provider === 'ollama');
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function modelAt({ url }: FakeModelServer, options: Partial<OpenAiCompatibleOptions> = {}): Model {
  return openAiCompatibleModel({ provider: 'test', name: 'some-model', baseUrl: url, ...options });
}

const ask = async (model: Model, request: ModelRequest) =>
  await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000)));

const shown = (events: Awaited<ReturnType<typeof ask>>): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
