import { createParser } from 'eventsource-parser';

const MAX_EVENT_CHARS = 32 * 1024 * 1024; // far larger than any real event: a body without an event for this long is not an event stream
const LINGER_MS = 1000; // how long a body may take to end after its last event before the connection is closed

export interface SseEvent {
  event?: string;
  data: string;
}

export interface ReadSseOptions {
  isLast?: (event: SseEvent) => boolean;
  /** Ends the body even while a read is pending: the iterator's `return` would wait for the pending `next`. */
  cancel?: () => void;
}

/**
 * Yields the events of a server-sent event stream as they arrive. Chunks may be split anywhere. An incomplete event at
 * the end is dropped. If the consumer stops early, the body is cancelled, except after an event for which `isLast` is
 * true: then the rest is read in the background, so that the connection can be reused.
 */
export async function* readSse(
  body: AsyncIterable<Uint8Array>,
  { isLast = () => false, cancel = () => {} }: ReadSseOptions = {},
): AsyncGenerator<SseEvent, void, void> {
  const chunks = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const arrived: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => arrived.push(event ? { event, data } : { data }) });
  let unfinished = 0;
  let complete = false;
  try {
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      unfinished += text.length;
      parser.feed(text);
      if (arrived.length > 0) unfinished = 0;
      if (unfinished > MAX_EVENT_CHARS) throw new Error('an event in it has no end');
      for (const event of arrived.splice(0)) {
        complete ||= isLast(event);
        yield event;
      }
    }
  } finally {
    leaveBody(chunks, complete, cancel);
  }
}

/** Closes the body, or reads its rest in the background if everything that matters has arrived. */
export function leaveBody(chunks: AsyncIterator<Uint8Array>, complete: boolean, cancel: () => void): void {
  if (complete) void readToEnd(chunks, cancel);
  else void closeStream(chunks, cancel);
}

async function readToEnd(chunks: AsyncIterator<Uint8Array>, cancel: () => void): Promise<void> {
  const timer = setTimeout(() => void closeStream(chunks, cancel), LINGER_MS).unref();
  try {
    while (!(await chunks.next()).done);
  } catch {
    // everything that matters has been read
  } finally {
    clearTimeout(timer);
  }
}

async function closeStream(chunks: AsyncIterator<Uint8Array>, cancel: () => void): Promise<void> {
  const closed = chunks.return?.().catch(() => undefined); // rejects only if the stream has failed, which the consumer has already seen
  cancel();
  await closed;
}
