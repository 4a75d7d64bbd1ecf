import { afterEach, expect, test } from 'vitest';
import { chatFormat } from './chat-format.js';
import { type FakeModelServer, startFakeModelServer } from './fake-model-server.js';

let server: FakeModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

const hello = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] };

test('renders an answer chunk by chunk', () => {
  const chunks = chatFormat
    .events({ thinking: { text: 'Hm.', signature: '' }, text: 'Hello there', calls: [{ name: 'LS', input: {} }] }, 3)
    .map((event) => event.slice('data: '.length).trim());
  expect(chunks.at(-1)).toBe('[DONE]');
  const [usage, ...rest] = chunks
    .slice(0, -1)
    .map((chunk) => JSON.parse(chunk))
    .toReversed();
  expect(rest.toReversed().map(({ choices }) => choices[0])).toMatchObject([
    { delta: { role: 'assistant', content: '' }, finish_reason: null },
    { delta: { reasoning_content: 'Hm.' } },
    { delta: { content: 'Hello th' } },
    { delta: { content: 'ere' } },
    {
      delta: {
        tool_calls: [{ index: 0, id: 'call_fake_3_1', type: 'function', function: { name: 'LS', arguments: '' } }],
      },
    },
    { delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } },
    { delta: {}, finish_reason: 'tool_calls' },
  ]);
  expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
});

test('leaves out the listed parts', () => {
  expect(chatFormat.events({ text: 'x', omit: ['role', 'usage', 'finish'] }, 1)).toHaveLength(2);
});

test('is what the server speaks at its path, in answers, refusals and errors', async () => {
  server = await startFakeModelServer([{ text: 'One' }, { raw: 'data: as it is\n\n' }, { status: 500 }]);
  const post = async (body: object) => {
    const response = await fetch(`${server?.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    return await response.text();
  };
  expect(await post(hello)).toBe(chatFormat.events({ text: 'One' }, 1).join(''));
  expect(await post(hello)).toBe('data: as it is\n\n');
  expect(JSON.parse(await post(hello))).toEqual({
    error: { message: 'Fake error', type: 'api_error', param: null, code: null },
  });
  expect(JSON.parse(await post({ ...hello, messages: [] }))).toEqual({
    error: { message: 'messages: at least one is required', type: 'invalid_request_error', param: null, code: null },
  });
});
