import fc from 'fast-check';
import { expect, test } from 'vitest';
import { awsMessages, encodeAwsMessage } from './event-stream.js';

async function* inChunks(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const decoded = async (bytes: Buffer, length = bytes.length) =>
  (await Array.fromAsync(awsMessages(inChunks(bytes, length)))).map(({ headers, payload }) => ({
    headers: Object.fromEntries(headers),
    payload: payload.toString(),
  }));

const message = fc.record({
  headers: fc.dictionary(fc.stringMatching(/^:?[a-z-]{1,20}$/), fc.string({ unit: 'grapheme', maxLength: 40 }), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  payload: fc.string({ unit: 'grapheme', maxLength: 300 }),
});

test('decodes what was encoded, for any split of the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 64 }), async (messages, length) => {
      const bytes = Buffer.concat(messages.map(({ headers, payload }) => encodeAwsMessage(headers, payload)));
      expect(await decoded(bytes, length)).toEqual(messages);
    }),
  );
});

test('decodes the sample of the format and skips headers that are not text', async () => {
  // An integer header "event-id" with the value 40972, and the payload {'foo':'bar'}.
  const sample =
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1';
  expect(await decoded(Buffer.from(sample, 'hex'))).toEqual([
    { headers: { 'content-type': 'application/json' }, payload: "{'foo':'bar'}" },
  ]);
});

test.each([0, 5, 9, 14, 40, -1])('rejects a stream with the changed byte %i', async (at) => {
  const bytes = encodeAwsMessage({ ':event-type': 'chunk' }, '{"bytes":"aGVsbG8="}');
  const place = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(place) ^ 0x10, place);
  await expect(decoded(bytes)).rejects.toThrow(/checksum of a message is wrong/);
});

test('rejects a stream that ends within a message', async () => {
  const bytes = encodeAwsMessage({}, 'payload');
  await expect(decoded(bytes.subarray(0, -1))).rejects.toThrow('the connection ended within a message');
});

test('rejects a message of an impossible length before it waits for its bytes', async () => {
  const { crc32 } = await import('node:zlib');
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(0x7fff_ffff, 0);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  await expect(decoded(prelude)).rejects.toThrow('impossible length');
});
