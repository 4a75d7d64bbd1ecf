import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeText,
  encodeText,
  markOf,
  spliceBytes,
  spliceText,
  type TextEncoding,
  UndecodableText,
  UnencodableText,
} from './text-file.js';

const encodings: TextEncoding[] = ['utf-8', 'utf-16le', 'utf-16be'];

const fileOf = (text: string, encoding: TextEncoding): Buffer =>
  Buffer.concat([markOf({ encoding, bom: true }), encodeText(text, encoding)]);

test.each(encodings)('reads %s by its byte order mark, which is no part of the text', (encoding) => {
  const { text, format } = decodeText(fileOf('π\r\n👍', encoding));
  expect({ text, format }).toEqual({ text: 'π\r\n👍', format: { encoding, bom: true } });
});

test('reads bytes without a mark as UTF-8', () => {
  expect(decodeText(Buffer.from('π'))).toMatchObject({ text: 'π', format: { encoding: 'utf-8', bom: false } });
});

test('keeps every kind of line ending as it is', () => {
  expect(decodeText(Buffer.from('a\nb\r\nc\rd')).text).toBe('a\nb\r\nc\rd');
});

test('refuses what it would have to guess, naming the first line', () => {
  expect(() => decodeText(Buffer.from('ok\ncaf\xe9\n', 'latin1'))).toThrow(UndecodableText);
  expect(() => decodeText(Buffer.from('ok\ncaf\xe9\n', 'latin1'))).toThrow(/not valid UTF-8 \(first at line 2\)/);
});

test('refuses UTF-16 with half a character at its end', () => {
  expect(() => decodeText(Buffer.from([0xff, 0xfe, 0x61]))).toThrow(/utf-16le/);
});

test('refuses to write half of a surrogate pair', () => {
  expect(() => encodeText('a\ud83d', 'utf-8')).toThrow(UnencodableText);
});

test('splices bytes exactly as it splices text, in every encoding', () => {
  const textAndSplices = fc
    .tuple(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.string({ unit: 'grapheme' })))
    .map(([kept, inserted]) => {
      let text = '';
      const splices = [];
      for (const [index, part] of kept.entries()) {
        const start = text.length;
        text += part;
        const replacement = inserted[index];
        if (replacement !== undefined && index % 2 === 1) splices.push({ start, end: text.length, text: replacement });
      }
      return { text, splices };
    });
  fc.assert(
    fc.property(textAndSplices, fc.constantFrom(...encodings), ({ text, splices }, encoding) => {
      const after = spliceBytes(decodeText(fileOf(text, encoding)), splices);
      expect(after).toEqual(fileOf(spliceText(text, splices), encoding));
    }),
  );
});
