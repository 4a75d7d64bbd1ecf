import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/message-of.js';
import { parseJson } from '../platform/parse-json.js';
import { anthropicFormat } from './anthropic-format.js';
import { bedrockFormat } from './bedrock-format.js';
import { chatFormat } from './chat-format.js';
import { geminiFormat } from './gemini-format.js';
import type { WireBlock, WireMessage } from './protocol-violations.js';
import { responsesFormat } from './responses-format.js';
import { vertexFormat } from './vertex-format.js';
import type { FakeMessage, WireFormat } from './wire-format.js';

/** Chosen by the path of the request. See `wire-format.ts` for adding one. */
const formats: readonly WireFormat[] = [
  anthropicFormat,
  chatFormat,
  responsesFormat,
  geminiFormat,
  bedrockFormat,
  vertexFormat,
];

/** One answer of the server: what the model says, and how the network delivers it. */
export interface FakeAnswer extends FakeMessage {
  /** A plain HTTP answer instead of a stream, usually an error, with `error` as its body. */
  status?: number;
  /** As the API words it, or a raw body. */
  error?: { type: string; message: string } | string;
  headers?: Readonly<Record<string, string>>;
  /** Splits the stream into chunks of this many bytes, even within characters. Default: one chunk for each event. */
  chunkBytes?: number;
  /** Waits before each event. */
  delayMs?: number;
  /** Pauses after this many events until the test releases it: no clock needed. */
  holdAfter?: { events: number; until: Promise<unknown> };
  /** Breaks the connection after this many bytes or events. */
  dropAfterBytes?: number;
  dropAfterEvents?: number;
}

/** A request that the server received. */
export interface FakeRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body exactly as it was sent. */
  text: string;
  /** When its last byte arrived, by `performance.now()`. */
  arrivedAt: number;
  body: FakeRequestBody;
  /** Resolves when the connection of this request is closed or the answer is complete, whichever comes first. */
  finished: Promise<'answered' | 'disconnected'>;
}

/** The fields that the formats share, and those of the Anthropic one; `text` has the raw body. */
export interface FakeRequestBody {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  system?: string | WireBlock[];
  tools?: ReadonlyArray<Readonly<Record<string, unknown>> & { name: string }>;
  [field: string]: unknown;
}

/** A model server for tests. */
export interface FakeModelServer {
  /** The base URL, on loopback. */
  url: string;
  /** The requests that follow the protocol, in order. */
  requests: FakeRequest[];
  /** The requests that the API would refuse, with the reasons. A test of a whole loop expects none. */
  refused: Array<{ text: string; violations: string[] }>;
  /** Aborts pending answers. */
  close(): Promise<void>;
}

/** The server's answers, request by request. */
export type FakeAnswers =
  | readonly FakeAnswer[]
  | ((request: FakeRequest, number: number) => FakeAnswer | Promise<FakeAnswer>);

/**
 * A model server that speaks the wire formats of several APIs, over real sockets. Answers come from the list in
 * order, or from the function, which gets the request's number from 0. Requests that violate the protocol are refused
 * as the API would.
 */
export async function startFakeModelServer(answers: FakeAnswers): Promise<FakeModelServer> {
  const requests: FakeRequest[] = [];
  const refused: FakeModelServer['refused'] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '';
    const text = await readText(incoming);
    const arrivedAt = performance.now();
    const format = formats.find(({ matches }) => matches(path));
    if (incoming.method !== 'POST' || !format) {
      sendJson(response, 404, anthropicFormat.errorBody({ type: 'not_found_error', message: 'Not found' }));
      return;
    }
    const sendError = (status: number, type: string, message: string) =>
      sendJson(response, status, format.errorBody({ type, message }), format.errorHeaders?.({ type, message }));
    const notAllowed = format.refusal?.({ path, headers: incoming.headers, text });
    if (notAllowed) {
      refused.push({ text, violations: [notAllowed.message] });
      sendError(notAllowed.status, notAllowed.type, notAllowed.message);
      return;
    }
    const body = parseJson(text);
    const violations = [...format.violations(body), ...(format.streamsByPath ? [] : streamViolations(body))];
    if (violations.length > 0) {
      refused.push({ text, violations });
      sendError(400, 'invalid_request_error', violations.join('; '));
      return;
    }
    const request: FakeRequest = {
      path,
      headers: incoming.headers,
      text,
      arrivedAt,
      body: body as FakeRequestBody, // no violations, so it has this shape
      finished: once(response, 'close').then(() => (response.writableFinished ? 'answered' : 'disconnected')),
    };
    const number = requests.push(request) - 1;
    const answer = typeof answers === 'function' ? await answers(request, number) : answers[number];
    if (!answer) {
      const message = `The fake model server has only ${answers.length} answers, and this is request ${number + 1}.`;
      sendError(400, 'invalid_request_error', message);
    } else if (answer.status !== undefined) {
      const { error = { type: 'api_error', message: 'Fake error' } } = answer;
      if (typeof error === 'string') sendText(response, answer.status, error, answer.headers);
      else {
        const headers = { ...format.errorHeaders?.(error), ...answer.headers };
        sendJson(response, answer.status, format.errorBody(error), headers);
      }
    } else {
      const events = answer.raw === undefined ? format.events(answer, number + 1) : rawEvents(answer.raw);
      const { contentType, frame = Buffer.from } = format;
      const bytes = events.map((event) => frame(event));
      await play(
        { ...answer, ...(contentType && { headers: { 'content-type': contentType, ...answer.headers } }) },
        bytes,
        response,
        request.finished,
      );
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      const message = messageOf(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, anthropicFormat.errorBody({ type: 'api_error', message }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP, so it is not a pipe's name

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    refused,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Ends early when the client disconnects, so that nothing waits for it. */
async function play(
  answer: FakeAnswer,
  all: readonly Uint8Array[],
  response: ServerResponse,
  finished: FakeRequest['finished'],
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...answer.headers });
  response.flushHeaders();
  const { dropAfterBytes = Number.POSITIVE_INFINITY, dropAfterEvents = Number.POSITIVE_INFINITY } = answer;
  const { delayMs, holdAfter, chunkBytes } = answer;
  const events = all.slice(0, dropAfterEvents);
  // Without delays between events, chunks may span them as on a real network.
  const stretches = chunkBytes && !delayMs && !holdAfter ? [Buffer.concat(events)] : events;
  let sent = 0;
  for (const [at, stretch] of stretches.entries()) {
    if (holdAfter?.events === at) await Promise.race([holdAfter.until, finished]);
    if (delayMs) await Promise.race([delay(delayMs), finished]);
    for (const chunk of cut(stretch, chunkBytes)) {
      if (response.destroyed) return;
      const bytes = chunk.subarray(0, dropAfterBytes - sent);
      await write(response, bytes);
      sent += bytes.length;
      if (sent >= dropAfterBytes) {
        response.destroy();
        return;
      }
    }
  }
  if (holdAfter && holdAfter.events >= stretches.length) await Promise.race([holdAfter.until, finished]);
  if (dropAfterEvents <= all.length) response.destroy();
  else response.end();
}

function* cut(bytes: Uint8Array, length = bytes.length): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Resolves when the bytes have been sent, so that a break after them does not lose them. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: FakeAnswer['headers'] = {}): void {
  sendText(response, status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

function sendText(response: ServerResponse, status: number, body: string, headers: FakeAnswer['headers'] = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(body);
}

/** A recorded stream, event by event. */
function rawEvents(text: string): string[] {
  return text.split(/(?<=\n\n)/);
}

function streamViolations(body: unknown): string[] {
  const streams = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
  return streams ? [] : ['stream: this fake server only streams, so it must be true'];
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
