import { expect, test } from 'vitest';
import type { EntryLine } from '../../host/sent-entry.js';
import { PlainLines } from '../plain/plain-lines.js';
import { EntryLines } from './entry-lines.js';

const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\b\rdone';
const long = 'x'.repeat(2_000_000);

/** As they come over the socket, where no type is checked. */
const entries: readonly object[] = [
  { kind: 'prompt', id: '1', content: [{ type: 'text', text: hostile }, { type: hostile }] },
  { kind: 'text', id: '2', text: hostile },
  { kind: 'text', id: '2', text: `\n${long}\n` },
  { kind: 'notice', id: '3', text: hostile },
  {
    kind: 'call',
    id: hostile,
    tool: hostile,
    input: { command: hostile },
    display: { title: hostile, body: { kind: 'text', text: hostile } },
    status: 'failed',
    problem: hostile,
    progress: hostile,
  },
  { kind: 'call', id: '4', tool: 'Bash', input: {}, display: { title: 'a', body: { kind: hostile } }, status: hostile },
  { kind: 'end', id: '5', outcome: hostile, text: hostile },
  { kind: hostile, id: '6', text: hostile },
  { kind: 'later', id: '7' },
];

test('entries of a session can neither control the terminal nor end the view of it', () => {
  let shown = '';
  const lines = new EntryLines(new PlainLines({ write: (text) => (shown += text), color: false, readsMarkdown: true }));
  for (const entry of entries) lines.take({ entry, from: 0 } as unknown as EntryLine); // hostile on purpose
  lines.end();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(shown).toContain(long);
});
