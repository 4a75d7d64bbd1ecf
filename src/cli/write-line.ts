import type { Writable } from 'node:stream';

/** Writes a line and waits until the stream has taken it, so that a slow reader slows us down instead of filling memory. */
export async function writeLine(stream: Writable, line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
