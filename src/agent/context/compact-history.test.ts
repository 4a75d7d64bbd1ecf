import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { latestFrom, latestPrompt, summaryContent } from './compact-history.js';
import { ContextSize } from './context-size.js';

const size = new ContextSize();
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const round = (id: string, result: string): Message[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Show', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
];
const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

const nothing = { files: [], todos: undefined, plan: undefined, prompt: undefined, isUnderWay: false };
const textOf = (blocks: ReturnType<typeof summaryContent>): string =>
  blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

test('keeps the latest complete rounds that fit, beginning with an answer', () => {
  const messages = [user('go'), ...round('a', 'x'.repeat(4_000)), ...round('b', 'short'), ...round('c', 'short')];
  expect(latestFrom(messages, { size, budget: 500 })).toBe(3);
  expect(latestFrom(messages, { size, budget: 40 })).toBe(5);
  expect(latestFrom(messages, { size, budget: 10 })).toBe(messages.length);
});

test('keeps nothing if only a prompt would be summarised', () => {
  expect(latestFrom([user('go'), said('done')], { size, budget: 10_000 })).toBe(2);
  expect(latestFrom([user('go'), said('done'), user('and?'), said('yes')], { size, budget: 10_000 })).toBe(3);
});

test('keeps the todo list and the plan, and lists the latest files with the lines that were shown', () => {
  const at = new Date();
  const seen = { hash: 'h', size: 1, at };
  const files = [
    { real: '/p/a.ts', seen: { ...seen, lines: 'all' as const } },
    { real: '/p/b.ts', seen: { ...seen, lines: [[1, 20] as const, [40, 60] as const] } },
    ...['c', 'd', 'e', 'f'].map((name) => ({ real: `/p/${name}.ts`, seen: { ...seen, lines: 'all' as const } })),
  ];
  const todos = [{ content: 'Test it', status: 'pending' }];
  const text = textOf(
    summaryContent({ ...nothing, summary: 'So far so good.', files, todos, plan: 'First the roof.' }),
  );
  expect(text).toContain('<summary>\nSo far so good.\n</summary>');
  expect(text).toContain('{"content":"Test it","status":"pending"}');
  expect(text).toContain('The plan:\nFirst the roof.');
  expect(text).toContain('- /p/a.ts (all of it)\n- /p/b.ts (lines 1–20, 40–60)\n');
  expect(text).toContain('/p/e.ts');
  expect(text).not.toContain('/p/f.ts');
});

test('finds the last prompt of the person, even after a summary, and ignores notes of the engine', () => {
  const prompt = [{ type: 'text', text: 'Build it.' }] as const;
  const summary: Message = { role: 'user', content: summaryContent({ ...nothing, summary: 's', prompt }) };
  expect(latestPrompt([user('first'), said('a'), user('second'), ...round('a', 'r')])).toEqual(user('second').content);
  expect(latestPrompt([summary, said('a'), user('[The user interrupted here.]')])).toEqual(prompt);
  expect(latestPrompt([{ role: 'user', content: summaryContent({ ...nothing, summary: 's' }) }])).toBeUndefined();
});
