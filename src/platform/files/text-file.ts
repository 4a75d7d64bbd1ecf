import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How a file's characters are kept as bytes. */
export interface TextFormat {
  encoding: TextEncoding;
  /** Whether the file begins with a byte order mark, which is no part of its text. */
  bom: boolean;
}

/** A file's bytes and the text in them, line endings as they are. */
export interface TextFile {
  bytes: Buffer;
  format: TextFormat;
  text: string;
}

/** Text between two places of another text, by UTF-16 offsets, as `String.slice` has them. */
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

/** The text has half a surrogate pair, which no encoding can hold. */
export class UnencodableText extends Error {
  constructor() {
    super('the text holds half of a surrogate pair, which is no character and would be lost');
    this.name = 'UnencodableText';
  }
}

const MARKS: ReadonlyArray<{ encoding: TextEncoding; mark: Buffer }> = [
  { encoding: 'utf-8', mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
];

export function detectFormat(head: Uint8Array): TextFormat {
  const found = MARKS.find(({ mark }) => mark.equals(head.subarray(0, mark.length)));
  return found ? { encoding: found.encoding, bom: true } : { encoding: 'utf-8', bom: false };
}

/** The byte order mark that a file of this format begins with; empty where it has none. */
export function markOf(format: TextFormat): Buffer {
  return (format.bom && MARKS.find(({ encoding }) => encoding === format.encoding)?.mark) || Buffer.alloc(0);
}

/** Throws `UndecodableText` rather than let a character be replaced. */
export function decodeText(bytes: Buffer): TextFile {
  const format = detectFormat(bytes);
  const body = bytes.subarray(markOf(format).length);
  try {
    return { bytes, format, text: textDecoder(format).decode(body) };
  } catch (error) {
    throw new UndecodableText(whyUndecodable(body, format), { cause: error });
  }
}

/** A decoder that fails on what it can't decode and keeps every character, further marks included. */
export function textDecoder({ encoding }: TextFormat): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
}

function whyUndecodable(body: Buffer, { encoding }: TextFormat): string {
  if (encoding !== 'utf-8') return `its byte order mark says ${encoding}, but its bytes are not valid in it`;
  let line = 1;
  for (let start = 0; start < body.length; line += 1) {
    const end = body.indexOf(0x0a, start);
    const stop = end === -1 ? body.length : end + 1;
    if (!isUtf8(body.subarray(start, stop))) break;
    start = stop;
  }
  return `its bytes are not valid UTF-8 (first at line ${line}), and it has no byte order mark that names another encoding`;
}

/** The bytes of a text, without a byte order mark. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (!text.isWellFormed()) throw new UnencodableText();
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** The text with the splices made, which are in order and do not overlap. */
export function spliceText(text: string, splices: readonly Splice[]): string {
  let from = 0;
  let result = '';
  for (const { start, end, text: inserted } of splices) {
    result += text.slice(from, start) + inserted;
    from = end;
  }
  return result + text.slice(from);
}

/** The file's bytes with the splices made. Bytes outside of them are copied and never encoded anew. */
export function spliceBytes({ bytes, format, text }: TextFile, splices: readonly Splice[]): Buffer {
  const lengthOf = (part: string): number =>
    format.encoding === 'utf-8' ? Buffer.byteLength(part, 'utf8') : part.length * 2;
  const parts: Buffer[] = [];
  let copied = 0; // bytes of the file that are in `parts` or were replaced
  let here = markOf(format).length;
  let from = 0;
  for (const { start, end, text: inserted } of splices) {
    here += lengthOf(text.slice(from, start));
    parts.push(bytes.subarray(copied, here), encodeText(inserted, format.encoding));
    here += lengthOf(text.slice(start, end));
    copied = here;
    from = end;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}
