import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantBlock, Message, UserBlock } from '../../../contract/message.js';
import type { ModelRequest } from '../../../contract/model.js';
import { responsesViolations } from '../../../testing/responses-violations.js';
import { responsesBodies } from './openai-responses-body.js';

const FIELDS = { model: 'gpt-test', store: false, stream: true };
const write = (request: Partial<ModelRequest>, seesImages = true) =>
  JSON.parse(responsesBodies(FIELDS, { seesImages })({ system: [], tools: [], messages: [], ...request }));

const user = (...content: UserBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: AssistantBlock[]): Message => ({ role: 'assistant', content });
const opaque = (value: Record<string, unknown>, provider = 'openai'): AssistantBlock => ({
  type: 'opaque',
  provider,
  value,
});
const text = (words: string) => ({ type: 'text' as const, text: words });
const callOf = (id: string): AssistantBlock => ({ type: 'tool_use', id, name: 'Read', input: { path: id } });
const resultOf = (id: string): UserBlock => ({ type: 'tool_result', tool_use_id: id, content: 'x' });

const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'ZW5j' };
const frame = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' };
const output = (words: string) => [{ type: 'output_text', text: words, annotations: [] }];
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'Read', arguments: `{"path":"${id}"}` });
const unframed = { type: 'message', role: 'assistant', content: 'So.' };

const histories: ReadonlyArray<[name: string, content: AssistantBlock[], items: unknown[]]> = [
  ['words', [text('So.')], [unframed]],
  ['reasoning before a call', [opaque(reasoning), callOf('a')], [reasoning, call('a')]],
  [
    'reasoning before words, which keep their id then',
    [opaque(reasoning), opaque(frame), text('So.')],
    [reasoning, { ...frame, content: output('So.') }],
  ],
  [
    'the phase of words without reasoning, but not their id',
    [opaque({ ...frame, phase: 'commentary' }), text('So.')],
    [{ ...unframed, phase: 'commentary' }],
  ],
  [
    'reasoning before a tool of the server',
    [opaque(reasoning), opaque({ type: 'mcp_call' })],
    [reasoning, { type: 'mcp_call' }],
  ],
  [
    'all of several reasoning items in a row',
    [opaque(reasoning), opaque({ ...reasoning, id: 'rs_2' }), callOf('a')],
    [reasoning, { ...reasoning, id: 'rs_2' }, call('a')],
  ],
  ['no reasoning whose next item never came', [callOf('a'), opaque(reasoning)], [call('a')]],
  ['no reasoning whose next words were cut off', [opaque(reasoning), text('So.')], [unframed]],
  [
    'no reasoning that only refers to what the server has not stored, nor the id of the words after it',
    [opaque({ ...reasoning, encrypted_content: null }), opaque(frame), text('So.')],
    [unframed],
  ],
  [
    'reasoning in plain text',
    [opaque({ id: 'rs_1', type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] }), callOf('a')],
    [{ id: 'rs_1', type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }] }, call('a')],
  ],
  [
    'nothing of another provider',
    [
      { type: 'thinking', thinking: 'Hm', signature: 'x' },
      opaque({ type: 'redacted_thinking' }, 'anthropic'),
      callOf('a'),
    ],
    [call('a')],
  ],
  [
    'no call of a tool that was not offered, which would stay unanswered',
    [opaque(reasoning), opaque({ type: 'custom_tool_call', call_id: 'c' }), opaque({ type: 'mcp_approval_request' })],
    [],
  ],
  ['nothing of the other interface of the vendor', [opaque({ reasoning_content: 'Hm' }), callOf('a')], [call('a')]],
  [
    'the arguments and the name of a call as the API takes them',
    [{ type: 'tool_use', id: 'a', name: 'functions.Read', input: { 'k\udc00': 'a\ud83d' } }],
    [{ type: 'function_call', call_id: 'a', name: 'functions_Read', arguments: '{"k\ufffd":"a\ufffd"}' }],
  ],
  ['lone surrogates replaced', [text('a\ud83d')], [{ ...unframed, content: 'a\ufffd' }]],
];

test.each(histories)('sends back %s', (_, content, items) => {
  expect(write({ messages: [assistant(...content)] }).input).toEqual(items);
});

const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
const inputImage = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' };

test("sends results before the user's text, with images in both", () => {
  const messages = [
    user(
      { type: 'tool_result', tool_use_id: 'a', content: 'plain' },
      { type: 'tool_result', tool_use_id: 'b', content: [text('see'), image], is_error: true },
      { type: 'tool_result', tool_use_id: 'c', content: [] },
      text('And this?'),
      image,
    ),
  ];
  expect(write({ messages }).input).toEqual([
    { type: 'function_call_output', call_id: 'a', output: 'plain' },
    { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'see' }, inputImage] },
    { type: 'function_call_output', call_id: 'c', output: '' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And this?' }, inputImage] },
  ]);
});

test('tells a model that cannot see images that one was omitted', () => {
  const [message] = write({ messages: [user(image)] }, false).input;
  expect(message.content).toEqual([{ type: 'input_text', text: expect.stringContaining('image was left out') }]);
});

test('sends the system prompt as instructions, and tools in a flat list', () => {
  const closed = {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  };
  const open = {
    type: 'object',
    properties: { path: { type: 'string' }, limit: { type: 'number' } },
    required: ['path'],
  };
  const choice = { $schema: 'x', anyOf: [open, closed] };
  const tools = [closed, open, choice].map((input_schema, at) => ({
    name: `T${at}`,
    description: 'Does.',
    input_schema,
  }));
  const { instructions, tools: sent } = write({ system: ['Be', '', 'brief'], tools });
  expect(instructions).toBe('Be\n\nbrief');
  expect(sent).toEqual([
    { type: 'function', name: 'T0', description: 'Does.', parameters: closed, strict: true },
    { type: 'function', name: 'T1', description: 'Does.', parameters: open, strict: false },
    {
      type: 'function',
      name: 'T2',
      description: 'Does.',
      parameters: { type: 'object', properties: {} },
      strict: false,
    },
  ]);
});

const half = fc.constantFrom('\ud83d', '\ude00');
const words = fc.string({ unit: fc.oneof(half, fc.string({ unit: 'binary' })) }).map((content) => `x${content}`);
const anyBlock: fc.Arbitrary<readonly AssistantBlock[]> = fc.oneof(
  words.map((content) => [text(content)]),
  fc.constant([{ type: 'thinking' as const, thinking: 'Hm', signature: 'x' }]),
  fc.constantFrom([opaque(reasoning)], [opaque(frame)], [opaque({ ...reasoning, encrypted_content: null })]),
  fc.constant([opaque(reasoning), opaque(frame), text('So.')]),
  fc.constantFrom([opaque({ type: 'web_search_call' })], [opaque({ type: 'custom_tool_call', call_id: 'c' })]),
);
/** Conversations as a loop may leave them after any truncation: every call has its result in the next message. */
const conversation: fc.Arbitrary<Message[]> = fc
  .array(fc.record({ blocks: fc.array(anyBlock), calls: fc.nat(3), said: words }), { minLength: 1, maxLength: 6 })
  .map((turns) => [
    user(text('Go')),
    ...turns.flatMap(({ blocks, calls, said }, turn) => {
      const ids = Array.from({ length: calls }, (_, at) => `call_${turn}_${at}`);
      return [assistant(...blocks.flat(), ...ids.map(callOf)), user(...ids.map(resultOf), text(said))];
    }),
  ]);

test('replaces lone surrogates in descriptions of tools', () => {
  const input_schema = { type: 'object', properties: { path: { type: 'string', description: 'p\ud83d' } } };
  const body = write({
    tools: [{ name: 'Read', description: 'Reads\ud83d', input_schema }],
    messages: [user(text('Go'))],
  });
  expect(body.tools[0]).toMatchObject({ description: 'Reads\ufffd' });
  expect(responsesViolations(body)).toEqual([]);
});

test('follows the protocol for any truncation of an answer', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(responsesViolations(write({ messages }))).toEqual([]);
    }),
  );
});

test('keeps every byte of earlier requests', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const body = responsesBodies(FIELDS, { seesImages: true });
      let before = '';
      for (let count = 1; count <= messages.length; count += 1) {
        const bytes = body({ system: ['s'], tools: [], messages: messages.slice(0, count) }).slice(0, -']}'.length);
        expect(bytes.startsWith(before)).toBe(true);
        before = bytes;
      }
    }),
  );
});

test('serialises each message and each list of tools only once', () => {
  let reads = 0;
  const counted = {
    type: 'text' as const,
    get text() {
      reads += 1;
      return 'Hi';
    },
  };
  const tool = {
    name: 'Read',
    description: 'Reads.',
    get input_schema() {
      reads += 1;
      return { type: 'object' };
    },
  };
  const body = responsesBodies(FIELDS, { seesImages: true });
  const request = { system: [], tools: [tool], messages: [user(counted), assistant(counted)] };
  const first = body(request);
  const afterFirst = reads;
  expect(body({ ...request, messages: [...request.messages] })).toBe(first);
  expect(reads).toBe(afterFirst);
});
