import { expect, test } from 'vitest';
import { noUsage } from '../../agent/usage.js';
import { PlainLines } from './plain-lines.js';

function linesOf(options: { readsMarkdown: boolean }) {
  let written = '';
  const lines = new PlainLines({ ...options, color: false, write: (text) => (written += text) });
  return { lines, say: (text: string) => lines.draw({ at: 0, type: 'text_delta', text }), written: () => written };
}

test.each([false, true])('a line that arrives in the middle of an answer does not cut it: %s', (readsMarkdown) => {
  const { lines, say, written } = linesOf({ readsMarkdown });
  say('The first li');
  lines.draw({ at: 0, type: 'notice', text: 'One.' });
  lines.aside('Two.');
  say('ne.\nThe second.\n');
  say('The last');
  lines.aside('Three.');
  lines.end();
  const asides = '  ! One.\nTwo.\n';
  const first = 'The first line.\n';
  expect(written()).toBe(
    `${readsMarkdown ? `${asides}${first}` : `${first}${asides}`}The second.\n${readsMarkdown ? 'Three.\nThe last\n' : 'The last\nThree.\n'}`,
  );
});

test('a call has short paths, and a change says at which line it is', () => {
  let written = '';
  const shorten = (text: string): string => text.replaceAll('/project/', '');
  const lines = new PlainLines({ color: false, shorten, write: (text) => (written += text) });
  const display = { title: '/project/a.ts' };
  lines.draw({ at: 0, type: 'tool_call', callId: 'c', tool: 'Edit', input: {}, display });
  const patch = '--- a\n+++ b\n@@ -2,5 +2,6 @@ function a() {\n one\n-two\n+2\n';
  lines.subject({ title: '/project/a.ts', body: { type: 'diff', path: '/project/a.ts', patch } }, 'Edit a.ts?');
  expect(written).toBe('● Edit a.ts\n    a.ts\n    At line 2: function a() {\n     one\n    -two\n    +2\n');
});

test.each([
  ['Half a sentence. And the rest.', 'Half a sen\ntence. And the rest.\n'],
  ['Half a', 'Half a sen\n  … The answer was cut off and starts over.\nHalf a\n'],
  ['Another.', 'Half a sen\n  … The answer was cut off and starts over.\nAnother.\n'],
])('of an answer that starts over, words that were written are not repeated: %s', (again, expected) => {
  const { lines, say, written } = linesOf({ readsMarkdown: false });
  lines.draw({ at: 0, type: 'turn_start', turn: 1 });
  say('Half a sen');
  lines.line('');
  for (const piece of ['Half', again.slice(4)]) {
    lines.draw({ at: 0, type: 'answer_restart' });
    say(again.slice(0, 4));
    if (piece !== 'Half') say(piece);
  }
  lines.draw({ at: 0, type: 'turn_end', turn: 1, stopReason: 'end_turn', usage: noUsage });
  expect(written().replaceAll(/\n+/g, '\n')).toBe(expected);
});
