import type { Readable } from 'node:stream';

/**
 * The lines of a stream, split at "\n" only: JSON may contain U+2028 and lone "\r", at which Node's readline splits
 * too. Ends when the signal aborts.
 */
export async function* readLines(stream: Readable, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const onAbort = () => stream.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  let pieces: string[] = [];
  try {
    for await (const chunk of stream) {
      const parts = decoder.decode(chunk, { stream: true }).split('\n');
      for (const part of parts.slice(0, -1)) {
        yield withoutReturn(pieces.join('') + part);
        pieces = [];
      }
      pieces.push(parts.at(-1) ?? '');
    }
    const last = pieces.join('') + decoder.decode();
    if (last !== '') yield withoutReturn(last);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
