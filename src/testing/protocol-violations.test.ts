import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protocolViolations } from './protocol-violations.js';

const mark = { cache_control: { type: 'ephemeral' } };
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'LS', input });
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...more });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const tool = (name: unknown, more: object = {}) => ({
  name,
  description: '',
  input_schema: { type: 'object' },
  ...more,
});
const body = (...messages: unknown[]) => ({ model: 'm', max_tokens: 1, messages });
const image = (media_type: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type, data } });

test('finds nothing wrong with a conversation of every kind of block', () => {
  const conversation = {
    ...body(
      { role: 'user', content: 'Hi' },
      assistant(
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
        text('Now'),
        call('a'),
        call('b'),
      ),
      user(
        result('b', { content: [text(' '), image('image/png', 'AAAA')] }),
        result('a', { content: '', ...mark }),
        text('and go on'),
        image('image/webp', 'AA=='),
      ),
      assistant(text('Paused'), { type: 'server_tool_use', id: 'srv2', name: 'web_search', input: {} }),
    ),
    system: [{ ...text('Be brief'), ...mark }],
    tools: [
      { type: 'web_search_20250305', name: 'web_search' },
      { ...tool('LS'), ...mark },
    ],
  };
  expect(protocolViolations(conversation)).toEqual([]);
});

const TEN = 'x'.repeat(10);
test.each<[string, unknown, string]>([
  ['a body that is no object', [], 'the body is not a JSON object'],
  ['no model', { ...body(user(text('x'))), model: '' }, 'model: must be a non-empty string'],
  ['no output limit', { ...body(user(text('x'))), max_tokens: 0 }, 'max_tokens: must be a positive integer'],
  ['no messages', body(), 'messages: at least one is required'],
  ['a role of its own', body({ role: 'system', content: 'x' }), 'messages.0.role: must be "user" or "assistant"'],
  ['an assistant that begins', body(assistant(text('x'))), 'messages.0: the first message must be a user message'],
  [
    'half of a pair in a text',
    body(user(text('x\ud83d'))),
    'body.messages.0.content.0.text: holds half of a surrogate pair',
  ],
  [
    'a call of a tool that can have no such name',
    body(user(text('x')), assistant({ ...call('a'), name: 'functions.LS' }), user(result('a'))),
    'messages.1.content.0.name: must match ^[a-zA-Z0-9_-]{1,64}$',
  ],
  ['empty content', body(user()), 'messages.0.content: must be non-empty'],
  ['blank content', body({ role: 'user', content: ' ' }), 'messages.0.content: must be non-empty'],
  [
    'content that is a number',
    body({ role: 'user', content: 1 }),
    'messages.0.content: must be a string or an array of blocks',
  ],
  ['a block without a type', body(user({ text: 'x' })), 'messages.0.content.0.type: is required'],
  ['an empty text', body(user(text(''))), 'messages.0.content.0.text: text blocks must contain non-whitespace text'],
  ['a blank text', body(user(text('\n'))), 'messages.0.content.0.text: text blocks must contain non-whitespace text'],
  [
    'a marked empty text',
    body(user({ ...text(''), ...mark })),
    "messages.0.content.0: cache_control can't be set on empty text blocks",
  ],
  [
    'an empty system text',
    { ...body(user(text('x'))), system: [text('')] },
    'system.0.text: text blocks must contain non-whitespace text',
  ],
  [
    'an image of another type',
    body(user(image('image/bmp', 'AAAA'))),
    'messages.0.content.0.source.media_type: must be one of image/jpeg, image/png, image/gif, image/webp',
  ],
  ['an empty image', body(user(image('image/png', ''))), 'messages.0.content.0.source.data: must be non-empty base64'],
  [
    'unsigned thinking',
    body(user(text('x')), assistant({ type: 'thinking', thinking: 't', signature: '' })),
    'messages.1.content.0.signature: is required',
  ],
  [
    'marked thinking',
    body(user(text('x')), assistant({ type: 'thinking', thinking: 't', signature: 's', ...mark })),
    "messages.1.content.0: cache_control can't be set on thinking blocks",
  ],
  [
    'thinking of the user',
    body(user({ type: 'thinking', thinking: 't', signature: 's' })),
    'messages.0.content.0: thinking blocks belong in assistant messages',
  ],
  [
    'an input that is a list',
    body(user(text('x')), assistant(call('a', [])), user(result('a'))),
    'messages.1.content.0.input: must be an object',
  ],
  [
    'an input that is missing',
    body(user(text('x')), assistant(call('a', null)), user(result('a'))),
    'messages.1.content.0.input: must be an object',
  ],
  [
    'an id with a colon',
    body(user(text('x')), assistant(call('a:b')), user(result('a:b'))),
    'messages.1.content.0.id: must match ^[a-zA-Z0-9_-]+$',
  ],
  [
    'an unanswered call',
    body(user(text('x')), assistant(call('a'), call('b')), user(result('a'))),
    'messages.2: tool_use ids without tool_result in the message right after: b',
  ],
  [
    'a call at the end',
    body(user(text('x')), assistant(call('a'))),
    'messages: the last message leaves tool_use unanswered: a',
  ],
  [
    'a late result',
    body(user(text('x')), assistant(call('a')), user(text('wait')), user(result('a'))),
    'messages.3: unexpected tool_result a, the message before has no such tool_use',
  ],
  [
    'a second result',
    body(user(text('x')), assistant(call('a')), user(result('a'), result('a'))),
    'messages.2: tool_use a has more than one tool_result',
  ],
  [
    'a result without a call',
    body(user(result('a'))),
    'messages.0: unexpected tool_result a, the message before has no such tool_use',
  ],
  [
    'a result for a server-side call',
    body(user(text('x')), assistant({ type: 'server_tool_use', id: 'a', name: 'n', input: {} }), user(result('a'))),
    'messages.2: unexpected tool_result a, the message before has no such tool_use',
  ],
  [
    'text before a result',
    body(user(text('x')), assistant(call('a')), user(text('y'), result('a'))),
    'messages.2: tool_result blocks must come before all other content',
  ],
  [
    'an id used twice',
    body(user(text('x')), assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))),
    'messages.3: tool_use ids must be unique, a is used twice',
  ],
  [
    'an empty error',
    body(user(text('x')), assistant(call('a')), user(result('a', { content: '', is_error: true }))),
    "messages.2.content.0.content: can't be empty if is_error is true",
  ],
  [
    'an empty text in a result',
    body(user(text('x')), assistant(call('a')), user(result('a', { content: [text('')] }))),
    'messages.2.content.0.content.0.text: text blocks must be non-empty',
  ],
  [
    'a call in a result',
    body(user(text('x')), assistant(call('a')), user(result('a', { content: [call('b')] }))),
    "messages.2.content.0.content.0: tool_use blocks can't be inside a result",
  ],
  [
    'a result of the assistant',
    body(user(text('x')), assistant(result('a'))),
    'messages.1.content.0: tool_result blocks belong in user messages',
  ],
  [
    'a fifth mark',
    { ...body(user(...Array(4).fill({ ...text('x'), ...mark }))), tools: [tool('LS', mark)] },
    'cache_control: at most 4 are allowed, found 5',
  ],
  [
    'a tool name with a dot',
    { ...body(user(text('x'))), tools: [tool('a.b')] },
    'tools.0.name: "a.b" does not match ^[a-zA-Z0-9_-]{1,64}$',
  ],
  [
    'a tool name that is too long',
    { ...body(user(text('x'))), tools: [tool(`${TEN.repeat(6)}12345`)] },
    `tools.0.name: "${TEN.repeat(6)}12345" does not match ^[a-zA-Z0-9_-]{1,64}$`,
  ],
  [
    'a tool named twice',
    { ...body(user(text('x'))), tools: [tool('A'), tool('A')] },
    'tools.1.name: tool names must be unique, "A" is used twice',
  ],
  [
    'a schema without a type',
    { ...body(user(text('x'))), tools: [tool('A', { input_schema: {} })] },
    'tools.0.input_schema.type: must be "object"',
  ],
  [
    'a schema of alternatives',
    { ...body(user(text('x'))), tools: [tool('A', { input_schema: { type: 'object', anyOf: [] } })] },
    'tools.0.input_schema: oneOf, anyOf and allOf are not supported at the top level',
  ],
])('refuses %s', (_, request, violation) => {
  expect(protocolViolations(request)).toContain(violation);
});

/** Rounds of calls, each with its results in any order. */
const rounds = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });

test('accepts any number of calls and results, and misses no result that is dropped or doubled', () => {
  fc.assert(
    fc.property(rounds, fc.nat(), fc.boolean(), (sizes, pick, doubled) => {
      const messages = sizes.flatMap((size, round) => {
        const ids = Array.from({ length: size }, (_, at) => `call_${round}_${at}`);
        return [assistant(...ids.map((id) => call(id))), user(...ids.map((id) => result(id)), text('go on'))];
      });
      const conversation = body(user(text('x')), ...messages);
      expect(protocolViolations(conversation)).toEqual([]);

      const broken = structuredClone(conversation);
      const place = 2 * (pick % sizes.length) + 2;
      const message = broken.messages[place] as { content: unknown[] }; // the results of that round
      message.content.splice(0, 1, ...(doubled ? [message.content[0], message.content[0]] : []));
      expect(protocolViolations(broken)).toHaveLength(1);
    }),
  );
});

test('never throws, whatever the body is', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (value, messages) => {
      expect(protocolViolations(value)).toBeInstanceOf(Array);
      expect(protocolViolations({ messages, tools: value, system: value })).not.toEqual([]);
      expect(protocolViolations(body(value, user(value), assistant({ type: 'tool_use', input: value })))).not.toEqual(
        [],
      );
    }),
  );
});
