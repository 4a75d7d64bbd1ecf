import { expect, test } from 'vitest';
import { chatViolations } from './chat-violations.js';

const hello = { role: 'user', content: 'Hi' };
const call = (id: string, text = '{}') => ({ id, type: 'function', function: { name: 'LS', arguments: text } });
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const tool = (name: string, parameters: object = { type: 'object' }, more = {}) => ({
  type: 'function',
  function: { name, parameters, ...more },
});

test('finds nothing wrong with a request that keeps to the protocol', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
    calls('a', 'b'),
    answer('b'),
    answer('a'),
    { role: 'assistant', content: 'Done.' },
    hello,
  ];
  expect(chatViolations({ model: 'm', max_tokens: 5, tools: [tool('LS')], messages })).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['no object', 'x', 'the body is not a JSON object'],
  ['no model', { model: '', messages: [hello] }, 'model: must be a non-empty string'],
  ['no messages', { model: 'm', messages: [] }, 'messages: at least one is required'],
  ['a bad limit', { max_tokens: 0 }, 'max_tokens: must be a positive integer'],
  [
    'two limits',
    { max_tokens: 1, max_completion_tokens: 1 },
    "max_tokens: can't be set together with max_completion_tokens",
  ],
  ['an empty list of tools', { tools: [] }, 'tools: must be an array with at least one tool'],
  [
    'too many tools',
    { tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) },
    'tools: at most 128 are allowed, found 129',
  ],
  ['a bad name', { tools: [tool('a b')] }, 'tools.0.function.name: "a b" does not match ^[a-zA-Z0-9_-]{1,64}$'],
  ['a name twice', { tools: [tool('a'), tool('a')] }, 'tools.1.function.name: "a" is used twice'],
  [
    'parameters that are no object',
    { tools: [tool('a', { type: 'string' })] },
    'tools.0.function.parameters.type: must be "object"',
  ],
  [
    'a strict schema that is open',
    { tools: [tool('a', { type: 'object', properties: {} }, { strict: true })] },
    'tools.0.function.parameters: additionalProperties must be false',
  ],
  [
    'a strict schema with an optional property inside',
    {
      tools: [
        tool(
          'a',
          {
            type: 'object',
            properties: { b: { type: 'object', properties: { c: {} }, additionalProperties: false } },
            required: ['b'],
            additionalProperties: false,
          },
          { strict: true },
        ),
      ],
    },
    'tools.0.function.parameters.properties.b.required: lacks c',
  ],
  ['a choice without tools', { tool_choice: 'auto' }, 'tool_choice: is only allowed when tools are given'],
  ['half a character', { messages: [{ role: 'user', content: '\ud83d' }] }, 'the body holds half of a surrogate pair'],
  [
    'a strange role',
    { messages: [{ role: 'bot', content: 'x' }] },
    'messages.0.role: must be "system", "developer", "user", "assistant" or "tool"',
  ],
  ['an empty message', { messages: [{ role: 'user', content: '' }] }, 'messages.0.content: must be non-empty'],
  [
    'an empty answer',
    { messages: [hello, { role: 'assistant', content: null }] },
    'messages.1.content: must be a non-empty string or array of parts',
  ],
  [
    'an image in an answer to a call',
    { messages: [calls('a'), { ...answer('a'), content: [{ type: 'image_url' }] }] },
    'messages.1.content.0.type: must be one of text',
  ],
  [
    'no calls in the list',
    { messages: [{ role: 'assistant', tool_calls: [] }] },
    'messages.0.tool_calls: must be a non-empty array',
  ],
  [
    'an id that is too long',
    { messages: [calls('x'.repeat(41)), answer('x'.repeat(41))] },
    'messages.0.tool_calls.0.id: must be a string of 1 to 40 characters',
  ],
  [
    'arguments that are no JSON',
    { messages: [{ role: 'assistant', tool_calls: [call('a', '{')] }, answer('a')] },
    'messages.0.tool_calls.0.function.arguments: must be the JSON text of an object',
  ],
  [
    'a call of a tool whose name no tool can have',
    {
      messages: [
        { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'functions.LS', arguments: '{}' } }] },
        answer('a'),
      ],
    },
    'messages.0.tool_calls.0.function.name: "functions.LS" does not match ^[a-zA-Z0-9_-]{1,64}$',
  ],
  [
    'an answer in a name that no tool can have',
    { messages: [calls('a'), { ...answer('a'), name: 'foo bar!' }] },
    'messages.1.name: "foo bar!" does not match ^[a-zA-Z0-9_-]{1,64}$',
  ],
  ['a call without an answer', { messages: [calls('a')] }, 'messages: the last one leaves a unanswered'],
  [
    'words before the answer',
    { messages: [calls('a'), hello, answer('a')] },
    'messages.1: comes before the answers to a',
  ],
  [
    'an answer without a call',
    { messages: [hello, answer('a')] },
    'messages.1: messages with role "tool" must follow a message with the tool_call a',
  ],
  [
    'two answers to a call',
    { messages: [calls('a'), answer('a'), answer('a')] },
    'messages.2: a has more than one answer',
  ],
  ['two calls with one id', { messages: [calls('a', 'a'), answer('a')] }, 'messages.0.tool_calls: ids must be unique'],
])('says what is wrong with %s', (_, body, violation) => {
  const whole = typeof body === 'object' ? { model: 'm', messages: [hello], ...body } : body;
  expect(chatViolations(whole)).toContain(violation);
});
