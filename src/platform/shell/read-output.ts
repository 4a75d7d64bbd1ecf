import { type FileHandle, open } from 'node:fs/promises';
import { codeOf } from '../error-code.js';
import { grouped } from '../text/digits.js';

const WINDOW_BYTES = 128 * 1024; // read from each end of a file that is longer than two of them
const TAIL_BYTES_PER_CHAR = 8; // most are one byte; colours and redrawn progress bars take their share

export interface ReadOutput {
  /** At most `maxChars` long. */
  text: string;
  /** The size of the file, as the command wrote it. */
  totalBytes: number;
  /** Whether something was left out. */
  cut: boolean;
  /** Whether there were bytes that are not UTF-8, each shown as U+FFFD. */
  hasOtherBytes?: boolean;
  /** The same with its colours, for a terminal; absent if there are none. */
  styled?: string;
  /** How many bytes at the end belong to an incomplete character. */
  heldBack?: number;
}

export interface ReadOutputOptions {
  maxChars: number;
  /** The offset to start at, in bytes. */
  from?: number;
  /** The command is still writing: an incomplete character is held back. */
  growing?: boolean;
}

/**
 * A command's output as plain text: what a terminal would show in the end, without colours and without earlier states
 * of progress bars. If it is too long, its beginning and its end, with a line between them that says how much is
 * missing and where the whole output is.
 */
export async function readOutput(file: string, options: ReadOutputOptions): Promise<ReadOutput> {
  const { from = 0 } = options;
  await using handle = await open(file);
  const { size: totalBytes } = await handle.stat();
  const length = Math.max(0, totalBytes - from);
  const isShort = length <= 2 * WINDOW_BYTES;
  const windows = isShort
    ? [await readBytes(handle, from, length)]
    : [
        await readBytes(handle, from, WINDOW_BYTES),
        fromLineStart(await readBytes(handle, totalBytes - WINDOW_BYTES, WINDOW_BYTES)),
      ];
  return shownOutput(windows, { ...options, file, length, totalBytes });
}

/** The same for an output that is in memory, and too short for something to be left out. */
export const readHeldOutput = (output: Buffer): ReadOutput =>
  shownOutput([output], { file: '', length: output.length, totalBytes: output.length, maxChars: output.length });

function shownOutput(
  bytes: readonly Buffer[],
  {
    file,
    length,
    totalBytes,
    maxChars,
    growing = false,
  }: ReadOutputOptions & { file: string; length: number; totalBytes: number },
): ReadOutput {
  const [first = '', last] = bytes.map((part) => decode(part, { isEnd: part === bytes.at(-1) && !growing }));
  const heldBack = growing ? unfinishedBytes(bytes.at(-1) ?? Buffer.alloc(0)) : 0;
  const parts = { first, last, bytes: length, file, maxChars };
  const shown = bothEnds({ ...parts, first: plainText(first), ...(last !== undefined && { last: plainText(last) }) });
  return {
    ...shown,
    totalBytes,
    ...(bytes.some(hasOtherBytes) && { hasOtherBytes: true }),
    ...(`${first}${last ?? ''}`.includes('\x1b') && { styled: bothEnds(parts).text }),
    ...(heldBack > 0 && { heldBack }),
  };
}

interface Ends {
  first: string;
  /** The second window, if the output does not fit one. */
  last?: string | undefined;
  bytes: number;
  file: string;
  maxChars: number;
}

function bothEnds({ first, last, bytes, file, maxChars }: Ends): { text: string; cut: boolean } {
  if (last === undefined && first.length <= maxChars) return { text: first, cut: false };
  const room = Math.max(0, maxChars - notice(`about ${grouped(bytes)}`, file).length);
  const head = headOf(first, Math.ceil(room / 2));
  const tail = tailOf(last ?? first, Math.floor(room / 2));
  const leftOut =
    last === undefined
      ? grouped(first.length - head.length - tail.length)
      : `about ${grouped(bytes - Buffer.byteLength(head) - Buffer.byteLength(tail))}`;
  return { text: head + notice(leftOut, file) + tail, cut: true };
}

/**
 * The last lines of a file that may still be growing or not exist yet, as plain text. `cut` says that there is more
 * before them.
 */
export async function readLastLines(
  file: string,
  { lines, maxChars }: { lines: number; maxChars: number },
): Promise<ReadOutput> {
  await using handle = await open(file).catch(ignoreMissing);
  if (!handle) return { text: '', totalBytes: 0, cut: false };
  const { size: totalBytes } = await handle.stat();
  const start = Math.max(0, totalBytes - maxChars * TAIL_BYTES_PER_CHAR);
  const bytes = await readBytes(handle, start, totalBytes - start); // not output that has arrived since: that may be much
  const all = plainText(decode(start > 0 ? fromLineStart(bytes) : bytes, { isEnd: false })).replace(/(?<!\n)\n+$/, '');
  const text = tailOf(all.split('\n').slice(-lines).join('\n'), maxChars);
  return { text, totalBytes, cut: start > 0 || text.length < all.length };
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

const notice = (leftOut: string, file: string): string =>
  `\n[... ${leftOut} characters are left out here; the whole output is in ${file} ...]\n`;

async function readBytes(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break; // truncated while we read
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/**
 * Decodes UTF-8, with U+FFFD for each invalid byte. An incomplete character at the end is left out, unless the output
 * has ended.
 */
function decode(bytes: Uint8Array, { isEnd }: { isEnd: boolean }): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isEnd });
}

/** How many bytes at the end are the start of a character. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return wanted > count ? count : 0;
  }
  return 0;
}

function hasOtherBytes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return false;
  } catch {
    return true;
  }
}

/** Without the partial line at the start of a window, or the partial character if it is all one line. */
function fromLineStart(bytes: Buffer): Buffer {
  const newline = bytes.indexOf(0x0a);
  if (newline !== -1 && newline < bytes.length - 1) return bytes.subarray(newline + 1);
  const character = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, character));
}

/** The text that a terminal would show. */
export function plainText(text: string): string {
  const lines = text
    .replace(escapeSequences, '')
    .replace(/(?<!\r)\r+\n/g, '\n')
    .split('\n');
  return lines.map(lastState).join('\n').replace(controlCharacters, '\ufffd');
}

/** A carriage return moves to the start of the line, and later text overwrites it; a backspace moves back by one. */
function lastState(line: string): string {
  const state = line.includes('\r') ? (line.split('\r').findLast((each) => each !== '') ?? '') : line;
  if (!state.includes('\b')) return state;
  const kept: string[] = [];
  for (const character of state) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const escapeSequences = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\x07/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const controlCharacters = /[\x00-\x08\x0e-\x1f\x7f]/g;

function headOf(text: string, length: number): string {
  const splitsPair = isHighSurrogate(text.charCodeAt(length - 1));
  return text.slice(0, splitsPair ? length - 1 : length);
}

function tailOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  const splitsPair = start > 0 && isHighSurrogate(text.charCodeAt(start - 1));
  return text.slice(splitsPair ? start + 1 : start);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
