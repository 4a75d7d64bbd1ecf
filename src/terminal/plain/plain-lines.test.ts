import { expect, test } from 'vitest';
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
