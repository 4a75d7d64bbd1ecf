import type { Writable } from 'node:stream';
import { WordWrap } from '../terminal/plain/word-wrap.js';
import { columnsOf } from './terminal-width.js';

/** Sentences for this stream: on a terminal, broken between words. */
export function wrapped(text: string, stream: Writable & { isTTY?: boolean; columns?: number }): string {
  if (!stream.isTTY) return text;
  const wrap = new WordWrap(columnsOf(stream));
  return `${wrap.push(text)}${wrap.flush()}`;
}

/**
 * Writes a line and waits until the stream has accepted it, so that a slow reader slows us down instead of filling
 * memory.
 */
export async function writeLine(stream: Writable, line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(`${line}\n`, (error) => {
      // A closed pipe is reported by the stream's own event; there is no reader any more.
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error);
      else resolve();
    });
  });
}
