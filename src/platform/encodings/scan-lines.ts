import { sha256 } from '../crypto.js';
import { HEAD_BYTES } from '../files/file-kind.js';
import type { OpenedFile } from '../files/open-file.js';
import type { TextFormat } from './text-file.js';
import { startDecoding, type TextStream } from './text-stream.js';

const CHUNK_BYTES = 262_144;
const LINE_END = /\r\n|\r|\n/g;

export interface ScannedFile {
  /** SHA-256 of all bytes. */
  hash: string;
  size: number;
  lines: number;
  /** How the characters were decoded; UTF-8 for a pure ASCII file. */
  format: TextFormat;
}

/** A text file and how much of it has been read. */
export interface OpenedText {
  handle: Pick<OpenedFile, 'read'>;
  /** The first bytes of the file. */
  head: Buffer;
  /** The head is the whole file. */
  isWhole: boolean;
}

/** Reads the beginning of a file: all of a small one, so that the disk is read only once. */
export async function readHead<Handle extends Pick<OpenedFile, 'read'>>(
  handle: Handle,
  size: number,
): Promise<OpenedText & { handle: Handle }> {
  const wanted = Buffer.allocUnsafe(Math.max(HEAD_BYTES, Math.min(size, CHUNK_BYTES) + 1));
  const { bytesRead } = await handle.read(wanted, 0, wanted.length, 0);
  return { handle, head: Buffer.from(wanted.subarray(0, bytesRead)), isWhole: bytesRead < wanted.length };
}

/**
 * Reads a text file line by line in constant memory, however large the file or a single line is: `onLine` gets at
 * most `maxLineChars` of a line, and its full length. Throws `UndecodableText` if the file is not text.
 */
export async function scanLines(
  { handle, head, isWhole }: OpenedText,
  maxLineChars: number,
  signal: AbortSignal,
  onLine: (number: number, text: string, length: number) => void,
): Promise<ScannedFile> {
  const hash = sha256();
  let size = 0;
  let lines = 0;
  let line = '';
  let length = 0;
  let endedByReturn = false; // the last chunk ended with \r; its \n may start the next one

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
  const read = (bytes: Buffer): void => {
    hash.update(bytes);
    take(decoder.write(bytes, lines));
    size += bytes.length;
  };
  signal.throwIfAborted();
  if (head.length > 0) read(head);
  if (!isWhole) {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
      if (bytesRead === 0) break;
      read(buffer.subarray(0, bytesRead));
    }
  }
  take(decoder.end(lines));
  if (length > 0) finish();
  return { hash: hash.digest('hex'), size, lines, format: decoder.format() };
}
