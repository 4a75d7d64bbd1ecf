import type { ImageType } from '../files/file-kind.js';

export interface ImageSize {
  width: number;
  height: number;
}

/** The dimensions of an image by its header alone; undefined if the header is broken or truncated. */
export function measureImage(bytes: Buffer, mediaType: ImageType): ImageSize | undefined {
  try {
    return measures[mediaType](bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the header claims more bytes than there are
    throw error;
  }
}

/** Whether the file has its format's end marker. A truncated file has none, though its header may be fine. */
export function hasImageEnd(bytes: Buffer, mediaType: ImageType): boolean {
  switch (mediaType) {
    case 'image/png':
      return bytes.includes('IEND', 8, 'latin1');
    case 'image/jpeg':
      return bytes.lastIndexOf(JPEG_END) > 2;
    case 'image/gif':
      return bytes.lastIndexOf(0x3b) > 6;
    case 'image/webp':
      return bytes.length >= 12 && bytes.readUInt32LE(4) + 8 <= bytes.length;
  }
}

const JPEG_END = Buffer.from([0xff, 0xd9]);

const measures: Readonly<Record<ImageType, (bytes: Buffer) => ImageSize | undefined>> = {
  'image/png': (bytes) =>
    bytes.toString('latin1', 12, 16) === 'IHDR'
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': measureJpeg,
  'image/webp': measureWebp,
};

function measureJpeg(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff)
      at += 1; // a filler byte
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8))
      at += 2; // a marker without a body
    else if (isStartOfFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else if (marker === 0xda || marker === 0xd9)
      return undefined; // the image data begins, or ends, without a size
    else at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2);
  }
}

// C4, C8 and CC are tables and extensions.
const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function measureWebp(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
