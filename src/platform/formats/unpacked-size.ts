import { createInflate } from 'node:zlib';

const CHUNK_BYTES = 256 * 1024;

/**
 * The total size of a PDF's streams after decompression, counted up to just beyond `max`. They are decompressed an
 * extra time and discarded: the parser decompresses a whole stream at once, and continues with it even when it is
 * closed.
 */
export async function unpackedSize(pdf: Uint8Array, max: number, isOver: () => boolean): Promise<number> {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  let total = 0;
  let at = bytes.indexOf('stream');
  while (at >= 0 && total <= max && !isOver()) {
    const start = afterLineBreak(bytes, at + 'stream'.length);
    if (isPacked(bytes, start)) total += await inflatedSize(bytes.subarray(start), max - total);
    at = bytes.indexOf('stream', start);
  }
  return total;
}

function afterLineBreak(bytes: Buffer, at: number): number {
  const start = bytes[at] === 0x0d ? at + 1 : at;
  return bytes[start] === 0x0a ? start + 1 : start;
}

/** Detected by the first two bytes of zlib data. */
const isPacked = (bytes: Buffer, at: number): boolean =>
  at + 1 < bytes.length && ((bytes[at] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(at) % 31 === 0;

async function inflatedSize(packed: Buffer, max: number): Promise<number> {
  const inflate = createInflate({ chunkSize: CHUNK_BYTES });
  let size = 0;
  const ended = Promise.withResolvers<void>();
  inflate.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > max) inflate.destroy();
  });
  inflate.on('error', () => {}); // a damaged stream counts as far as it can be decompressed
  inflate.on('end', () => inflate.destroy());
  inflate.on('close', ended.resolve);
  inflate.end(packed);
  await ended.promise;
  return size;
}
