import { expect, test } from 'vitest';
import type { AgentEvent, AgentHappening } from '../../contract/event.js';
import type { AssistantBlock } from '../../contract/message.js';
import { noResult } from '../headless/finish-run.js';
import { EventLines } from './event-lines.js';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const use = (id: string) => ({ type: 'tool_use', id, name: 'LS', input: {} }) as const;
const at = (happening: AgentHappening): AgentEvent => Object.assign(happening, { at: 0 });
const called = (callId: string) => at({ type: 'tool_call', callId, tool: 'LS', input: {}, display: { title: '' } });
const said = (content: AssistantBlock[]) =>
  at({ type: 'assistant_message', message: { role: 'assistant', content }, id: 'msg_1', model: 'm' });

function newLines(): EventLines {
  const lines = new EventLines({ sessionId: 's', version: '1', apiKeySource: () => 'none' });
  lines.lines(at({ type: 'turn_start', turn: 1 }));
  lines.note({ type: 'message_start', id: 'msg_1', model: 'm' });
  return lines;
}

const contents = (lines: ReturnType<EventLines['lines']>) =>
  lines.map(({ message }) => (message as { content: unknown }).content); // assistant lines have it

test('emits a call with the blocks before it as soon as it begins, and nothing twice', () => {
  const lines = newLines();
  lines.note({ type: 'block', block: text('a') });
  lines.note({ type: 'call_end', index: 0 });
  lines.note({ type: 'block', block: text('b') });
  lines.note({ type: 'call_end', index: 1 });
  expect(contents(lines.lines(called('1')))).toEqual([[text('a'), use('1')]]);
  expect(contents(lines.lines(called('2')))).toEqual([[text('b'), use('2')]]);
  expect(lines.lines(said([text('a'), use('1'), text('b'), use('2')]))).toEqual([]);
});

test('emits the rest of an answer at its end, even if it was truncated', () => {
  const lines = newLines();
  lines.note({ type: 'block', block: text('a') });
  lines.note({ type: 'call_end', index: 0 });
  expect(contents(lines.lines(called('1')))).toEqual([[text('a'), use('1')]]);
  expect(contents(lines.lines(called('cut')))).toEqual([[use('cut')]]);
  const whole = [text('a'), use('1'), text('unfini'), use('cut')];
  expect(contents(lines.lines(said(whole)))).toEqual([[text('unfini')]]);
});

test('emits an answer without calls at its end, and drops an answer that was restarted', () => {
  const lines = newLines();
  lines.note({ type: 'block', block: text('old') });
  lines.note({ type: 'restart' });
  lines.note({ type: 'block', block: text('new') });
  expect(contents(lines.lines(said([text('new')])))).toEqual([[text('new')]]);
});

test('reports the usage of each model, and compaction', () => {
  const lines = newLines();
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };
  const models = [
    { provider: 'a', name: 'm', usage, costUsd: 0.5, contextTokens: 200_000, maxOutputTokens: 8_000 },
    { provider: 'b', name: 'm', usage, costUsd: null },
    { provider: 'b', name: 'n', usage, costUsd: 0 },
  ];
  const result = lines.result({ ...noResult('x', { interrupted: false }), failed: false, models });
  expect(Object.keys(result['modelUsage'] ?? {})).toEqual(['a/m', 'b/m', 'n']);
  expect(result['modelUsage']).toMatchObject({
    'a/m': {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadInputTokens: 3,
      cacheCreationInputTokens: 4,
      webSearchRequests: 0,
      costUSD: 0.5,
      contextWindow: 200_000,
      maxOutputTokens: 8_000,
    },
    'b/m': { costUSD: 0, costIsKnown: false, contextWindow: 0, maxOutputTokens: 0 },
  });
  const compaction = at({
    type: 'compaction',
    trigger: 'auto',
    tokensBefore: 9,
    tokensAfter: 2,
    clearedResults: 0,
    summarisedMessages: 3,
    usage,
  });
  expect(lines.lines(compaction)).toMatchObject([
    {
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 9, post_tokens: 2 },
      session_id: 's',
    },
  ]);
});

test('messages of a child agent name the call that started it, at any depth', () => {
  const lines = newLines();
  const inChild = (parentCallId: string, event: AgentEvent) =>
    at({ type: 'agent_event', agentId: 'a1', agentType: 'Explore', parentCallId, event });
  const told = [
    inChild('top', said([text('a'), use('1')])),
    inChild('top', inChild('1', said([text('b')]))),
    inChild('top', at({ type: 'user_message', message: { role: 'user', content: [text('c')] } })),
    inChild('top', at({ type: 'text_delta', text: 'd' })),
  ].flatMap((event) => lines.lines(event));
  expect(told.map(({ type, parent_tool_use_id }) => [type, parent_tool_use_id])).toEqual([
    ['assistant', 'top'],
    ['assistant', '1'],
    ['user', 'top'],
  ]);
  expect(contents(lines.lines(said([text('own')])))).toEqual([[text('own')]]); // nothing of it counts as emitted
});
