import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.js';
import { Theme } from '../screen/theme.js';
import { historyViews } from './show-history.js';

const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const call: Message = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'make' } }],
};
const interrupted = [{ id: 'a', tool: 'Bash', input: { command: 'make' } }];

async function linesOf(messages: readonly Message[]): Promise<string> {
  const views = await historyViews(messages, {
    theme: new Theme({ name: 'none', depth: 'many' }),
    findTool: () => undefined,
    shorten: (text) => text,
    past: { interrupted },
  });
  return views.flatMap(({ view }) => view.render(200)).join('\n');
}

test('an interrupted call that is drawn says so itself, without a note about it', async () => {
  expect(await linesOf([prompt, call])).not.toContain('Helve was ended while a call ran');
});

test('an interrupted call that is too far up to be drawn has a note', async () => {
  const later = Array.from({ length: 20 }, () => prompt);
  expect(await linesOf([prompt, call, ...later])).toContain('Helve was ended while a call ran (Bash: make)');
});
