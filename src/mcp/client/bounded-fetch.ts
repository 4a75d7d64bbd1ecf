// fetch for remote servers, with a limit: a response that never ends must not exhaust memory.
import type { FetchLike } from '@modelcontextprotocol/client';

/** The maximum size of one message, the same as over stdio. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export function boundedFetch(maxBytes = MAX_MESSAGE_BYTES): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const body = response.body.pipeThrough(bounded(maxBytes, isStream ? afterLastEvent : afterNothing));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

/** Passes chunks through, and fails once one message exceeds `maxBytes`. */
function bounded(maxBytes: number, begunIn: (chunk: Buffer) => number | undefined): TransformStream {
  let size = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const begun = begunIn(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      size = begun === undefined ? size + chunk.byteLength : begun;
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.error(new Error(`sent a message of more than ${Math.round(maxBytes / 1024 / 1024)} MB`));
    },
  });
}

const afterNothing = (): undefined => undefined;

/** The number of bytes at the end of a chunk that belong to an unfinished event: events end with an empty line. */
function afterLastEvent(chunk: Buffer): number | undefined {
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => ({ end, at: chunk.lastIndexOf(end) }));
  const last = Math.max(...ends.map(({ end, at }) => (at < 0 ? -1 : at + end.length)));
  return last < 0 ? undefined : chunk.length - last;
}
