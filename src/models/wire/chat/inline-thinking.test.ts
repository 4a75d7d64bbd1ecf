import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InlineThinking } from './inline-thinking.js';

test.each([
  ['plain words', 'Hello', '', 'Hello'],
  ['thoughts and words', '<think>Hm.</think>\n\nHello', 'Hm.', 'Hello'],
  ['thoughts after blank lines', '\n <think>Hm.</think>Hello', 'Hm.', 'Hello'],
  ['empty thoughts', '<think>\n\n</think>\n\nHello', '\n\n', 'Hello'],
  ['thoughts alone', '<think>Hm.</think>\n', 'Hm.', ''],
  ['thoughts without an end', '<think>Hm. </thin', 'Hm. </thin', ''],
  ['a tag further on', 'Use <think>x</think>.', '', 'Use <think>x</think>.'],
  ['a second tag', '<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['what only begins like a tag', '<thin', '', '<thin'],
  ['another tag', '<thinking>x', '', '<thinking>x'],
  ['blank text alone', ' \n', '', ' \n'],
  ['nothing', '', '', ''],
])('separates thinking from text in %s, for any split of the stream', (_, text, thinking, words) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lengths) => {
      const parts = new InlineThinking();
      const said = { text: '', thinking: '' };
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const length = lengths[turn % lengths.length] ?? 1;
        for (const part of parts.push(text.slice(at, at + length))) said[part.kind] += part.text;
        at += length;
      }
      for (const part of parts.finish()) said[part.kind] += part.text;
      expect(said).toEqual({ text: words, thinking });
    }),
  );
});
