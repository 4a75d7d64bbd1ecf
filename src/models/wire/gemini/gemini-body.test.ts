import { expect, test } from 'vitest';
import type { ContentBlock, Message } from '../../../contract/message.js';
import type { Effort, ModelRequest } from '../../../contract/model.js';
import { geminiViolations } from '../../../testing/gemini-violations.js';
import { builtInTools } from '../../../tools/index.js';
import { geminiBodies } from './gemini-body.js';
import { thinkingConfig } from './gemini-names.js';

const image = (media_type = 'image/png'): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data: 'iVBORw0KGgo=' },
});
const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const gemini3 = { provider: 'google', seesImages: true, isGemini3: true };

function bodyOf(request: Partial<ModelRequest>, options = gemini3): Record<string, unknown> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  return JSON.parse(geminiBodies({}, options).write({ system: [], tools: [], messages, ...request }));
}

/** The parts that stand for the result of one call. */
function resultParts(content: string | ContentBlock[], options = gemini3, is_error?: true): unknown {
  const body = bodyOf(
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: '2 odd name', input: 'cut' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content, ...(is_error && { is_error }) }] },
      ],
    },
    options,
  );
  if (options.isGemini3) expect(geminiViolations(body)).toEqual([]);
  return (body['contents'] as Array<{ parts: unknown }>).at(-1)?.parts; // the body was written above
}

const response = (fields: object) => ({ functionResponse: { id: 'c1', name: '_2_odd_name', ...fields } });

test('writes results as function responses, in the words that the API knows', () => {
  expect(resultParts('done')).toEqual([response({ response: { output: 'done' } })]);
  expect(resultParts('no', gemini3, true)).toEqual([response({ response: { error: 'no' } })]);
});

test('puts images and PDFs into the function response, or after it for older models', () => {
  const content = [{ type: 'text' as const, text: 'Here:' }, image(), image('application/pdf')];
  const pdf = { inlineData: { mimeType: 'application/pdf', data: inlineData.data } };
  expect(resultParts(content)).toEqual([response({ response: { output: 'Here:' }, parts: [{ inlineData }, pdf] })]);
  const follows = '[The image follows the results.]';
  expect(resultParts(content, { ...gemini3, isGemini3: false })).toEqual([
    response({ response: { output: `Here:\n${follows}\n${follows}` } }),
    { text: '[Result of 2 odd name:]' },
    { inlineData },
    pdf,
  ]);
});

test('replaces media that the model does not read by a sentence', () => {
  const gif = "[A file of the type image/gif was left out, because this model can't read that type.]";
  expect(resultParts([image('image/gif')])).toEqual([response({ response: { output: gif } })]);
  expect(resultParts([image()], { ...gemini3, seesImages: false })).toEqual([
    response({ response: { output: "[An image was left out, because this model can't see images.]" } }),
  ]);
});

test('writes the system prompt in parts, and leaves out what is empty', () => {
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }, image()] },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'of another vendor' }] },
    { role: 'user', content: [{ type: 'text', text: 'Half \ud83d' }] },
  ];
  expect(bodyOf({ system: ['One.', ' ', 'Two.'], messages })).toEqual({
    systemInstruction: { parts: [{ text: 'One.' }, { text: 'Two.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }, { inlineData }] },
      { role: 'user', parts: [{ text: 'Half \ufffd' }] },
    ],
  });
});

test('writes the schemas of all built-in tools as the API accepts them', () => {
  const tools = builtInTools().map(({ name, inputSchema }) => ({
    name,
    description: `About ${name}.`,
    input_schema: inputSchema,
  }));
  expect(geminiViolations(bodyOf({ tools }))).toEqual([]);
});

test('a tool without parameters has no schema', () => {
  const tools = [{ name: 'Now', description: 'The time.', input_schema: { type: 'object', properties: {} } }];
  expect(bodyOf({ tools })['tools']).toEqual([{ functionDeclarations: [{ name: 'Now', description: 'The time.' }] }]);
});

test.each<[string, Effort | undefined, unknown]>([
  ['gemini-3.8-flash', undefined, { includeThoughts: true }],
  ['gemini-3.8-flash', 'none', { includeThoughts: true, thinkingLevel: 'LOW' }],
  ['gemini-3.8-flash', 'medium', { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
  ['gemini-3.6-flash', 'none', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
  ['gemini-3.5-flash-lite', 'none', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
  ['gemini-3.1-pro-preview', 'max', { includeThoughts: true, thinkingLevel: 'HIGH' }],
  ['gemini-pro-latest', 'none', { includeThoughts: true, thinkingLevel: 'LOW' }],
  ['gemini-2.5-pro', 'none', { includeThoughts: true, thinkingBudget: 128 }],
  ['gemini-2.5-pro', 'max', { includeThoughts: true, thinkingBudget: 32_768 }],
  ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
  ['gemini-2.5-flash', 'low', { includeThoughts: true, thinkingBudget: 1024 }],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemma-4-27b', 'high', undefined],
])('the thinking of %s at %s', (name, effort, expected) => {
  expect(thinkingConfig(name, effort)).toEqual(expected);
});
