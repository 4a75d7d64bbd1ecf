import { type ModelEvent, ModelFailure } from '../../contract/model.js';
import { abortable } from '../../platform/abortable.js';
import { loopShare } from '../../platform/loop-share.js';
import { networkReason } from '../../platform/web/network-reason.js';
import type { Authorization } from './authorization.js';
import {
  brokenStreamFailure,
  type Endpoint,
  retryAfterMs,
  type ServerError,
  serverFailure,
  shorten,
  shownUrl,
  unreachableFailure,
  withNearestModel,
} from './failures.js';
import { googleError } from './google-error.js';
import type { Body, HttpAnswer, Post } from './post.js';
import { readSse, type SseEvent } from './read-sse.js';

const MAX_ERROR_BYTES = 64 * 1024; // an error is a few hundred bytes; a larger body is not worth waiting for

/** One request, and how to read its response. */
export interface Exchange {
  post: Post;
  endpoint: Endpoint;
  headers: Readonly<Record<string, string>>;
  body: Body;
  signal: AbortSignal;
  onSent: (() => void) | undefined;
  /** Translates the wire's events into `ModelEvent`s. */
  events(wire: AsyncIterable<SseEvent>, endpoint: Endpoint): AsyncIterable<ModelEvent>;
  /** Whether this is the last event that matters. */
  isLast(event: SseEvent): boolean;
  /** Adds headers to each request, where a fixed key does not authorise it. */
  authorization?: Authorization | undefined;
  /** Reads the events of a response that is not a server-sent event stream. */
  readEvents?: ReadEvents | undefined;
}

export type ReadEvents = (answer: HttpAnswer, isLast: Exchange['isLast']) => AsyncIterable<SseEvent>;

/** Sends a request and yields the events of the response. Throws `ModelFailure`, or the signal's reason. */
export async function* exchange(request: Exchange): AsyncGenerator<ModelEvent, void, void> {
  const { signal, events, isLast, readEvents = readSseOf } = request;
  await loopShare();
  let { answer, endpoint, body, added } = await send(request);
  await loopShare();
  if (body !== undefined) {
    const { status, header } = answer;
    const mayRetry = request.authorization?.mayRetry?.({ status, header, body, sent: added });
    if (mayRetry) ({ answer, endpoint, body } = await send(request));
  }
  try {
    if (answer.status < 200 || answer.status > 299) throw await refusal(answer, endpoint, body);
    if (answer.status === 204 || encodingOf(answer) || !isEventStream(answer))
      throw await wrongAnswer(answer, endpoint);
    for await (const event of events(readEvents(answer, isLast), endpoint)) {
      signal.throwIfAborted();
      yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelFailure) throw await withNearestModel(error, endpoint);
    throw brokenStreamFailure(endpoint, networkReason(error), error);
  }
}

interface Sent {
  answer: HttpAnswer;
  /** With the secrets of this request's headers. */
  endpoint: Endpoint;
  /** Of a response that another authorisation might change. */
  body?: string;
  /** The headers that authorised it. */
  added: Readonly<Record<string, string>>;
}

async function send({ post, endpoint: plain, headers, body, signal, onSent, authorization }: Exchange): Promise<Sent> {
  const { url } = plain;
  // A command that prints a key, or a server of tokens, may take long.
  const added = authorization
    ? await abortable(() => authorization.headersFor({ url, headers, body }, signal), signal)
    : {};
  const all = { ...headers, ...added };
  const endpoint = withSecretsOf(all, plain);
  let answer: HttpAnswer;
  try {
    answer = await post(url, { headers: all, body, signal, onSent });
  } catch (error) {
    signal.throwIfAborted();
    throw unreachableFailure(endpoint, error);
  }
  const isRefused = authorization?.mayRetry && (answer.status === 401 || answer.status === 403);
  return { answer, endpoint, added, ...(isRefused && { body: await readBeginning(answer) }) };
}

const readSseOf: ReadEvents = ({ body, cancel }, isLast) => readSse(body, { isLast, cancel });

async function refusal(answer: HttpAnswer, endpoint: Endpoint, begun?: string): Promise<ModelFailure> {
  const { status } = answer;
  const body = begun ?? (await readBeginning(answer));
  const wait = retryAfterMs(answer.header);
  const type = answer.header('x-amzn-errortype')?.replace(/[:;].*$/s, ''); // AWS names the error here alone
  return serverFailure(endpoint, {
    ...(parseError(body) ?? {
      words: answer.header('location') || body || unreadable(answer) || answer.statusText,
      isPage: /html/i.test(answer.header('content-type') ?? ''),
    }),
    ...(type && { type }),
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function unreadable(answer: HttpAnswer): string {
  const encoding = encodingOf(answer);
  return encoding ? `answered with ${encoding}, which was not asked for` : '';
}

/** Undefined for a gateway's own HTML or text, which is shown as is. */
function parseError(body: string): ServerError | undefined {
  try {
    return errorIn(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The error in a server's JSON, in any of the shapes that servers use; undefined if there is none. */
export function errorIn(value: unknown): ServerError | undefined {
  const whole = fields(Array.isArray(value) ? value[0] : value);
  const { error = whole } = whole;
  if (typeof error === 'string') return { words: error };
  const { type, code, Message, message = Message } = fields(error); // AWS has both
  if (typeof message !== 'string') return undefined;
  // Gateways put the upstream error here, and only "Provider returned error" in the message.
  const inner = fields(fields(error)['metadata'])['raw'];
  return {
    words: typeof inner === 'string' && inner !== '' ? `${message}: ${inner}` : message,
    ...(typeof type === 'string' && { type }),
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code) }),
    ...googleError(fields(error)),
  };
}

/**
 * Anything else is a login page or another API, so the address is wrong. A response without a content type is tried.
 */
function isEventStream(answer: HttpAnswer): boolean {
  return !/html|json/i.test(answer.header('content-type') ?? '');
}

async function wrongAnswer(answer: HttpAnswer, endpoint: Endpoint): Promise<ModelFailure> {
  const body = await readBeginning(answer);
  const error = parseError(body); // some gateways send errors with status 200
  if (error) return serverFailure(endpoint, error);
  return new ModelFailure(
    'unreachable',
    `${shownUrl(endpoint)} answered with ${describeAnswer(answer, body, endpoint)}.`,
    { advice: `Check ${endpoint.baseUrlVariable}.`, about: 'address', status: answer.status },
  );
}

function describeAnswer(answer: HttpAnswer, body: string, { secrets }: Endpoint): string {
  const encoding = encodingOf(answer);
  if (answer.status === 204) return 'nothing (204) instead of an event stream';
  if (encoding) return `${shorten(encoding, secrets)}, which was not asked for`;
  const words = shorten(body, secrets);
  const type = shorten(answer.header('content-type') ?? 'nothing', secrets);
  return `${type} instead of an event stream${words && ` (${words})`}`;
}

function encodingOf(answer: HttpAnswer): string | undefined {
  const encoding = answer.header('content-encoding')?.trim();
  return encoding && encoding.toLowerCase() !== 'identity' ? encoding : undefined;
}

const PLAIN_HEADERS = [
  ...['accept', 'content-type', 'anthropic-version', 'anthropic-beta', 'user-agent'],
  ...['x-amz-date', 'x-amz-content-sha256'],
];

/** All custom headers may hold secrets, and some servers echo what they were sent. */
function withSecretsOf(headers: Exchange['headers'], endpoint: Endpoint): Endpoint {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    PLAIN_HEADERS.includes(name.toLowerCase()) ? [] : [value, ...value.split(/\s+/)],
  );
  return { ...endpoint, secrets: [...new Set([...endpoint.secrets, ...values])] };
}

/** Empty for a compressed body, which would be shown as garbage. */
async function readBeginning(answer: HttpAnswer): Promise<string> {
  if (encodingOf(answer)) {
    answer.cancel();
    return '';
  }
  const { body } = answer;
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break; // leaving the loop cancels the rest
    }
  } catch {
    // the status is enough to report the failure, even if reading the body failed
  }
  return text;
}

/** An empty object for anything that is not an object. */
export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>) // just checked
    : {};
}
