import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InputLine, readInputLines } from './read-input-lines.js';

async function linesOf(chunks: readonly Uint8Array[], maxBytes = 1_000): Promise<InputLine[]> {
  const { signal } = new AbortController();
  return await Array.fromAsync(
    readInputLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), { maxBytes, signal }),
  );
}

test('returns the lines for any split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 7 }), async (texts, size) => {
      const lines = texts.map((text) => text.replaceAll(/[\n\r]/g, ''));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(await linesOf(chunks)).toEqual(lines.map((text) => ({ text })));
    }),
  );
});

test('removes the CR of CRLF, keeps U+2028, and returns a last line without a line feed', async () => {
  expect(await linesOf([Buffer.from('a\r\nb\u2028c\nd')])).toEqual([
    { text: 'a' },
    { text: 'b\u2028c' },
    { text: 'd' },
  ]);
});

test('reports the length of a line that is too long, and returns the lines around it', async () => {
  const chunks = ['ab\n', 'x'.repeat(8), 'x'.repeat(8), 'x\ncd\n'].map((text) => Buffer.from(text));
  expect(await linesOf(chunks, 10)).toEqual([{ text: 'ab' }, { tooLong: 17 }, { text: 'cd' }]);
});

test('ends when the signal aborts', async () => {
  const controller = new AbortController();
  const stream = new Readable({ read() {} });
  stream.push('one\n');
  const lines = readInputLines(stream, { maxBytes: 10, signal: controller.signal });
  expect(await lines.next()).toEqual({ done: false, value: { text: 'one' } });
  const next = lines.next();
  controller.abort();
  expect(await next).toMatchObject({ done: true });
});
