import { expect, test } from 'vitest';
import { noUsage } from '../../agent/usage.js';
import type { AgentHappening } from '../../contract/event.js';
import { CurrentStep } from './current-step.js';
import { RetryLine } from './retry-line.js';

const families = { Shell: 'command', Change: 'edit', Helper: 'agent' } as const;

const call = (callId: string, tool: string, title: string, looks?: 'read' | 'search'): AgentHappening[] => [
  { type: 'tool_call', callId, tool, input: {}, display: { title, ...(looks && { looks }) } },
  { type: 'tool_start', callId, tool },
];

function stepAfter(...events: AgentHappening[]) {
  const step = new CurrentStep({ familyOf: (tool) => families[tool as keyof typeof families] }); // or undefined
  for (const event of events) step.take(event);
  return step;
}

test.each([
  ['Running npm test', [...call('a', 'Shell', 'npm test')]],
  ['Reading src/a.ts', [...call('a', 'Look', 'src/a.ts', 'read')]],
  ['Reading 2 files', [...call('a', 'Look', 'a', 'read'), ...call('b', 'Look', 'b', 'read')]],
  ['Editing src/a.ts', [...call('a', 'Change', 'src/a.ts')]],
  ['Waiting for 1 agent', [...call('a', 'Helper', 'x')]],
  ['Running 2 calls', [...call('a', 'Look', 'a', 'read'), ...call('b', 'Shell', 'b')]],
  ['Thinking', [{ type: 'thinking_delta' as const, text: '' }]],
  ['Writing', [{ type: 'text_delta' as const, text: '' }]],
])('says %s', (words, events) => {
  expect(stepAfter(...events).words).toBe(words);
});

test("a command has the model's description, or a short form of itself", () => {
  const run = (input: unknown, title: string): string | undefined =>
    stepAfter(
      { type: 'tool_call', callId: 'a', tool: 'Shell', input, display: { title } },
      { type: 'tool_start', callId: 'a', tool: 'Shell' },
    ).words;
  const command = 'for i in 1 2 3 4 5 6 7 8; do echo step $i; sleep 1; done';
  expect(run({ command, description: 'Slow steps' }, command)).toBe('Running: Slow steps');
  expect(run({ command, description: ' ' }, command)).toBe('Running for i in 1 2 3 4 5 6 7 8; do echo step…');
});

test('the words of a call end with it', () => {
  const result = { type: 'tool_result' as const, tool_use_id: 'a', content: '' };
  const step = stepAfter({ type: 'turn_start', turn: 1 }, ...call('a', 'Shell', 'npm test'), {
    type: 'tool_result',
    callId: 'a',
    tool: 'Shell',
    result,
    display: { title: '' },
  });
  expect(step.words).toBeUndefined();
  expect(step.runsCommand).toBe(false);
});

const retry = (attempt: number, reason = 'Anthropic is overloaded (529).'): AgentHappening => ({
  type: 'model_retry',
  ...{ attempt, maxRetries: 10, waitMs: 4_000, reason, provider: 'a', model: 'b' },
});

test('a retry counts down, and is forgotten when the answer comes', () => {
  let now = 0;
  const line = new RetryLine({ now: () => now, model: () => 'a/b' });
  expect(line.take(retry(2))).toBeUndefined();
  expect(line.words).toEqual({ when: 'Retrying in 4 s (2 of 10)', why: 'Anthropic is overloaded (529)' });
  now = 3_500;
  expect(line.words?.when).toContain('Retrying in 1 s');
  now = 5_000;
  expect(line.words?.when).toContain('Retrying now');
  expect(line.take({ type: 'text_delta', text: 'a' })).toBeUndefined();
  expect(line.words).toBeUndefined();
});

test('one sentence remains of many retries', () => {
  const line = new RetryLine({ now: () => 0, model: () => 'a/b' });
  line.take(retry(4));
  expect(line.take({ type: 'answer_restart' })).toBeUndefined();
  expect(line.take({ type: 'text_delta', text: 'a' })).toBeUndefined();
  line.take(retry(5));
  expect(line.take({ type: 'text_delta', text: 'a' })).toBeUndefined();
  const end = { type: 'turn_end', turn: 1, usage: noUsage } as const;
  expect(line.take({ ...end, stopReason: 'end_turn' })).toBe('Answered after 5 retries (529).');
  expect(line.take({ ...end, stopReason: 'end_turn' })).toBeUndefined();
});

test('a request that was given up in the middle of its answer was not answered', () => {
  const line = new RetryLine({ now: () => 0, model: () => 'a/b' });
  line.take(retry(10));
  line.take({ type: 'text_delta', text: 'a' });
  expect(line.take({ type: 'turn_end', turn: 1, stopReason: null, usage: noUsage })).toBeUndefined();
});

test('a run that is stopped while it waits has no answer', () => {
  const stops: AgentHappening[] = [
    { type: 'user_message', message: { role: 'user', content: [{ type: 'text', text: 'Interrupted.' }] } },
    { type: 'stop_request', reason: 'interrupted' },
    { type: 'answer_restart' },
  ];
  for (const stop of stops) {
    const line = new RetryLine({ now: () => 0, model: () => 'a/b' });
    line.take(retry(4));
    expect(line.take(stop)).toBeUndefined();
    expect(line.words).toBeUndefined();
  }
});

test('a model that takes over is noted once', () => {
  const line = new RetryLine({ now: () => 0, model: () => 'a/first' });
  const reason = 'Using b instead of first for now.';
  expect(line.take(retry(1, reason))).toBe(reason);
  expect(line.take(retry(2))).toBeUndefined();
});
