import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicSseEvents, type FakeMessage } from './anthropic-sse.js';
import { protocolViolations, type WireBlock, type WireMessage } from './protocol-violations.js';

/** One answer of the server: what the model says, and how the network treats it. */
export interface FakeAnswer extends FakeMessage {
  /** A plain HTTP answer instead of a stream, usually an error, with `error` as its body. */
  status?: number;
  /** As the API words it, or the body as it is. */
  error?: { type: string; message: string } | string;
  headers?: Readonly<Record<string, string>>;
  /** Cuts the stream into chunks of so many bytes, inside characters too. Default: one chunk for each event. */
  chunkBytes?: number;
  /** Waits before each event. */
  delayMs?: number;
  /** Waits once so many events are sent, until the test lets go: no clock needed. */
  holdAfter?: { events: number; until: Promise<unknown> };
  /** Breaks the connection off after so many bytes or events. */
  dropAfterBytes?: number;
  dropAfterEvents?: number;
}

export interface FakeRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body exactly as it was sent. */
  text: string;
  body: FakeRequestBody;
  /** Resolves when the connection of this request is closed or the answer is through, whichever comes first. */
  finished: Promise<'answered' | 'disconnected'>;
}

export interface FakeRequestBody {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  system?: string | WireBlock[];
  tools?: ReadonlyArray<Readonly<Record<string, unknown>> & { name: string }>;
  [field: string]: unknown;
}

export interface FakeModelServer {
  /** The base URL, on loopback. */
  url: string;
  /** The requests that keep to the protocol, in order. */
  requests: FakeRequest[];
  /** The requests that the API would refuse, with the reasons. A test of a whole loop expects none. */
  refused: Array<{ text: string; violations: string[] }>;
  /** Breaks off what is still under way. */
  close(): Promise<void>;
}

export type FakeAnswers =
  | readonly FakeAnswer[]
  | ((request: FakeRequest, number: number) => FakeAnswer | Promise<FakeAnswer>);

/**
 * A model server that speaks the Anthropic wire format, with real sockets. Answers come from the list in order, or from
 * the function, which gets the request's number from 0. Requests against the protocol are refused as the API would.
 */
export async function startFakeModelServer(answers: FakeAnswers): Promise<FakeModelServer> {
  const requests: FakeRequest[] = [];
  const refused: FakeModelServer['refused'] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '';
    const text = await readText(incoming);
    if (incoming.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(path)) {
      sendError(response, 404, { type: 'not_found_error', message: 'Not found' });
      return;
    }
    const body = parseJson(text);
    const violations = [...protocolViolations(body), ...streamViolations(body)];
    if (violations.length > 0) {
      refused.push({ text, violations });
      sendError(response, 400, { type: 'invalid_request_error', message: violations.join('; ') });
      return;
    }
    const request: FakeRequest = {
      path,
      headers: incoming.headers,
      text,
      body: body as FakeRequestBody, // no violations, so it has this shape
      finished: once(response, 'close').then(() => (response.writableFinished ? 'answered' : 'disconnected')),
    };
    const number = requests.push(request) - 1;
    const answer = typeof answers === 'function' ? await answers(request, number) : answers[number];
    if (!answer) {
      const message = `The fake model server has only ${answers.length} answers, and this is request ${number + 1}.`;
      sendError(response, 400, { type: 'invalid_request_error', message });
    } else if (answer.status !== undefined) {
      sendError(response, answer.status, answer.error ?? { type: 'api_error', message: 'Fake error' }, answer.headers);
    } else {
      await play(answer, number + 1, response, request.finished);
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else sendError(response, 500, { type: 'api_error', message });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP, so it is no pipe's name

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

/** Ends early when the client goes away, so that nothing waits for it. */
async function play(
  answer: FakeAnswer,
  number: number,
  response: ServerResponse,
  finished: FakeRequest['finished'],
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...answer.headers });
  response.flushHeaders();
  const { dropAfterBytes = Number.POSITIVE_INFINITY, dropAfterEvents = Number.POSITIVE_INFINITY } = answer;
  const { delayMs, holdAfter, chunkBytes } = answer;
  const all = anthropicSseEvents(answer, number);
  const events = all.slice(0, dropAfterEvents).map((event) => Buffer.from(event));
  // Without waits between events, chunks may span them as they do on a real network.
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

function* cut(bytes: Buffer, length = bytes.length): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Resolves when the bytes have left, so that a break after them does not swallow them. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function sendError(
  response: ServerResponse,
  status: number,
  error: { type: string; message: string } | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = typeof error === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof error === 'string' ? error : JSON.stringify({ type: 'error', error }));
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
