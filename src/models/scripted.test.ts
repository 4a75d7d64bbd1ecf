import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelEvent, ModelRequest } from '../contract/model.js';
import { parseScript, type Script, scriptedModel } from './scripted.js';

const request: ModelRequest = { system: [], tools: [], messages: [] };
const noAbort = AbortSignal.timeout(60_000);

test('plays one turn for each request, in small pieces', async () => {
  const model = scriptedModel({
    turns: [
      {
        thinking: 'Hm.',
        text: 'I will look at it.',
        calls: [
          { name: 'Read', input: { file_path: 'a' } },
          { name: 'Bash', json: '{"command": "l' },
          { name: 'LS', input: {}, id: 'mine' },
        ],
        usage: { output_tokens: 7 },
      },
      { text: 'Done.', stopReason: 'max_tokens' },
    ],
  });
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  expect(await Array.fromAsync(model.stream(request, noAbort))).toEqual([
    { type: 'message_start', id: 'msg_script_1', model: 'scripted' },
    { type: 'thinking_delta', text: 'Hm.' },
    { type: 'block', block: { type: 'thinking', thinking: 'Hm.', signature: '' } },
    { type: 'text_delta', text: 'I will look ' },
    { type: 'text_delta', text: 'at it.' },
    { type: 'block', block: { type: 'text', text: 'I will look at it.' } },
    { type: 'call_start', index: 2, id: 'toolu_script_1_1', name: 'Read' },
    { type: 'call_input', index: 2, json: '{"file_path"' },
    { type: 'call_input', index: 2, json: ':"a"}' },
    { type: 'call_end', index: 2 },
    { type: 'call_start', index: 3, id: 'toolu_script_1_2', name: 'Bash' },
    { type: 'call_input', index: 3, json: '{"command": ' },
    { type: 'call_input', index: 3, json: '"l' },
    { type: 'call_end', index: 3 },
    { type: 'call_start', index: 4, id: 'mine', name: 'LS' },
    { type: 'call_input', index: 4, json: '{}' },
    { type: 'call_end', index: 4 },
    { type: 'message_end', stopReason: 'tool_use', usage: { ...usage, output_tokens: 7 } },
  ]);
  expect(await Array.fromAsync(model.stream(request, noAbort))).toEqual([
    { type: 'message_start', id: 'msg_script_2', model: 'scripted' },
    { type: 'text_delta', text: 'Done.' },
    { type: 'block', block: { type: 'text', text: 'Done.' } },
    { type: 'message_end', stopReason: 'max_tokens', usage },
  ]);
});

test('yields pieces that add up to the whole text and split no character', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
      const events = await Array.fromAsync(scriptedModel({ turns: [{ text }] }).stream(request, noAbort));
      const pieces = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});

test('reports the end of the script', async () => {
  const model = scriptedModel({ turns: [{ text: 'Only this.' }] });
  await Array.fromAsync(model.stream(request, noAbort));
  await expect(Array.fromAsync(model.stream(request, noAbort))).rejects.toMatchObject({
    kind: 'invalid_request',
    message:
      'The script has only one turn, and the conversation wants another one. Add a turn without calls at its end.',
  });
});

test('two models of one script play it independently', async () => {
  const script: Script = { name: 'twice', turns: [{ text: 'One' }] };
  const ids = async () => (await Array.fromAsync(scriptedModel(script).stream(request, noAbort)))[0];
  expect(await ids()).toEqual({ type: 'message_start', id: 'msg_script_1', model: 'twice' });
  expect(await ids()).toEqual({ type: 'message_start', id: 'msg_script_1', model: 'twice' });
});

test('stops with the reason when aborted, even between two slow deltas', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const model = scriptedModel({ turns: [{ text: 'Hello' }, { text: 'Hello' }] }, { pace: 2 ** 31 - 1 });
  const seen: ModelEvent[] = [];
  await expect(async () => {
    for await (const event of model.stream(request, controller.signal)) {
      seen.push(event);
      queueMicrotask(() => controller.abort(reason));
    }
  }).rejects.toBe(reason);
  expect(seen.map(({ type }) => type)).toEqual(['message_start']);
  await expect(Array.fromAsync(model.stream(request, controller.signal))).rejects.toBe(reason);
});

test('waits between deltas at the given pace', async () => {
  const events = await Array.fromAsync(
    scriptedModel({ turns: [{ text: 'Hello there, you' }] }, { pace: 1 }).stream(request, noAbort),
  );
  expect(events.map(({ type }) => type)).toEqual(['message_start', 'text_delta', 'text_delta', 'block', 'message_end']);
});

test('accepts a script from JSON', () => {
  const script = {
    name: 'demo',
    turns: [
      {
        thinking: 't',
        text: 'x',
        calls: [
          { name: 'Read', input: { a: 1 } },
          { name: 'LS', json: '{', id: 'i' },
        ],
      },
      { stopReason: null, usage: { input_tokens: 3 } },
    ],
  };
  expect(parseScript(script)).toEqual(script);
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'the whole: '],
  ['no turns', { name: 'x' }, 'turns: '],
  ['a misspelt field', { turns: [{ txt: 'x' }] }, 'turns[0]: Unrecognized key: "txt"'],
  ['a call without a name', { turns: [{}, { calls: [{ input: {} }] }] }, 'turns[1].calls[0].name: '],
  [
    'a call without input',
    { turns: [{ calls: [{ name: 'LS' }] }] },
    'turns[0].calls[0]: a call has either "input" or "json"',
  ],
  [
    'a call with two inputs',
    { turns: [{ calls: [{ name: 'LS', input: {}, json: '' }] }] },
    'turns[0].calls[0]: a call has either',
  ],
  ['an unknown stop reason', { turns: [{ stopReason: 'bored' }] }, 'turns[0].stopReason: '],
])('locates the error in a script with %s', (_, value, place) => {
  expect(() => parseScript(value)).toThrow(`The script can't be played (${place}`);
});
