import type { FileHandle } from 'node:fs/promises';
import { sha256 } from '../crypto.js';
import type { TextFormat } from './text-file.js';
import { startDecoding, type TextStream } from './text-stream.js';

const CHUNK_BYTES = 262_144;
const LINE_END = /\r\n|\r|\n/g;

export interface ScannedFile {
  /** SHA-256 of all bytes. */
  hash: string;
  size: number;
  lines: number;
  /** How the characters were decoded; UTF-8 for a file that has only ASCII. */
  format: TextFormat;
}

/**
 * Goes through a text file line by line in constant memory, however large the file or a single line is: `onLine` gets
 * at most `maxLineChars` of a line, and its full length. Throws `UndecodableText` for what is not text.
 */
export async function scanLines(
  handle: FileHandle,
  maxLineChars: number,
  signal: AbortSignal,
  onLine: (number: number, text: string, length: number) => void,
): Promise<ScannedFile> {
  const hash = sha256();
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let size = 0;
  let lines = 0;
  let line = '';
  let length = 0;
  let endedByReturn = false; // the last chunk ended with \r, whose \n may begin the next

  const grow = (text: string): void => {
    if (line.length < maxLineChars) line += text.slice(0, maxLineChars - line.length);
    length += text.length;
  };
  const finish = (): void => {
    lines += 1;
    onLine(lines, line, length);
    line = '';
    length = 0;
  };
  const take = (chunk: string): void => {
    if (chunk === '') return;
    let from = endedByReturn && chunk.startsWith('\n') ? 1 : 0;
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(chunk); end; end = LINE_END.exec(chunk)) {
      grow(chunk.slice(from, end.index));
      finish();
      from = LINE_END.lastIndex;
    }
    grow(chunk.slice(from));
    endedByReturn = chunk.endsWith('\r');
  };

  const decoder: TextStream = startDecoding();
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    hash.update(bytes);
    take(decoder.write(bytes, lines));
    size += bytesRead;
  }
  take(decoder.end(lines));
  if (length > 0) finish();
  return { hash: hash.digest('hex'), size, lines, format: decoder.format() };
}
