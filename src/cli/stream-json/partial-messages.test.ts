import { expect, test } from 'vitest';
import type { ModelEvent } from '../../contract/model.js';
import { PartialMessages } from './partial-messages.js';

const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

const rawOf = (events: readonly ModelEvent[]) => {
  const partial = new PartialMessages();
  return events.flatMap((event) => partial.events(event));
};

const start = { type: 'message_start', id: 'msg_1', model: 'm' } as const;

test('gives each kind of block its index and its deltas', () => {
  const raw = rawOf([
    start,
    { type: 'thinking_delta', text: 'Hm' },
    { type: 'block', block: { type: 'thinking', thinking: 'Hm', signature: 'sig' } },
    { type: 'text_delta', text: 'A' },
    { type: 'text_delta', text: 'B' },
    { type: 'block', block: { type: 'text', text: 'AB' } },
    { type: 'block', block: { type: 'opaque', provider: 'x', value: { type: 'server_tool_use', id: 's' } } },
    { type: 'call_start', index: 7, id: 'toolu_1', name: 'LS' },
    { type: 'call_input', index: 7, json: '{}' },
    { type: 'call_end', index: 7 },
    { type: 'message_end', stopReason: 'tool_use', usage },
  ]);
  expect(raw).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'A' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'B' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'server_tool_use', id: 's' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'LS', input: {} },
    },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
});

test('sends a block that arrived in one piece whole', () => {
  const raw = rawOf([start, { type: 'block', block: { type: 'text', text: 'AB' } }]);
  expect(raw.slice(1)).toEqual([
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'AB' } },
    { type: 'content_block_stop', index: 0 },
  ]);
});

test('starts over when an answer starts over', () => {
  const raw = rawOf([
    start,
    { type: 'text_delta', text: 'A' },
    { type: 'restart' },
    start,
    { type: 'text_delta', text: 'B' },
  ]);
  expect(raw.slice(3).map(({ type, index }) => [type, index])).toEqual([
    ['message_start', undefined],
    ['content_block_start', 0],
    ['content_block_delta', 0],
  ]);
});

test('keeps the inputs of concurrent calls separate', () => {
  const raw = rawOf([
    start,
    { type: 'call_start', index: 0, id: 'a', name: 'LS' },
    { type: 'call_start', index: 1, id: 'b', name: 'LS' },
    { type: 'call_input', index: 0, json: 'A' },
    { type: 'call_input', index: 1, json: 'B' },
  ]);
  expect(raw.slice(3).map(({ index, delta }) => [index, delta])).toEqual([
    [0, { type: 'input_json_delta', partial_json: 'A' }],
    [1, { type: 'input_json_delta', partial_json: 'B' }],
  ]);
});
