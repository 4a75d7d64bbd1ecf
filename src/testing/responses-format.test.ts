import { afterEach, expect, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from './fake-model-server.js';
import { responsesFormat } from './responses-format.js';
import { responsesViolations } from './responses-violations.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const hello = { model: 'm', stream: true, input: 'Hi' };
const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'x' };
const answer = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] };
const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'Read',
  arguments: '{}',
  ...more,
});
const result = (call_id: string, output: unknown = 'x') => ({ type: 'function_call_output', call_id, output });
const tool = (parameters: object, more: object = {}) => ({
  type: 'function',
  name: 'Read',
  parameters,
  strict: false,
  ...more,
});

test('streams an answer event by event, under the path of the interface', async () => {
  const server = await serve([{ text: 'Hello there', usage: { input_tokens: 3, output_tokens: 4 } }]);
  const events = (await (await post(server)).text())
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)));
  const place = { item_id: 'msg_fake_1', output_index: 0, content_index: 0 };
  const part = (text: string) => ({ type: 'output_text', text, annotations: [] });
  expect(events).toMatchObject([
    { type: 'response.created', sequence_number: 0, response: { id: 'resp_fake_1', status: 'in_progress' } },
    { type: 'response.in_progress', sequence_number: 1 },
    { type: 'response.output_item.added', output_index: 0, item: { id: 'msg_fake_1', content: [] } },
    { type: 'response.content_part.added', ...place, part: part('') },
    { type: 'response.output_text.delta', ...place, delta: 'Hello th' },
    { type: 'response.output_text.delta', ...place, delta: 'ere' },
    { type: 'response.output_text.done', ...place, text: 'Hello there' },
    { type: 'response.content_part.done', ...place, part: part('Hello there') },
    { type: 'response.output_item.done', output_index: 0, item: { content: [part('Hello there')] } },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [{ id: 'msg_fake_1' }], usage: { input_tokens: 3, output_tokens: 4 } },
    },
  ]);
});

test('renders reasoning, calls and raw items in their order, and ends as told', () => {
  const types = responsesFormat
    .events(
      {
        thinking: { text: 'Hm', signature: 'x' },
        blocks: [{ id: 'ws_1', type: 'web_search_call', status: 'completed' }],
        calls: [{ name: 'Read', json: '{"cut' }],
        stopReason: 'max_tokens',
        omit: ['response.created', 'response.in_progress'],
      },
      7,
    )
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)))
    .map(({ type, item, response }) => [type, item?.id ?? response?.incomplete_details.reason, item?.status]);
  expect(types).toEqual([
    ['response.output_item.added', 'rs_fake_7', undefined],
    ['response.reasoning_summary_part.added', undefined, undefined],
    ['response.reasoning_summary_text.delta', undefined, undefined],
    ['response.reasoning_summary_text.done', undefined, undefined],
    ['response.reasoning_summary_part.done', undefined, undefined],
    ['response.output_item.done', 'rs_fake_7', undefined],
    ['response.output_item.added', 'ws_1', 'in_progress'],
    ['response.output_item.done', 'ws_1', 'completed'],
    ['response.output_item.added', 'fc_fake_7_1', 'in_progress'],
    ['response.function_call_arguments.delta', undefined, undefined],
    ['response.function_call_arguments.done', undefined, undefined],
    ['response.output_item.done', 'fc_fake_7_1', 'incomplete'],
    ['response.incomplete', 'max_output_tokens', undefined],
  ]);
});

test('puts an error in place of the end', async () => {
  const server = await serve([{ text: 'H', streamError: { type: 'server_error', message: 'Oh' } }]);
  const text = await (await post(server)).text();
  expect(text).toMatch(/"type":"error","code":"server_error","message":"Oh","param":null,"sequence_number":\d+\}\n\n$/);
});

test('refuses what the API would refuse, in its shape', async () => {
  const server = await serve([{ text: 'Hi' }]);
  const refused = await post(server, { ...hello, input: [call('a')] });
  const message = 'No tool output found for function call a';
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: { message, type: 'invalid_request_error', param: null, code: null } },
  ]);
  expect(server.refused).toMatchObject([{ violations: [message] }]);
});

test.each([
  ['a text', { input: 'Hi' }],
  ['a call and its result', { input: [said, call('a'), call('b', { id: 'fc_1' }), result('b'), result('a', '')] }],
  ['reasoning before a call', { input: [said, reasoning, reasoning, call('a'), result('a')] }],
  ['reasoning before an answer with its id', { input: [said, reasoning, answer, said] }],
  ['reasoning before a tool of the server', { input: [said, reasoning, { type: 'web_search_call', id: 'ws_1' }] }],
  [
    'images',
    { input: [call('a'), result('a', [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }]), said] },
  ],
  [
    'a strict tool',
    { tools: [tool({ type: 'object', properties: {}, additionalProperties: false }, { strict: true })] },
  ],
])('accepts %s', (_, body) => {
  expect(responsesViolations({ ...hello, ...body })).toEqual([]);
});

const lost = "Item 'rs_1' of type 'reasoning' was provided without its required following item";

test.each([
  [{ model: '' }, ['model: must be a non-empty string']],
  [{ instructions: ['x'] }, ['instructions: must be a string']],
  [{ instructions: 'x\ud83d' }, ['body.instructions: holds half of a surrogate pair']],
  [
    { input: [call('a', { name: 'functions.Read', arguments: '{"x":"\\ud83d"}' }), result('a')] },
    ['input[0].name: must match ^[a-zA-Z0-9_-]{1,64}$', 'input[0].arguments.x: holds half of a surrogate pair'],
  ],
  [{ input: '' }, ['input: must be a text or a list of items']],
  [{ input: [] }, ['input: must be a text or a list of items']],
  [{ input: ['Hi'] }, ['input: every item must be an object']],
  [{ input: [call('a'), result('a'), result('a')] }, ['Duplicate function call output with call_id a']],
  [
    { input: [result('a'), call('a')] },
    ['No tool call found for function call output with call_id a', 'No tool output found for function call a'],
  ],
  [{ input: [call('a'), result('a'), call('a'), result('a')] }, ['Duplicate call with call_id a']],
  [{ input: [{ type: 'custom_tool_call', call_id: 'c' }] }, ['No tool output found for function call c']],
  [{ input: [said, reasoning] }, [lost]],
  [{ input: [said, reasoning, said] }, [lost]],
  [{ input: [said, reasoning, { ...answer, id: undefined }] }, [lost]],
  [{ input: [call('a'), reasoning, result('a')] }, [lost]],
  [
    { input: [{ ...reasoning, encrypted_content: null }, call('a'), result('a')] },
    ["input[0]: Item with id 'rs_1' not found. Items are not persisted when store is false"],
  ],
  [
    { input: [{ ...reasoning, id: 'x', summary: undefined }, call('a'), result('a')] },
    ["input[0].id: must begin with 'rs_' and have at most 64 characters", 'input[0].summary: is required'],
  ],
  [
    { input: [call('a b'), result('a b')] },
    ['input[0].call_id: must match ^[a-zA-Z0-9_-]{1,64}$', 'input[1].call_id: must match ^[a-zA-Z0-9_-]{1,64}$'],
  ],
  [
    { input: [call('a', { id: 'call_1', name: '', arguments: {} }), result('a')] },
    [
      "input[0].id: must begin with 'fc_' and have at most 64 characters",
      'input[0].name: must match ^[a-zA-Z0-9_-]{1,64}$',
      'input[0].arguments: must be a string',
    ],
  ],
  [{ input: [call('a'), result('a', [])] }, ['input[1].output: must be a text or a non-empty list of parts']],
  [
    { input: [call('a'), result('a', [{ type: 'input_image', image_url: 'data:image/bmp;base64,AAAA' }])] },
    ['input[1].output[0].image_url: is not a valid image'],
  ],
  [{ input: [{ role: 'user', content: '' }] }, ['input[0].content: is empty']],
  [
    { input: [{ role: 'tool', content: 'x' }] },
    ['input[0].role: must be "user", "assistant", "system" or "developer"'],
  ],
  [{ input: [{ role: 'user', content: [{ type: 'input_text', text: '' }] }] }, ['input[0].content[0].text: is empty']],
  [
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    ['input[0].content[0].type: "input_text" is not one of output_text, refusal'],
  ],
  [{ tools: [tool({ type: 'string' })] }, ['tools[0].parameters: must be a schema of type "object"']],
  [
    { tools: [tool({ type: 'object' }), tool({ type: 'object' })] },
    ['tools[1].name: tool names must be unique, "Read" is used twice'],
  ],
  [
    { tools: [tool({ type: 'object', properties: { type: { type: 'object' } } }, { strict: undefined })] },
    [
      'tools[0].parameters: additionalProperties must be false when strict',
      'tools[0].parameters: required must include every key when strict, missing "type"',
      'tools[0].parameters.type: additionalProperties must be false when strict',
    ],
  ],
])('refuses %j', (body, violations) => {
  expect(responsesViolations({ ...hello, ...body })).toEqual(violations);
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

function post(server: FakeModelServer, body: object = hello): Promise<Response> {
  return fetch(`${server.url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) });
}
