import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodePost, type Post, postByFetch } from './post.js';
import { readSse, type SseEvent } from './read-sse.js';

test('yields the events of a stream in order, with and without a name', async () => {
  const body = streamOf(['event: one\ndata: {"a":1}\n\n', ': a comment\n\ndata: two\ndata: lines\n\n']);
  expect(await Array.fromAsync(readSse(body))).toEqual([{ event: 'one', data: '{"a":1}' }, { data: 'two\nlines' }]);
});

test('yields the same events for any split of the bytes and any line ending', async () => {
  const line = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `x${text.replace(/[\r\n\0]/g, '')}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ event: line, data: line })),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      async (events, end, lengths) => {
        // Lone surrogates can't be encoded as UTF-8, so they are not a case of splitting.
        const sent = events.map(({ event, data }) => ({ event: event.toWellFormed(), data: data.toWellFormed() }));
        const text = sent.map(({ event, data }) => `event: ${event}${end}data: ${data}${end}${end}`).join('');
        expect(await Array.fromAsync(readSse(bytesIn(text, lengths)))).toEqual(sent);
      },
    ),
  );
});

test('drops an event that the end of the stream truncates', async () => {
  expect(await Array.fromAsync(readSse(streamOf(['data: whole\n\ndata: cut'])))).toEqual([{ data: 'whole' }]);
});

test('cancels the body when the consumer stops early', async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: one\n\ndata: two\n\n')),
    cancel: () => cancelled.resolve(),
  });
  for await (const event of readSse(body)) {
    expect(event).toEqual({ data: 'one' });
    break;
  }
  await cancelled.promise;
  expect(body.locked).toBe(false);
});

test('reads to the end after the last event, so that the connection can be used again', async () => {
  const { promise: controller, resolve: started } = Promise.withResolvers<ReadableStreamDefaultController>();
  const drained = Promise.withResolvers<string>();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (theController) => {
        theController.enqueue(new TextEncoder().encode('data: last\n\n'));
        started(theController);
      },
      cancel: () => drained.resolve('cancelled'),
      // Called only while there is a reader.
      pull: () => drained.resolve('read on'),
    },
    { highWaterMark: 0 },
  );
  for await (const _ of readSse(body, { isLast: ({ data }) => data === 'last' })) break;
  expect(await drained.promise).toBe('read on');
  (await controller).close();
});

test.each<[string, () => Post]>([
  ["Node's own client", nodePost],
  ['fetch', () => postByFetch(fetch)],
])('closes the connection of a server that never ends the body after the last event, over %s', async (_, makePost) => {
  const server = createServer((_, response) => void response.write('data: last\n\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const { port } = server.address() as AddressInfo; // listens on TCP, so the address is not a pipe name
  const { signal } = new AbortController();
  const { body, cancel } = await makePost()(`http://127.0.0.1:${port}`, { headers: {}, body: '', signal });
  const [socket] = await connected;
  const closed = once(socket, 'close');
  for await (const event of readSse(body, { isLast: () => true, cancel })) {
    expect(event).toEqual({ data: 'last' });
    break;
  }
  await closed;
  server.close();
  await once(server, 'close');
});

test('passes on the error of a stream that fails, after the events that came before', async () => {
  const failure = new Error('the cable was cut');
  const chunks = [new TextEncoder().encode('data: one\n\n')];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks.pop();
      if (chunk) controller.enqueue(chunk);
      else controller.error(failure);
    },
  });
  const seen: SseEvent[] = [];
  await expect(async () => {
    for await (const event of readSse(body)) seen.push(event);
  }).rejects.toBe(failure);
  expect(seen).toEqual([{ data: 'one' }]);
});

function streamOf(texts: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(texts.map((text) => new TextEncoder().encode(text)));
}

/** The text's bytes in chunks of these lengths, repeated. */
function bytesIn(text: string, lengths: number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return ReadableStream.from(chunks);
}
