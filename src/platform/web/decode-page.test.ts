import { expect, test } from 'vitest';
import { decodePage } from './decode-page.js';

const latin = Buffer.from('<meta charset="utf-8">caf\xe9', 'latin1');

test.each([
  ['the header, not the declaration of the page', latin, 'text/html; charset=ISO-8859-1', 'café', 'windows-1252'],
  ['the byte order mark, not the header', Buffer.from('\ufeffcafé'), 'text/html; charset=latin1', 'café', 'utf-8'],
  ['a byte order mark of UTF-16', Buffer.from('\ufeffcafé', 'utf16le'), 'text/plain', 'café', 'utf-16le'],
  ['quotes in the header', Buffer.from([0x82, 0xa0]), 'text/plain; charset="Shift_JIS"', 'あ', 'shift_jis'],
  ['the declaration of the page', Buffer.from('<meta charset=koi8-r>\xc1', 'latin1'), 'text/html', 'а', 'koi8-r'],
  [
    'the declaration of an XML page',
    Buffer.from('<?xml version="1.0" encoding="windows-1251"?>\xe0', 'latin1'),
    'text/xml',
    'а',
    'windows-1251',
  ],
  [
    'UTF-8 if the page declares an impossible encoding',
    Buffer.from('<meta charset="utf-16">é'),
    'text/html',
    'é',
    'utf-8',
  ],
  ['UTF-8 if the name is unknown', Buffer.from('é'), 'text/plain; charset=klingon', 'é', 'utf-8'],
  ['UTF-8 and not a declaration in plain text', Buffer.from('<meta charset=koi8-r>é'), 'text/plain', 'é', 'utf-8'],
  ['UTF-8 with replacement characters for invalid bytes', Buffer.from([0x61, 0xff]), 'text/plain', 'a\ufffd', 'utf-8'],
])('decodes by %s', (_, bytes, contentType, end, charset) => {
  const page = decodePage(bytes, contentType);
  expect({ end: page.text.slice(-end.length), charset: page.charset }).toEqual({ end, charset });
});
