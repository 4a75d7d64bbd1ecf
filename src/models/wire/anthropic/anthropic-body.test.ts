import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantBlock, Message, UserBlock } from '../../../contract/message.js';
import type { ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { startFakeModelServer } from '../../../testing/fake-model-server.js';
import { protocolViolations } from '../../../testing/protocol-violations.js';
import { wellFormedJson } from '../well-formed-json.js';
import { anthropicModel } from './anthropic.js';
import { anthropicBodies as bodiesInPieces } from './anthropic-body.js';

const MARK = ',"cache_control":{"type":"ephemeral"}';

/** Whole bodies. */
const anthropicBodies: (...args: Parameters<typeof bodiesInPieces>) => (request: ModelRequest) => string = (
  ...args
) => {
  const write = bodiesInPieces(...args);
  return (request) => Buffer.concat(write(request)).toString();
};

const FIELDS = { model: 'claude-test', max_tokens: 10, stream: true };
const mark = { cache_control: { type: 'ephemeral' } };

const half = fc.constantFrom('\ud83d', '\ude00');
const words = fc.string({ unit: fc.oneof(half, fc.string({ unit: 'binary' })) }).map((text) => `x${text}`); // controls too
const userBlock: fc.Arbitrary<UserBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.constant({ type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } }),
);
const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: words }),
  fc.record({
    type: fc.constant('opaque' as const),
    provider: fc.constant('anthropic'),
    value: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 })).map((fields) => ({ type: 'dream', ...fields })),
  }),
);
const tool: fc.Arbitrary<ToolDefinition> = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}$/),
  description: words,
  input_schema: fc.constant({ type: 'object', properties: { path: { type: 'string' } } }),
});
/** A conversation without calls: user and assistant alternate, ending with the user. */
const conversation: fc.Arbitrary<Message[]> = fc
  .array(fc.tuple(fc.array(userBlock, { minLength: 1 }), fc.array(assistantBlock, { minLength: 1 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((turns) =>
    turns
      .flatMap(([user, assistant]): Message[] => [
        { role: 'user', content: user },
        { role: 'assistant', content: [...assistant, { type: 'text', text: 'end' }] },
      ])
      .slice(0, -1),
  );

test('writes the same JSON as a straightforward serialisation', () => {
  fc.assert(
    fc.property(fc.array(words), fc.array(tool), conversation, (system, tools, messages) => {
      const body = anthropicBodies(FIELDS)({ system, tools, messages });
      expect(body).toBe(wellFormedJson(straightforward({ system, tools, messages })));
      expect(protocolViolations(JSON.parse(body)).filter((violation) => /surrogate/.test(violation))).toEqual([]);
    }),
  );
});

test('writes the same body regardless of earlier ones: other branches, rewound and other conversations', () => {
  fc.assert(
    fc.property(conversation, conversation, fc.array(fc.tuple(fc.boolean(), fc.nat(5))), (one, other, requests) => {
      const branch = [...one.slice(0, 3), ...other.slice(1)];
      const write = bodiesInPieces(FIELDS);
      const sent = requests.map(([isBranch, turn]) => {
        const messages = (isBranch ? branch : one).slice(0, turn * 2 + 1);
        const pieces = write({ system: ['s'], tools: [], messages });
        return { pieces, whole: anthropicBodies(FIELDS)({ system: ['s'], tools: [], messages }) };
      });
      for (const { pieces, whole } of sent) expect(Buffer.concat(pieces).toString()).toBe(whole);
    }),
  );
});

test('keeps every byte of earlier requests, except for the moving cache marks', () => {
  fc.assert(
    fc.property(fc.array(words), fc.array(tool), conversation, (system, tools, messages) => {
      const write = anthropicBodies(FIELDS);
      let before = '';
      for (let count = 1; count <= messages.length; count += 2) {
        const body = write({ system, tools, messages: messages.slice(0, count) });
        const bytes = body.replaceAll(MARK, '').slice(0, -']}'.length);
        expect(bytes.startsWith(before)).toBe(true);
        before = bytes;
      }
    }),
  );
});

test('serialises each message and each list of tools only once', () => {
  let reads = 0;
  const watched = (text: string) => ({
    type: 'text' as const,
    get text() {
      reads++;
      return text;
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
  const messages: Message[] = [
    { role: 'user', content: [watched('one')] },
    { role: 'assistant', content: [watched('two')] },
    { role: 'user', content: [watched('three')] },
  ];
  const write = anthropicBodies(FIELDS);
  const first = write({ system: ['s'], tools, messages });
  const readsOfTheFirst = reads;
  expect(write({ system: ['s'], tools, messages: [...messages] })).toBe(first);
  expect(reads).toBe(readsOfTheFirst);
});

test('marks the last tool, the last system block and the last two user messages, and never more', () => {
  const result = (id: string): Message => ({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: id, content: 'ok' },
      { type: 'text', text: 'and' },
    ],
  });
  const call = (id: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'LS', input: {} }],
  });
  const tools = ['A', 'B'].map((name) => ({ name, description: name, input_schema: { type: 'object' } }));
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    call('1'),
    result('1'),
    call('2'),
    result('2'),
  ];
  const body = JSON.parse(anthropicBodies(FIELDS)({ system: ['s', 't'], tools, messages }));
  expect(body).toEqual({
    ...FIELDS,
    tools: [tools[0], { ...tools[1], ...mark }],
    system: [
      { type: 'text', text: 's' },
      { type: 'text', text: 't', ...mark },
    ],
    messages: [
      messages[0],
      messages[1],
      { role: 'user', content: [messages[2]?.content[0], { type: 'text', text: 'and', ...mark }] },
      messages[3],
      { role: 'user', content: [messages[4]?.content[0], { type: 'text', text: 'and', ...mark }] },
    ],
  });
  expect(protocolViolations(body)).toEqual([]);
});

test('leaves out blocks that the API would refuse', () => {
  const messages: Message[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'go' },
        { type: 'text', text: ' \n' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'cut off', signature: '' },
        { type: 'text', text: '\n\n' },
        { type: 'opaque', provider: 'another', value: { type: 'reasoning' } },
        { type: 'opaque', provider: 'anthropic', value: { reasoning_content: 'hm' } },
        { type: 'tool_use', id: 'a', name: 'functions.LS', input: [1] },
        { type: 'tool_use', id: 'b', name: 'LS', input: undefined },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'x' },
          ],
          is_error: true,
        },
        { type: 'tool_result', tool_use_id: 'b', content: '', is_error: false },
      ],
    },
    { role: 'assistant', content: [{ type: 'opaque', provider: 'another', value: { type: 'reasoning' } }] },
    { role: 'user', content: [{ type: 'text', text: 'and' }] },
  ];
  const body = JSON.parse(anthropicBodies(FIELDS)({ system: [''], tools: [], messages }));
  expect(body).toEqual({
    ...FIELDS,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'functions_LS', input: { INVALID_JSON: [1] } },
          { type: 'tool_use', id: 'b', name: 'LS', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }], is_error: true },
          { type: 'tool_result', tool_use_id: 'b', content: '', ...mark },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and', ...mark }] },
    ],
  });
  expect(protocolViolations(body)).toEqual([]);
});

test('keeps the bytes of earlier messages on the wire, request after request', async () => {
  const server = await startFakeModelServer((_, number) => ({
    thinking: { text: `thought ${number}`, signature: `sig${number}` },
    text: 'größer 😀',
  }));
  const model = anthropicModel({
    name: 'claude-test',
    baseUrl: server.url,
    body: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    serverTools: [{ type: 'web_search_20250305', name: 'web_search' }],
  });
  const tools = [{ name: 'Read', description: 'Reads', input_schema: { type: 'object' } }];
  const messages: Message[] = [];
  for (let turn = 0; turn < 5; turn++) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `question ${turn}` }] });
    const events = await Array.fromAsync(
      model.stream({ system: ['Be brief.'], tools, messages: [...messages] }, AbortSignal.timeout(60_000)),
    );
    messages.push({
      role: 'assistant',
      content: events.flatMap((event) => (event.type === 'block' ? [event.block] : [])),
    });
  }
  await server.close();
  const sent = server.requests.map(({ text }) => text.replaceAll(MARK, '').slice(0, -']}'.length));
  expect(sent).toHaveLength(5);
  for (const [at, text] of sent.entries()) expect(sent[at + 1]?.startsWith(text) ?? true).toBe(true);
  expect(server.requests[4]?.text.split(MARK)).toHaveLength(1 + 4);
  expect(server.requests[4]?.body).toMatchObject({
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [{ type: 'web_search_20250305', name: 'web_search' }, { name: 'Read' }],
  });
});

/** The body as one object, built the plain way. */
function straightforward({ system, tools, messages }: ModelRequest): unknown {
  const isMarkedUser = (at: number) =>
    messages[at]?.role === 'user' && messages.slice(at).filter(({ role }) => role === 'user').length <= 2;
  const markLast = (items: readonly object[]) =>
    items.map((item, at) => (at === items.length - 1 ? { ...item, ...mark } : item));
  return {
    ...FIELDS,
    ...(tools.length > 0 && { tools: markLast(tools) }),
    ...(system.length > 0 && { system: markLast(system.map((text) => ({ type: 'text', text }))) }),
    messages: messages.map(({ role, content }, at) => {
      const blocks = content.map((block) => (block.type === 'opaque' ? block.value : block));
      return { role, content: isMarkedUser(at) ? markLast(blocks) : blocks };
    }),
  };
}

test('never ends an assistant message with thinking, as a truncated answer may', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' } as const;
  const said = { type: 'text', text: 'ok' } as const;
  const body = JSON.parse(
    anthropicBodies(FIELDS)({
      system: [],
      tools: [],
      messages: [
        { role: 'user', content: [said] },
        { role: 'assistant', content: [thinking, said, thinking, thinking] },
        { role: 'user', content: [said] },
        { role: 'assistant', content: [thinking] },
        { role: 'user', content: [said] },
      ],
    }),
  );
  expect(
    body.messages.map(({ content }: { content: Array<{ type: string }> }) => content.map(({ type }) => type)),
  ).toEqual([['text'], ['thinking', 'text'], ['text'], ['text']]);
});
