import { open } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { monotonicMs } from '../clock.js';
import { grouped } from '../text/digits.js';
import { plainText } from './read-output.js';

const FILTER_MS = 1_000; // for all lines together; a slower expression is backtracking catastrophically
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface FilteredOutput {
  /** The matching lines; the middle is left out if they are too long. */
  text: string;
  /**
   * The offset up to which the file was read: the end of the last complete line, or the end of a file that no longer
   * grows.
   */
  end: number;
}

export interface FilterOptions {
  pattern: string;
  maxChars: number;
  /** The offset to start at, in bytes. */
  from: number;
  /** An incomplete line is left for the next time. */
  growing: boolean;
}

/** The expression timed out, so there is no result. */
export class FilterTimeout extends Error {}

/** The lines of a file that match an expression, as plain text. The file is read in chunks, never held in memory. */
export async function filterOutput(file: string, options: FilterOptions): Promise<FilteredOutput> {
  await using handle = await open(file);
  const matches = lineFilter(options.pattern);
  const kept = bothEnds(options.maxChars);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let { from: position } = options;
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position + rest.length);
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    const isEnd = bytesRead === 0;
    // A line longer than a chunk is matched in pieces, or an endless line would fill the memory.
    const whole = bytes.lastIndexOf(NEWLINE) + 1 || (bytes.length > CHUNK_BYTES ? characterEnd(bytes) : 0);
    const length = isEnd && !options.growing ? bytes.length : whole;
    const text = plainText(bytes.subarray(0, length).toString());
    if (length > 0) kept.add(matches(text.replace(/\n$/, '').split('\n')));
    position += length;
    rest = bytes.subarray(length);
    if (isEnd) return { text: kept.text(), end: position };
  }
}

/** Runs the expression with a timeout: some backtrack practically forever on a line of 40 characters. */
function lineFilter(pattern: string): (lines: string[]) => string[] {
  let leftMs = FILTER_MS;
  return (lines) => {
    const started = monotonicMs();
    try {
      const script = 'const expression = new RegExp(pattern); lines.filter((line) => expression.test(line))';
      return runInNewContext(script, { pattern, lines }, { timeout: Math.max(1, Math.ceil(leftMs)) });
    } catch (error) {
      if (isTimeout(error)) throw new FilterTimeout();
      throw error;
    } finally {
      leftMs -= monotonicMs() - started;
    }
  };
}

// Created in the other context, so it is not an instance of our Error.
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Before a character that may be incomplete. */
function characterEnd(bytes: Uint8Array): number {
  const lastStart = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.length - lastStart < 4 ? Math.max(lastStart, 1) : bytes.length;
}

/** Collects lines and keeps the first and the last of them within a number of characters. */
function bothEnds(maxChars: number): { add(lines: readonly string[]): void; text(): string } {
  const half = Math.floor(maxChars / 2);
  const [head, tail]: [string[], string[]] = [[], []];
  let [headChars, tailChars, leftOut] = [0, 0, 0];
  return {
    add(lines) {
      for (const whole of lines) {
        const line = whole.length > half ? `${whole.slice(0, half - 1)}…` : whole;
        if (leftOut === 0 && tail.length === 0 && headChars + line.length < half) {
          head.push(line);
          headChars += line.length + 1;
          continue;
        }
        tail.push(line);
        tailChars += line.length + 1;
        while (tailChars > half && tail.length > 1) {
          tailChars -= (tail.shift() ?? '').length + 1;
          leftOut += 1;
        }
      }
    },
    text() {
      const middle = leftOut > 0 ? [`[... ${grouped(leftOut)} lines that match are left out here ...]`] : [];
      return [...head, ...middle, ...tail].join('\n');
    },
  };
}
