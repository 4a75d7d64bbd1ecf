import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LegacyEncoding, legacyEncodings } from './legacy-encodings.js';
import {
  decodeText,
  detectFormat,
  encodeText,
  formatName,
  markOf,
  type Splice,
  spliceBytes,
  spliceText,
  type TextEncoding,
  UndecodableText,
  UnencodableText,
} from './text-file.js';

const unicode: TextEncoding[] = ['utf-8', 'utf-16le', 'utf-16be'];
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const fileOf = (text: string, encoding: TextEncoding): Buffer =>
  Buffer.concat([markOf({ encoding, bom: true }), encodeText(text, encoding)]);

test.each(unicode)('reads %s by its byte order mark, which is not part of the text', (encoding) => {
  const { text, format } = decodeText(fileOf('π\r\n👍', encoding));
  expect({ text, format }).toEqual({ text: 'π\r\n👍', format: { encoding, bom: true } });
});

test('reads valid bytes without a byte order mark as UTF-8', () => {
  expect(decodeText(Buffer.from('π'))).toMatchObject({ text: 'π', format: { encoding: 'utf-8', bom: false } });
});

test.each(['utf-16le', 'utf-16be'] as const)(
  'reads %s without a byte order mark if it is certainly text',
  (encoding) => {
    const text = 'A first line\r\nand a second, für alle 👍\r\n';
    const file = decodeText(encodeText(text, encoding));
    expect([file.text, file.format]).toEqual([text, { encoding, bom: false }]);
    const after = spliceBytes(file, [{ start: 0, end: 1, text: 'The' }]);
    expect(after).toEqual(encodeText(`The${text.slice(1)}`, encoding));
  },
);

test('keeps all line endings unchanged', () => {
  expect(decodeText(Buffer.from('a\nb\r\nc\rd')).text).toBe('a\nb\r\nc\rd');
});

test('reads a legacy encoding, and says that it is a guess', () => {
  const { text, format } = decodeText(latin('ok\ncaf\xe9\n'));
  expect([text, format]).toEqual(['ok\ncafé\n', { encoding: 'windows-1252', bom: false, sure: false }]);
});

test('changes one line in a legacy encoding and keeps the bytes of all others', () => {
  const bytes = latin('caf\xe9 \x93x\x94\r\nsecond\rna\xefve');
  const file = decodeText(bytes);
  const start = file.text.indexOf('second');
  const after = spliceBytes(file, [{ start, end: start + 6, text: 'für €5' }]);
  expect(after).toEqual(latin('caf\xe9 \x93x\x94\r\nf\xfcr \x805\rna\xefve'));
});

test('names the character and the line that the encoding of the file cannot represent', () => {
  const file = decodeText(latin('caf\xe9\n'));
  const insert = (text: string) => () => spliceBytes(file, [{ start: 0, end: 0, text }]);
  expect(insert('fine\r\nnot fine: 日\n')).toThrow(UnencodableText);
  expect(insert('fine\r\nnot fine: 日\n')).toThrow(
    'line 2 of the text holds "日" (U+65E5), which windows-1252 has no bytes for',
  );
});

test('uses the given encoding', () => {
  const bytes = encodeText('Привет', 'koi8-r');
  expect(decodeText(bytes, { encoding: 'koi8-r' })).toMatchObject({
    text: 'Привет',
    format: { encoding: 'koi8-r', bom: false },
  });
  expect(() => decodeText(latin('\x81'), { encoding: 'windows-1252' })).toThrow(/to be read as windows-1252/);
  expect(() => decodeText(latin('\xe9'), { encoding: 'utf-8' })).toThrow(UndecodableText);
  expect(decodeText(fileOf('a', 'utf-8'), { encoding: 'utf-8' })).toMatchObject({ text: 'a', format: { bom: true } });
});

test.each([
  [
    'UTF-8 with a wrong byte',
    Buffer.concat([Buffer.from('größe\nfür '), latin('\xff'), Buffer.from(' ende')]),
    /line 2/,
  ],
  ['UTF-16 with half a character at its end', Buffer.from([0xff, 0xfe, 0x61]), /UTF-16 LE/],
  [
    'bytes that are no text',
    Buffer.from(Array.from({ length: 128 }, (_, at) => 128 + ((at * 37) % 128))),
    /in no older encoding/,
  ],
  ['an encoding with states', latin('\x1b$B$3$s$K$A$O\x1b(B\n'), /ISO-2022/],
])('refuses %s', (_, bytes, message) => {
  expect(() => decodeText(bytes)).toThrow(UndecodableText);
  expect(() => decodeText(bytes)).toThrow(message);
});

test('refuses a file that would not round-trip byte for byte', () => {
  // Two codes for one character: decoded and encoded again, the second becomes the first.
  expect(() => decodeText(Buffer.from([0xed, 0x40]), { encoding: 'shift_jis' })).toThrow(UndecodableText);
});

test.each([...unicode, 'windows-1252' as const])('refuses to write a lone surrogate in %s', (encoding) => {
  expect(() => encodeText('a\nb\ud83d', encoding)).toThrow(UnencodableText);
  expect(() => encodeText('a\nb\ud83d', encoding)).toThrow(/line 2/);
});

test('recognises a format from a prefix that ends within a character', () => {
  expect(detectFormat(Buffer.from('naïve é').subarray(0, -1))).toEqual({ encoding: 'utf-8', bom: false });
  expect(detectFormat(Buffer.from('éééé'))).toEqual({ encoding: 'utf-8', bom: false });
  expect(detectFormat(latin('na\xefve caf\xe9s'))).toMatchObject({ encoding: 'windows-1252', sure: false });
});

test.each([
  [{ encoding: 'utf-8', bom: false }, 'UTF-8'],
  [{ encoding: 'utf-8', bom: true }, 'UTF-8 with a byte order mark'],
  [{ encoding: 'utf-16le', bom: true }, 'UTF-16 LE with a byte order mark'],
  [{ encoding: 'utf-16be', bom: false }, 'UTF-16 BE without a byte order mark'],
  [{ encoding: 'windows-1252', bom: false }, 'windows-1252'],
  [{ encoding: 'shift_jis', bom: false }, 'Shift_JIS'],
  [{ encoding: 'cp437', bom: false }, 'code page 437'],
] as const)('calls %j "%s"', (format, name) => {
  expect(formatName(format)).toBe(name);
});

/** A text in pieces, every second of which is replaced. */
function withSplices(kept: readonly string[], inserted: readonly string[]): { text: string; splices: Splice[] } {
  let text = '';
  const splices: Splice[] = [];
  for (const [index, part] of kept.entries()) {
    const start = text.length;
    text += part;
    const replacement = inserted[index];
    if (replacement !== undefined && index % 2 === 1) splices.push({ start, end: text.length, text: replacement });
  }
  return { text, splices };
}

const ending = fc.constantFrom('\n', '\r\n', '\r');

test('splices bytes exactly as it splices text, in every Unicode encoding', () => {
  const words = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), ending));
  fc.assert(
    fc.property(words, words, fc.constantFrom(...unicode), (kept, inserted, encoding) => {
      const { text, splices } = withSplices(kept, inserted);
      const after = spliceBytes(decodeText(fileOf(text, encoding)), splices);
      expect(after).toEqual(fileOf(spliceText(text, splices), encoding));
    }),
  );
});

const alphabets: Partial<Record<LegacyEncoding, string>> = {
  'windows-1250': 'ąćęłńóśźż€“”',
  'windows-1251': 'приветМИРё№',
  'windows-1252': 'äöüßéèñ€“”…',
  'windows-1253': 'αβγδΩώ',
  'windows-1254': 'ğışİçö',
  'windows-1255': 'שלום',
  'windows-1256': 'مرحبا',
  'windows-1257': 'āčēģīķļ',
  'iso-8859-2': 'ąćęłńóśźż',
  'iso-8859-5': 'приветМИР',
  'iso-8859-15': 'äöü€œ',
  'koi8-r': 'приветМИР║═',
  'koi8-u': 'їєґпривіт',
  cp437: 'äöüß║═╔',
  cp850: 'äöüßÃõ',
  cp866: 'приветМИР║',
  shift_jis: '日本語表ソ能ｱｲかな', // with characters whose second byte is a backslash
  'euc-jp': '日本語表ソ能かな',
  gbk: '中文汉字測試',
  gb18030: '中文汉字👍㐀',
  big5: '中文許功蓋測試',
  'euc-kr': '한국어텍스트',
};

test.each(Object.entries(alphabets))('changes %s and keeps all other bytes', (name, alphabet) => {
  const encoding = Object.keys(legacyEncodings).find((known): known is LegacyEncoding => known === name) ?? 'cp437';
  const piece = fc.oneof(
    fc
      .array(fc.constantFrom(...alphabet, 'a', 'Z', '\\', ' ', '1'), { maxLength: 6 })
      .map((letters) => letters.join('')),
    ending,
  );
  const pieces = fc.array(piece, { maxLength: 12 });
  fc.assert(
    fc.property(pieces, pieces, (kept, inserted) => {
      const { text, splices } = withSplices(kept, inserted);
      const bytes = encodeText(text, encoding);
      const file = decodeText(bytes, { encoding });
      expect(file.text).toBe(text);
      expect(spliceBytes(file, splices)).toEqual(
        Buffer.concat([...spliceText(text, splices)].map((character) => encodeText(character, encoding))),
      );
    }),
    { numRuns: 40 },
  );
});

test('keeps the bytes of any file that it reads, in any encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom('', 'plain text '), (noise, before) => {
      const bytes = Buffer.concat([Buffer.from(before), noise]);
      try {
        const file = decodeText(bytes);
        expect(spliceBytes(file, [])).toEqual(bytes);
        const marked = file.format.bom ? markOf(file.format) : Buffer.alloc(0);
        expect(Buffer.concat([marked, encodeText(file.text, file.format.encoding)])).toEqual(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(UndecodableText);
      }
    }),
    { numRuns: 200 },
  );
});
