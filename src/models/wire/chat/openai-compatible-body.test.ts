import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantBlock, Message, UserBlock } from '../../../contract/message.js';
import type { ToolDefinition } from '../../../contract/model.js';
import { chatViolations } from '../../../testing/chat-violations.js';
import { chatBodies } from './openai-compatible-body.js';
import { type Quirks, quirksOf } from './quirks.js';

const FIELDS = { model: 'm', stream: true };
const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const call = (id: string, input: unknown = {}, name = 'LS') => ({ type: 'tool_use' as const, id, name, input });
const result = (id: string, content: string | Array<typeof image | ReturnType<typeof text>>) => ({
  type: 'tool_result' as const,
  tool_use_id: id,
  content,
});
const user = (...content: UserBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: AssistantBlock[]): Message => ({ role: 'assistant', content });
const thought = (value: Record<string, unknown>, provider = 'test'): AssistantBlock => ({
  type: 'opaque',
  provider,
  value,
});
const wireCall = (id: string, args = '{}', name = 'LS') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

test('sends data about a call back with that call, and a placeholder where another provider made the first one', () => {
  const extra = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });
  const kept = (provider: string) => thought({ type: 'call_extra', ...extra('c2ln') }, provider);
  const sent = (provider: string) => {
    const body = chatBodies(FIELDS, options(quirksOf('google', ''))).write({
      system: [],
      tools: [],
      messages: [
        user(text('Look')),
        assistant(kept(provider), call('a'), call('b')),
        user(result('a', 'x'), result('b', 'y')),
      ],
    });
    return JSON.parse(body).messages[1].tool_calls;
  };
  expect(sent('test')).toEqual([{ ...wireCall('a'), ...extra('c2ln') }, wireCall('b')]);
  expect(sent('other')).toEqual([{ ...wireCall('a'), ...extra('skip_thought_signature_validator') }, wireCall('b')]);
});

test('sends system, tools and messages in the format of the API', () => {
  const tools = [{ name: 'LS', description: 'Lists', input_schema: { type: 'object', properties: {} } }];
  const body = chatBodies(FIELDS, options()).write({
    system: ['Be brief.', ' ', 'Be kind.'],
    tools,
    messages: [
      user(text('Look')),
      assistant(text('I '), text('look.'), call('a', { path: '.' }), call('b')),
      user(result('a', 'x'), result('b', ''), text('and'), text('go on')),
    ],
  });
  expect(JSON.parse(body)).toEqual({
    ...FIELDS,
    tools: [
      {
        type: 'function',
        function: { name: 'LS', description: 'Lists', parameters: { type: 'object', properties: {} } },
      },
    ],
    messages: [
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: 'I look.', tool_calls: [wireCall('a', '{"path":"."}'), wireCall('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: '(no output)' },
      { role: 'user', content: 'and\n\ngo on' },
    ],
  });
});

test.each<[string, Partial<Quirks>, Message[], unknown[]]>([
  [
    'texts as parts',
    { textAsString: false },
    [user(text('a'), text('b')), assistant(call('a')), user(result('a', 'x'), text('c'))],
    [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: '', tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'user', content: 'c' },
    ],
  ],
  [
    'null as the content of bare calls',
    { contentOfBareCalls: null },
    [assistant(call('a')), user(result('a', 'x'))],
    [
      { role: 'assistant', content: null, tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ],
  ],
  [
    'the name of the tool, and words of the assistant before the user speaks',
    { namesToolInResult: true, betweenToolAndUser: 'Understood.' },
    [assistant(call('a')), user(result('a', 'x')), user(text('Hi'))],
    [
      { role: 'assistant', content: '', tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', name: 'LS', content: 'x' },
      { role: 'assistant', content: 'Understood.' },
      { role: 'user', content: 'Hi' },
    ],
  ],
  [
    'a name that a tool can have, where the model called one that none has',
    { namesToolInResult: true },
    [assistant(call('a', {}, 'functions.Bash')), user(result('a', 'x'))],
    [
      { role: 'assistant', content: '', tool_calls: [wireCall('a', '{}', 'functions_Bash')] },
      { role: 'tool', tool_call_id: 'a', name: 'functions_Bash', content: 'x' },
    ],
  ],
  [
    'ids of nine letters and digits',
    { callId: { exactly: 9 } },
    [assistant(call('abcDEF123'), call('call_1')), user(result('abcDEF123', 'x'), result('call_1', 'y'))],
    [
      { role: 'assistant', content: '', tool_calls: [wireCall('abcDEF123'), wireCall('ID:call_1')] },
      { role: 'tool', tool_call_id: 'abcDEF123', content: 'x' },
      { role: 'tool', tool_call_id: 'ID:call_1', content: 'y' },
    ],
  ],
  [
    'reasoning with calls only, under the name that it came by',
    { reasoningBack: 'with_calls' },
    [
      assistant(thought({ field: 'reasoning', text: 'Hm.' }), call('a')),
      user(result('a', 'x')),
      assistant(thought({ field: 'reasoning', text: 'So.' }), text('Done.')),
    ],
    [
      { role: 'assistant', content: '', reasoning: 'Hm.', tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: 'Done.' },
    ],
  ],
  [
    'an empty field where reasoning must not be missing',
    { reasoningRequired: 'reasoning_content' },
    [assistant(text('I look.'), call('a')), user(result('a', 'x')), assistant(text('Done.'))],
    [
      { role: 'assistant', content: 'I look.', reasoning_content: '', tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: 'Done.' },
    ],
  ],
  [
    'all details of reasoning in their order, with every message',
    { reasoningBack: 'always' },
    [
      assistant(
        thought({ field: 'reasoning_details', details: [{ type: 'reasoning.text', text: 'Hm.' }] }),
        text('Done.'),
        thought({ field: 'reasoning_details', details: [{ type: 'reasoning.encrypted', data: 'x', id: 'y' }] }),
      ),
    ],
    [
      {
        role: 'assistant',
        content: 'Done.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.' },
          { type: 'reasoning.encrypted', data: 'x', id: 'y' },
        ],
      },
    ],
  ],
  [
    'thoughts that were parts of the content',
    { reasoningBack: 'always' },
    [assistant(thought({ field: 'content', text: 'Hm.' }), text('Done.'))],
    [{ role: 'assistant', content: [{ type: 'thinking', thinking: [text('Hm.')] }, text('Done.')] }],
  ],
  [
    'no reasoning at all',
    { reasoningBack: 'never' },
    [assistant(thought({ field: 'reasoning', text: 'Hm.' }), call('a')), user(result('a', 'x'))],
    [
      { role: 'assistant', content: '', tool_calls: [wireCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ],
  ],
])('sends %s where the server expects it', (_, quirks, messages, expected) => {
  const body = chatBodies(FIELDS, options(quirks)).write({ system: [], tools: [], messages });
  const ids: Record<string, string> = {};
  const sent = JSON.parse(body, (name, value) => {
    if ((name !== 'id' && name !== 'tool_call_id') || !/^[a-z0-9]{9}$/.test(value)) return value;
    ids[value] = value;
    return 'ID:call_1'; // a digest; whether both places have the same one is checked below
  });
  expect(sent.messages).toEqual(expected);
  expect(Object.keys(ids).length).toBeLessThanOrEqual(1);
});

test('shortens long ids so that they stay unique and details still refer to their call', () => {
  const long = (end: string) => `call_${'x'.repeat(50)}${end}`;
  const details = [{ type: 'reasoning.encrypted', id: long('a') }];
  const { messages } = written(
    [
      assistant(thought({ field: 'reasoning_details', details }), call(long('a')), call(long('b'))),
      user(result(long('a'), 'x'), result(long('b'), 'y')),
    ],
    { reasoningBack: 'always' },
  );
  const ids = messages[0].tool_calls.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id: string) => id.length === 40 && id.startsWith('call_xxx'))).toBe(true);
  expect([messages[1].tool_call_id, messages[2].tool_call_id]).toEqual(ids);
  expect(messages[0].reasoning_details[0].id).toBe(ids[0]);
});

test('moves images of results after all results, and says which result they belong to', () => {
  const { messages } = written([
    assistant(call('a', {}, 'Read'), call('b')),
    user(result('a', [image, text('A picture.')]), result('b', 'x'), text('See?')),
  ]);
  expect(messages.slice(1)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: '[The image follows in the next message.]\nA picture.' },
    { role: 'tool', tool_call_id: 'b', content: 'x' },
    { role: 'user', content: [text('[Result of Read:]'), imagePart, text('See?')] },
  ]);
});

test('omits images for a model that cannot see them, and says so', () => {
  const note = "[An image was left out, because this model can't see images.]";
  const bodies = chatBodies(FIELDS, { ...options(), seesImages: false });
  const body = bodies.write({
    system: [],
    tools: [],
    messages: [user(image, text('See?')), assistant(call('a')), user(result('a', [image]))],
  });
  expect(JSON.parse(body).messages).toEqual([
    { role: 'user', content: `${note}\n\nSee?` },
    { role: 'assistant', content: '', tool_calls: [wireCall('a')] },
    { role: 'tool', tool_call_id: 'a', content: note },
  ]);
});

test('omits blocks of other providers, and messages that are then empty', () => {
  const { messages } = written([
    user(text('go'), text(' ')),
    assistant({ type: 'thinking', thinking: 'Hm.', signature: 's' }, thought({ field: 'x', text: 'y' }, 'another')),
    user(text('and')),
    assistant(text('\n'), thought({ nonsense: true })),
    assistant(thought({ type: 'reasoning' }, 'another'), text('ok')),
    assistant(call('a', [1]), call('b', undefined)),
    user(result('a', 'x'), result('b', 'y')),
  ]);
  expect(messages).toEqual([
    { role: 'user', content: 'go' },
    { role: 'user', content: 'and' },
    { role: 'assistant', content: 'ok' },
    { role: 'assistant', content: '', tool_calls: [wireCall('a', '{"INVALID_JSON":[1]}'), wireCall('b')] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
    { role: 'tool', tool_call_id: 'b', content: 'y' },
  ]);
});

test('shows the model its own calls with its names for parameters', () => {
  const tools: ToolDefinition[] = [
    { name: 'Grep', description: 'g', input_schema: { type: 'object', properties: { '-A': { type: 'number' } } } },
  ];
  const bodies = chatBodies(FIELDS, options({ schema: { strict: false, plainNames: true } }));
  const body = JSON.parse(
    bodies.write({
      system: [],
      tools,
      messages: [assistant(call('a', { '-A': 2 }, 'Grep')), user(result('a', 'x'))],
    }),
  );
  expect(body.tools[0].function.parameters.properties).toEqual({ flag_A: { type: 'number' } });
  expect(body.messages[0].tool_calls[0].function.arguments).toBe('{"flag_A":2}');
  expect(bodies.schemaOf(tools, 'Grep')?.fromWire({ flag_A: 2 })).toEqual({ '-A': 2 });
});

test('replaces lone surrogates everywhere', () => {
  const half = '\ud83d';
  const body = chatBodies(FIELDS, options()).write({
    system: [half],
    tools: [],
    messages: [user(text(`${half}x 😀`)), assistant(call('a', { [half]: [half] })), user(result('a', half))],
  });
  expect(chatViolations(JSON.parse(body))).toEqual([]);
  expect(body).toContain('\ufffdx 😀');
});

const words = fc.string({ unit: 'binary' }).map((each) => `x${each}`);
const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: words }),
  words.map((each) => thought({ field: 'reasoning_content', text: each })),
);
const content = fc.oneof(
  words,
  fc.constant(''),
  fc.array(fc.oneof(words.map(text), fc.constant(image)), { maxLength: 3 }),
);
/** Conversations as the loop creates them: every call has its result in the next message. */
const conversation: fc.Arbitrary<Message[]> = fc
  .array(
    fc.record({
      said: fc.array(assistantBlock, { maxLength: 3 }),
      results: fc.array(content, { maxLength: 3 }),
      name: fc.oneof(words, fc.constant('LS'), fc.constant('')),
      asked: fc.array(fc.oneof(words.map(text), fc.constant(image)), { maxLength: 2 }),
    }),
    { maxLength: 5 },
  )
  .map((turns) => [
    user(text('go')),
    ...turns.flatMap(({ said, results, name, asked }, turn) => [
      assistant(...said, ...results.map((_, at) => call(`call_${turn}_${at}_${'y'.repeat(at * 20)}`, { turn }, name))),
      user(
        ...results.map((each, at) => result(`call_${turn}_${at}_${'y'.repeat(at * 20)}`, each)),
        ...asked,
        text('on'),
      ),
    ]),
  ]);
const providers = fc.constantFrom('deepseek', 'mistral', 'openrouter', 'kimi', 'unknown');

test('every body is valid, and the body of a longer conversation starts with the bytes of the earlier one', () => {
  fc.assert(
    fc.property(conversation, providers, fc.boolean(), (messages, provider, seesImages) => {
      const quirks = quirksOf(provider, 'http://127.0.0.1:9');
      const bodies = chatBodies(FIELDS, { provider: 'test', quirks, seesImages });
      let before = '';
      for (let count = 1; count <= messages.length; count += 2) {
        const body = bodies.write({ system: ['s'], tools: [], messages: messages.slice(0, count) });
        expect(chatViolations(JSON.parse(body))).toEqual([]);
        expect(body.startsWith(before)).toBe(true);
        before = body.slice(0, -']}'.length);
      }
    }),
  );
});

test('serialises each message and each list of tools only once', () => {
  let reads = 0;
  const watched = (said: string) => ({
    type: 'text' as const,
    get text() {
      reads++;
      return said;
    },
  });
  const tools = [
    {
      name: 'Read',
      get description() {
        reads++;
        return 'Reads';
      },
      input_schema: { type: 'object' },
    },
  ];
  const messages = [user(watched('one')), assistant(watched('two')), user(watched('three'))];
  const bodies = chatBodies(FIELDS, options());
  const first = bodies.write({ system: ['s'], tools, messages });
  const readsOfTheFirst = reads;
  expect(bodies.write({ system: ['s'], tools, messages: [...messages] })).toBe(first);
  expect(reads).toBe(readsOfTheFirst);
});

function options(own: Partial<Quirks> = {}) {
  return { provider: 'test', quirks: quirksOf('test', 'http://127.0.0.1:9', own), seesImages: true };
}

function written(messages: Message[], quirks: Partial<Quirks> = {}) {
  const body = JSON.parse(chatBodies(FIELDS, options(quirks)).write({ system: [], tools: [], messages }));
  expect(chatViolations(body)).toEqual([]);
  return body;
}
