import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockOf, cutMarkdown, type MarkdownBlock } from './markdown-source.js';
import { MarkdownStream } from './markdown-stream.js';

const text = 'Words.\n\nMore *words*.\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n- a\n\n- b\n\nEnd';

/** All blocks of a text that arrives in these pieces. */
function blocksOf(pieces: readonly string[]): MarkdownBlock[] {
  const stream = new MarkdownStream();
  const settled = pieces.flatMap((piece) => stream.append(piece));
  return [...settled, blockOf(stream.tail)];
}

test('a text has the blocks that the terminal draws, whatever the pieces that it arrives in', () => {
  const whole = blocksOf([text]);
  const { settled, length } = cutMarkdown(text);
  expect(whole).toEqual([...settled, blockOf(text.slice(length))]);
  expect(whole.map(({ type }) => type)).toEqual(['text', 'text', 'code', 'text']);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: text.length }), { maxLength: 12 }), (cuts) => {
      const at = [0, ...new Set(cuts.toSorted((one, other) => one - other)), text.length];
      expect(blocksOf(at.slice(1).map((end, index) => text.slice(at[index], end)))).toEqual(whole);
    }),
  );
});

test('long code is split at a line, and goes on as code of the same language', () => {
  const stream = new MarkdownStream();
  stream.append('```ts\nconst a = 1;\nconst b');
  expect(stream.splitCode(1_000)).toBeUndefined();
  expect(stream.splitCode(10)).toEqual({ type: 'code', language: 'ts', code: 'const a = 1;' });
  stream.append(' = 2;\n');
  expect(blockOf(stream.tail)).toEqual({ type: 'code', language: 'ts', code: 'const b = 2;' });
  expect(stream.append('```\nText.')).toEqual([{ type: 'code', language: 'ts', code: 'const b = 2;' }]);
});
