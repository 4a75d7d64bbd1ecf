import { unmarkedUtf16 } from '../encodings/unmarked-utf16.js';

/** How many bytes from the start of a file determine its kind. */
export const HEAD_BYTES = 8_192;

export type FileKind =
  | { kind: 'text' }
  | { kind: 'image'; mediaType: ImageType }
  | { kind: 'binary'; format: string | undefined };

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** Detects a file's kind by its first bytes: the extension may be wrong. */
export function fileKind(head: Uint8Array): FileKind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES));
  const mediaType = imageType(bytes);
  if (mediaType) return { kind: 'image', mediaType };
  const format = formats.find(({ magic, at = 0 }) => bytes.subarray(at, at + magic.length).equals(magic))?.name;
  if (format) return { kind: 'binary', format };
  if (bytes.includes(0) && !startsLikeUtf16(bytes) && !unmarkedUtf16(bytes))
    return { kind: 'binary', format: undefined };
  return { kind: 'text' };
}

function imageType(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(latin('\x89PNG\r\n\x1a\n'))) return 'image/png';
  if (bytes.subarray(0, 3).equals(latin('\xff\xd8\xff'))) return 'image/jpeg';
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return 'image/gif';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

// UTF-16 text is full of NULs. UTF-32 begins with the same two bytes in its little-endian form, and is not read as text.
function startsLikeUtf16(bytes: Buffer): boolean {
  const [first, second, third, fourth] = bytes;
  if (first === 0xfe && second === 0xff) return true;
  return first === 0xff && second === 0xfe && !(third === 0 && fourth === 0);
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

// Formats whose start may contain no NUL. Those with a NUL near the start (executables, most media) need no entry.
const formats: ReadonlyArray<{ name: string; magic: Buffer; at?: number }> = [
  { name: 'PDF', magic: latin('%PDF-') },
  { name: 'ZIP archive', magic: latin('PK\x03\x04') },
  { name: 'ZIP archive', magic: latin('PK\x05\x06') },
  { name: 'gzip archive', magic: latin('\x1f\x8b') },
  { name: 'bzip2 archive', magic: latin('1AY&SY'), at: 4 },
  { name: 'xz archive', magic: latin('\xfd7zXZ\x00') },
  { name: 'zstd archive', magic: latin('\x28\xb5\x2f\xfd') },
  { name: '7-Zip archive', magic: latin("7z\xbc\xaf'\x1c") },
  { name: 'RAR archive', magic: latin('Rar!\x1a\x07') },
  { name: 'ELF executable', magic: latin('\x7fELF') },
  { name: 'Mach-O executable', magic: latin('\xcf\xfa\xed\xfe') },
  { name: 'Java class', magic: latin('\xca\xfe\xba\xbe') },
  { name: 'WebAssembly module', magic: latin('\x00asm') },
  { name: 'SQLite database', magic: latin('SQLite format 3\x00') },
  { name: 'Ogg media', magic: latin('OggS\x00') },
  { name: 'FLAC audio', magic: latin('fLaC\x00') },
  { name: 'WOFF font', magic: latin('wOFF') },
  { name: 'WOFF2 font', magic: latin('wOF2') },
];
