import type { Readable } from 'node:stream';

export type InputLine = { text: string } | { tooLong: number };

const NEWLINE = 0x0a;

/**
 * The lines of a stream, split only at "\n". A line longer than `maxBytes` is reported with its length and discarded,
 * so that no host can exhaust memory. Ends when the signal aborts.
 */
export async function* readInputLines(
  stream: Readable,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): AsyncGenerator<InputLine, void, void> {
  const onAbort = () => stream.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else pieces.push(piece);
  };
  const take = (): InputLine => {
    const line = length > maxBytes ? { tooLong: length } : { text: textOf(pieces) };
    pieces = [];
    length = 0;
    return line;
  };
  try {
    if (signal.aborted) return;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        yield take();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    }
    if (length > 0) yield take();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8').replace(/\r$/, '');
