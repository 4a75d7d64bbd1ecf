import { isUtf8 } from 'node:buffer';
import { guessEncodings } from './guess-encoding.js';
import {
  decodeExactly,
  encodeLegacy,
  firstUnencodable,
  isLegacy,
  type LegacyEncoding,
  legacyEncodings,
} from './legacy-encodings.js';
import { unmarkedUtf16 } from './unmarked-utf16.js';

export type TextEncoding = UnicodeEncoding | LegacyEncoding;

type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How a file's characters are stored as bytes. */
export interface TextFormat {
  encoding: TextEncoding;
  /** Whether the file begins with a byte order mark, which is not part of its text. */
  bom: boolean;
  /** False if the encoding is a guess. Bytes are preserved in any case. */
  sure?: boolean;
}

/** A file's bytes and its text, with unchanged line endings. */
export interface TextFile {
  bytes: Buffer;
  format: TextFormat;
  text: string;
}

/** A replacement of a range of a text, in UTF-16 offsets, as for `String.slice`. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** The bytes are not text in an encoding that can be read and written back without loss. */
export class UndecodableText extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UndecodableText';
  }
}

/** The text has a character that the file's encoding can't represent, so it would be lost. */
export class UnencodableText extends Error {
  /** The line of the text to encode, counted from 1. */
  readonly line: number;
  readonly character: string;

  constructor(message: string, { character, line }: { character: string; line: number }) {
    super(message);
    this.name = 'UnencodableText';
    this.character = character;
    this.line = line;
  }
}

const HEAD_BYTES = 8_192;
const MAX_GUESSES = 4; // each is tried on the whole file; later guesses are unlikely

const MARKS: ReadonlyArray<{ encoding: UnicodeEncoding; mark: Buffer }> = [
  { encoding: 'utf-8', mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
];

/**
 * The format by the first bytes alone: a byte order mark, or the pattern of UTF-16 without one. Otherwise
 * undetermined.
 */
export function formatByHead(head: Buffer): (TextFormat & { encoding: UnicodeEncoding }) | undefined {
  const marked = MARKS.find(({ mark }) => mark.equals(head.subarray(0, mark.length)));
  if (marked) return { encoding: marked.encoding, bom: true };
  const encoding = unmarkedUtf16(head.subarray(0, HEAD_BYTES));
  return encoding && { encoding, bom: false };
}

/** The format as far as a part of a file shows it; it may end within a character unless it is `whole`. */
export function detectFormat(part: Buffer, { whole = false } = {}): TextFormat {
  const byHead = formatByHead(part);
  if (byHead) return byHead;
  const end = whole ? part.length : part.length - cutCharacterBytes(part);
  const [guess] = isUtf8(part.subarray(0, end)) ? [] : guessEncodings(part);
  return guess ? { encoding: guess.encoding, bom: false, sure: guess.sure } : { encoding: 'utf-8', bom: false };
}

/** How many bytes at the end are the start of an incomplete UTF-8 character. */
export function cutCharacterBytes(bytes: Buffer): number {
  for (let count = 1; count <= 3; count += 1) {
    const byte = bytes.at(-count) ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > count ? count : 0;
  }
  return 0;
}

/** The byte order mark of a file in this format; empty if it has none. */
export function markOf(format: TextFormat): Buffer {
  return (format.bom && MARKS.find(({ encoding }) => encoding === format.encoding)?.mark) || Buffer.alloc(0);
}

/** The usual name of the format: `windows-1252`, `UTF-16 LE with a byte order mark`. */
export function formatName({ encoding, bom }: TextFormat): string {
  if (isLegacy(encoding)) return legacyEncodings[encoding];
  if (encoding === 'utf-8') return bom ? 'UTF-8 with a byte order mark' : 'UTF-8';
  return `UTF-16 ${encoding === 'utf-16le' ? 'LE' : 'BE'} ${bom ? 'with' : 'without'} a byte order mark`;
}

/**
 * Decodes a file. The encoding is the given one, or detected by byte order mark, by validity, or for legacy encodings
 * by a guess. Throws `UndecodableText` rather than replace a character or change a byte.
 */
export function decodeText(bytes: Buffer, options: { encoding?: TextEncoding } = {}): TextFile {
  if (options.encoding !== undefined) return decodeAs(bytes, options.encoding);
  const byHead = formatByHead(bytes);
  if (byHead) return decodeUnicode(bytes, byHead);
  if (isUtf8(bytes)) {
    refuseStates(bytes);
    return decodeUnicode(bytes, { encoding: 'utf-8', bom: false });
  }
  for (const { encoding, sure } of guessEncodings(bytes).slice(0, MAX_GUESSES)) {
    const text = decodeExactly(bytes, encoding);
    if (text !== undefined) return { bytes, format: { encoding, bom: false, sure }, text };
  }
  throw new UndecodableText(
    `its bytes are not valid UTF-8 (first at line ${firstBadLine(bytes)}), it has no byte order mark, and in no older encoding do they read as text`,
  );
}

function decodeAs(bytes: Buffer, encoding: TextEncoding): TextFile {
  if (!isLegacy(encoding)) {
    const marked = formatByHead(bytes);
    return decodeUnicode(bytes, { encoding, bom: marked?.bom === true && marked.encoding === encoding });
  }
  const text = decodeExactly(bytes, encoding);
  if (text !== undefined) return { bytes, format: { encoding, bom: false }, text };
  throw new UndecodableText(
    `it is to be read as ${legacyEncodings[encoding]}, but some of its bytes are not valid in it`,
  );
}

function decodeUnicode(bytes: Buffer, format: TextFormat & { encoding: UnicodeEncoding }): TextFile {
  try {
    return { bytes, format, text: textDecoder(format.encoding).decode(bytes.subarray(markOf(format).length)) };
  } catch (error) {
    const where = format.encoding === 'utf-8' ? ` (first at line ${firstBadLine(bytes)})` : '';
    throw new UndecodableText(`it should be ${formatName(format)}, but its bytes are not valid in it${where}`, {
      cause: error,
    });
  }
}

/** A decoder that fails on invalid input and keeps every character, including further byte order marks. */
export function textDecoder(encoding: UnicodeEncoding): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
}

const SHIFTS = ['\x1b$B', '\x1b$@', '\x1b(J', '\x1b(I', '\x1b$)C', '\x1b$)A'];

/** In the ISO-2022 encodings an escape changes the meaning of the bytes after it, so a part can't be changed alone. */
export function refuseStates(bytes: Buffer): void {
  if (!bytes.includes('\x1b') || !SHIFTS.some((shift) => bytes.includes(shift, 0, 'latin1'))) return;
  throw new UndecodableText(
    'it is in an ISO-2022 encoding, in which the meaning of a byte depends on the escapes before it, so no part of it can be changed safely',
  );
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(start, stop))) break;
    start = stop;
  }
  return line;
}

/** Encodes a text, without a byte order mark. Throws `UnencodableText` if the encoding can't represent it. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (!text.isWellFormed()) {
    const at = text.search(/\p{Surrogate}/u);
    const line = text.slice(0, at).split(/\r\n|\r|\n/).length;
    throw new UnencodableText(
      `line ${line} of the text holds half of a surrogate pair, which is no character and would be lost`,
      { character: text.charAt(at), line },
    );
  }
  if (isLegacy(encoding)) {
    const unheld = firstUnencodable(text, encoding);
    if (!unheld) return encodeLegacy(text, encoding);
    const { character, line } = unheld;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new UnencodableText(
      `line ${line} of the text holds "${character}" (U+${code}), which ${legacyEncodings[encoding]} has no bytes for`,
      unheld,
    );
  }
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** Applies the splices, which are in order and do not overlap, to the text. */
export function spliceText(text: string, splices: readonly Splice[]): string {
  let from = 0;
  let result = '';
  for (const { start, end, text: inserted } of splices) {
    result += text.slice(from, start) + inserted;
    from = end;
  }
  return result + text.slice(from);
}

/** Applies the splices to the file's bytes. Bytes outside of them are copied and never re-encoded. */
export function spliceBytes({ bytes, format, text }: TextFile, splices: readonly Splice[]): Buffer {
  const { encoding } = format;
  const endOf = (part: string, start: number): number => {
    if (encoding === 'utf-8') return start + Buffer.byteLength(part, 'utf8');
    if (!isLegacy(encoding)) return start + part.length * 2;
    const encoded = encodeLegacy(part, encoding);
    const end = start + encoded.length;
    // Some byte sequences decode to two characters; an offset between those has no byte offset.
    if (bytes.subarray(start, end).equals(encoded)) return end;
    throw new RangeError(`A change begins or ends inside a character of ${formatName(format)}, so it can't be made.`);
  };
  const parts: Buffer[] = [];
  let copied = 0; // bytes of the file that are in `parts` or were replaced
  let here = markOf(format).length;
  let from = 0;
  for (const { start, end, text: inserted } of splices) {
    here = endOf(text.slice(from, start), here);
    parts.push(bytes.subarray(copied, here), encodeText(inserted, encoding));
    here = endOf(text.slice(start, end), here);
    copied = here;
    from = end;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}
