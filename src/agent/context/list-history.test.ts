import { expect, test } from 'vitest';
import { listHistory } from './list-history.js';

test('lists prompts, calls and answers, each within limits, with the reason for the list', () => {
  const rounds = Array.from({ length: 100 }, (_, number) => [
    { role: 'user', content: [{ type: 'text', text: `Prompt ${number}. ${'p'.repeat(5_000)}` }] } as const,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Answer ${number}. ${'a'.repeat(5_000)}` },
        { type: 'tool_use', id: `${number}`, name: 'Show', input: { what: `thing ${number}` } },
      ],
    } as const,
  ]);
  const list = listHistory(rounds.flat(), 'it was asleep');
  expect(list).toContain('The model could not summarise the conversation (it was asleep)');
  expect(list).toContain('- Prompt 99. ppp');
  expect(list).toContain('- Answer 99. aaa');
  expect(list).toContain('- Show thing 99');
  expect(list.length).toBeLessThan(15_000);
});

test('leaves out texts of hooks and reminders', () => {
  const text = '<system-reminder>\nMind the gap.\n</system-reminder>';
  expect(listHistory([{ role: 'user', content: [{ type: 'text', text }] }], 'x')).not.toContain('gap');
});
