// The binary framing of AWS event streams: application/vnd.amazon.eventstream.
import { crc32 } from 'node:zlib';

const PRELUDE_BYTES = 12; // the message's length, its headers' length, and a checksum of both
const LEAST_BYTES = PRELUDE_BYTES + 4; // and a checksum of the message
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024; // the format's own limit
const MAX_HEADER_BYTES = 128 * 1024; // the format's own limit

/** One message of an event stream, with its headers that are text. */
export interface AwsMessage {
  headers: ReadonlyMap<string, string>;
  payload: Buffer;
}

/** Yields the messages of a stream, whose chunks may be split anywhere. Throws for a wrong checksum or an incomplete message. */
export async function* awsMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<AwsMessage, void, void> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let needed = PRELUDE_BYTES;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < needed) continue; // joined only once a message is complete
    let rest = Buffer.concat(pieces);
    for (;;) {
      needed = rest.length < PRELUDE_BYTES ? PRELUDE_BYTES : messageLength(rest);
      if (rest.length < needed || rest.length < PRELUDE_BYTES) break;
      yield decodeMessage(rest.subarray(0, needed));
      rest = rest.subarray(needed);
    }
    pieces = [rest];
    size = rest.length;
  }
  if (size > 0) throw new Error('the connection ended within a message');
}

function messageLength(bytes: Buffer): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new Error('the checksum of a message is wrong');
  const length = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (length > MAX_MESSAGE_BYTES || headers > MAX_HEADER_BYTES || length < LEAST_BYTES + headers) {
    throw new Error(`a message in it has an impossible length of ${length} bytes`);
  }
  return length;
}

function decodeMessage(bytes: Buffer): AwsMessage {
  const end = bytes.length - 4;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new Error('the checksum of a message is wrong');
  const headersEnd = PRELUDE_BYTES + bytes.readUInt32BE(4);
  return { headers: textHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd)), payload: bytes.subarray(headersEnd, end) };
}

// The length of a value by its type: true, false, byte, short, integer, long, bytes, text, time, UUID. Bytes and text
// have a length of their own.
const VALUE_BYTES: ReadonlyArray<number | undefined> = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const TEXT = 7;

function textHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameLength = bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, at + 1 + nameLength);
    at += 1 + nameLength;
    const type = bytes.readUInt8(at);
    at += 1;
    if (type >= VALUE_BYTES.length) throw new Error(`a message in it has a header of the unknown type ${type}`);
    let length = VALUE_BYTES[type];
    if (length === undefined) {
      length = bytes.readUInt16BE(at);
      at += 2;
    }
    if (at + length > bytes.length) throw new Error('a header of a message in it is cut');
    if (type === TEXT) headers.set(name, bytes.toString('utf8', at, at + length));
    at += length;
  }
  return headers;
}

/** The bytes of a message, for fake servers. */
export function encodeAwsMessage(headers: Readonly<Record<string, string>>, payload: string | Uint8Array): Buffer {
  const named = Object.entries(headers).flatMap(([name, value]) => {
    const head = Buffer.alloc(1 + Buffer.byteLength(name) + 3);
    head.writeUInt8(Buffer.byteLength(name), 0);
    head.write(name, 1);
    head.writeUInt8(TEXT, head.length - 3);
    head.writeUInt16BE(Buffer.byteLength(value), head.length - 2);
    return [head, Buffer.from(value)];
  });
  const headerBytes = Buffer.concat(named);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(LEAST_BYTES + headerBytes.length + body.length, 0);
  prelude.writeUInt32BE(headerBytes.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, headerBytes, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(whole), 0);
  return Buffer.concat([whole, checksum]);
}
