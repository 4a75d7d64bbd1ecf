import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readLines } from './read-lines.js';

const forever = new AbortController().signal;
const lines = (...chunks: Array<string | Buffer>) =>
  Array.fromAsync(readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), forever));

test('splits at line feeds and removes a carriage return before them', async () => {
  expect(await lines('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c']);
});

test('keeps separators that are legal inside JSON strings', async () => {
  expect(await lines('{"a":"x\u2028y\rz"}\n')).toEqual(['{"a":"x\u2028y\rz"}']);
});

test('joins lines and characters that arrive in pieces', async () => {
  const bytes = Buffer.from('grüße\nä');
  expect(await lines(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(['grüße', 'ä']);
});

test('ends when the signal aborts, although the stream stays open', async () => {
  const controller = new AbortController();
  const reading = Array.fromAsync(readLines(new PassThrough(), controller.signal));
  controller.abort();
  expect(await reading).toEqual([]);
});
