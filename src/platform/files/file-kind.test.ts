import { expect, test } from 'vitest';
import { fileKind } from './file-kind.js';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

test.each([
  ['plain text', latin('hello\n'), 'text'],
  ['nothing at all', Buffer.alloc(0), 'text'],
  ['text in an old encoding', latin('caf\xe9\n'), 'text'],
  ['UTF-16 with its mark', Buffer.concat([latin('\xff\xfe'), Buffer.from('hi', 'utf16le')]), 'text'],
  ['big-endian UTF-16 with its mark', latin('\xfe\xff\x00h\x00i'), 'text'],
  ['a little UTF-16 without a mark', Buffer.from('hi', 'utf16le'), 'binary'],
  ['a page of UTF-16 without a mark', Buffer.from('A line of text\r\nand another\r\n', 'utf16le'), 'text'],
  ['big-endian UTF-16 without a mark', Buffer.from('A line of text\nand another', 'utf16le').swap16(), 'text'],
  ['Russian in UTF-16 without a mark', Buffer.from('Привет, мир, это текст\n', 'utf16le'), 'text'],
  [
    'small numbers in two bytes each',
    Buffer.from(Uint16Array.from({ length: 40 }, (_, index) => index).buffer),
    'binary',
  ],
  ['words with NULs between them', latin('one\0two\0three\0four\0five\0six\0seven\0'), 'binary'],
  ['UTF-32', latin('\xff\xfe\x00\x00h\x00\x00\x00'), 'binary'],
  ['a NUL among text', latin('a\x00b'), 'binary'],
  ['a PDF', latin('%PDF-1.7\n'), 'binary'],
  ['a gzip archive', latin('\x1f\x8b\x08'), 'binary'],
  ['a PNG', latin('\x89PNG\r\n\x1a\n'), 'image'],
  ['a WebP', latin('RIFF....WEBP'), 'image'],
])('recognises %s', (_, bytes, kind) => {
  expect(fileKind(bytes).kind).toBe(kind);
});

test('searches only the first 8,192 bytes for NULs', () => {
  expect(fileKind(Buffer.concat([Buffer.alloc(8191, 'a'), Buffer.alloc(1)])).kind).toBe('binary');
  expect(fileKind(Buffer.concat([Buffer.alloc(8192, 'a'), Buffer.alloc(1)])).kind).toBe('text');
});

test('does not mistake text for an archive or an image', () => {
  for (const text of ['BZhello world', 'GIF8 is a format', 'PK is short', 'MZ', 'ID3 tags', 'RIFF raff']) {
    expect([text, fileKind(latin(text)).kind]).toEqual([text, 'text']);
  }
});
