import { createRequire } from 'node:module';

/**
 * Supported encodings from before Unicode. All are ASCII-compatible and stateless: the meaning of a byte never
 * depends on an earlier escape sequence, so a part of a file can be replaced without the rest.
 */
export const legacyEncodings = {
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'windows-1258': 'windows-1258',
  'windows-874': 'windows-874',
  'iso-8859-1': 'ISO-8859-1',
  'iso-8859-2': 'ISO-8859-2',
  'iso-8859-3': 'ISO-8859-3',
  'iso-8859-4': 'ISO-8859-4',
  'iso-8859-5': 'ISO-8859-5',
  'iso-8859-6': 'ISO-8859-6',
  'iso-8859-7': 'ISO-8859-7',
  'iso-8859-8': 'ISO-8859-8',
  'iso-8859-9': 'ISO-8859-9',
  'iso-8859-10': 'ISO-8859-10',
  'iso-8859-13': 'ISO-8859-13',
  'iso-8859-14': 'ISO-8859-14',
  'iso-8859-15': 'ISO-8859-15',
  'iso-8859-16': 'ISO-8859-16',
  'koi8-r': 'KOI8-R',
  'koi8-u': 'KOI8-U',
  cp437: 'code page 437',
  cp850: 'code page 850',
  cp852: 'code page 852',
  cp866: 'code page 866',
  macintosh: 'Mac OS Roman',
  shift_jis: 'Shift_JIS',
  'euc-jp': 'EUC-JP',
  gbk: 'GBK',
  gb18030: 'GB18030',
  big5: 'Big5',
  'euc-kr': 'EUC-KR',
} as const;

export type LegacyEncoding = keyof typeof legacyEncodings;

export const isLegacy = (encoding: string): encoding is LegacyEncoding => Object.hasOwn(legacyEncodings, encoding);

/** A decoder for a file in chunks. Invalid bytes become U+FFFD. */
export interface StreamDecoder {
  write(bytes: Buffer): string;
  end(): string | undefined;
}

export const decodeLegacy = (bytes: Buffer, encoding: LegacyEncoding): string => iconv().decode(bytes, encoding);

/** Unencodable characters become question marks: the caller compares. */
export const encodeLegacy = (text: string, encoding: LegacyEncoding): Buffer => iconv().encode(text, encoding);

export const legacyDecoder = (encoding: LegacyEncoding): StreamDecoder => iconv().getDecoder(encoding);

/** The text, if encoding it again gives the same bytes. */
export function decodeExactly(bytes: Buffer, encoding: LegacyEncoding): string | undefined {
  const text = decodeLegacy(bytes, encoding);
  return !text.includes('\ufffd') && encodeLegacy(text, encoding).equals(bytes) ? text : undefined;
}

/** The first character that the encoding can't represent, and its line; undefined if there is none. */
export function firstUnencodable(
  text: string,
  encoding: LegacyEncoding,
): { character: string; line: number } | undefined {
  if (decodeLegacy(encodeLegacy(text, encoding), encoding) === text) return undefined;
  let line = 1;
  let previous = '';
  for (const character of text) {
    if (decodeLegacy(encodeLegacy(character, encoding), encoding) !== character) return { character, line };
    if (character === '\r' || (character === '\n' && previous !== '\r')) line += 1;
    previous = character;
  }
  return { character: previous, line };
}

// Loaded on first use, since most files are UTF-8, and synchronously, since edits are computed synchronously.
function iconv(): typeof import('iconv-lite') {
  const require = createRequire(import.meta.url);
  return require('iconv-lite');
}
