import { ModelFailure, type ModelFailureKind } from '../contract/model.js';

const MAX_WORDS = 300; // of a server's answer in one sentence; enough for every error of the API, and a page stays out

const MAX_MARKUP = 4096; // searched for markup, which a hostile page could make slow

/** Where requests go and with which secret, in the words that a sentence about a failure needs. */
export interface Endpoint {
  /** Where messages are posted. */
  url: string;
  /** Host and port. */
  place: string;
  /** "the Anthropic API", or the server that stands in for it. */
  server: string;
  model: string;
  secret: { value: string; variable: string } | undefined;
}

/** What a server said went wrong, in an HTTP answer (with a status) or in an event of its stream (without). */
export interface ServerError {
  status?: number;
  type?: string;
  words: string;
  retryAfter?: string;
}

export function serverFailure(endpoint: Endpoint, error: ServerError): ModelFailure {
  const { status } = error;
  const { kind, sentence } = judge(endpoint, error);
  return new ModelFailure(kind, sentence, status === undefined ? {} : { status });
}

function judge(endpoint: Endpoint, error: ServerError): { kind: ModelFailureKind; sentence: string } {
  const { status, type } = error;
  const { model, secret, url } = endpoint;
  const server = endpoint.server.charAt(0).toUpperCase() + endpoint.server.slice(1);
  const words = shorten(error.words, secret?.value);
  const facts = `(${[String(status ?? type ?? 'error'), words].filter(Boolean).join(': ')})`;

  if (status === 401 || status === 403 || type === 'authentication_error' || type === 'permission_error') {
    const sentence = secret
      ? `${server} refused the key ${facts}. Check ${secret.variable}.`
      : `${server} wants a key ${facts}. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.`;
    return { kind: 'auth', sentence };
  }
  if (status === 404 || type === 'not_found_error') {
    if (type === 'not_found_error' && (/\bmodel\b/i.test(words) || words.includes(model))) {
      const sentence = `${server} does not know the model "${model}" ${facts}. Check the name in --model or HELVE_MODEL.`;
      return { kind: 'unknown_model', sentence };
    }
    const sentence = `${url} does not exist ${facts}. Check ANTHROPIC_BASE_URL: it is the part before /v1/messages.`;
    return { kind: 'unreachable', sentence };
  }
  if (status === 413 || type === 'request_too_large' || isTooLong(words)) {
    const sentence = `The conversation is too long for ${model} ${facts}. Send less, or start a new conversation.`;
    return { kind: 'context_overflow', sentence };
  }
  if (status === 429 || type === 'rate_limit_error') {
    const wait = /^\d+$/.test(error.retryAfter ?? '') ? `Wait ${error.retryAfter} s` : 'Wait a while';
    return { kind: 'rate_limited', sentence: `${server} limits the rate ${facts}. ${wait}, then try again.` };
  }
  if (status === 529 || type === 'overloaded_error') {
    return { kind: 'overloaded', sentence: `${server} is overloaded ${facts}. Try again in a while.` };
  }
  if (
    status === 408 ||
    status === 409 ||
    (status !== undefined && status >= 500) ||
    type === 'api_error' ||
    type === 'timeout_error'
  ) {
    return { kind: 'server_error', sentence: `${server} failed ${facts}. Try again in a while.` };
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const sentence = `${url} redirects elsewhere ${facts}. Set ANTHROPIC_BASE_URL to the address itself, because keys do not follow redirects.`;
    return { kind: 'unreachable', sentence };
  }
  const sentence = `${server} rejected the request as invalid ${facts}. Sending it again as it is can't help.`;
  return { kind: 'invalid_request', sentence };
}

function isTooLong(words: string): boolean {
  return /prompt is too long|exceed(s|ed)? (the )?(model's )?(maximum )?context (limit|length|window)/i.test(words);
}

/** A server that did not answer at all. */
export function unreachableFailure(endpoint: Endpoint, error: unknown): ModelFailure {
  const { server, place } = endpoint;
  const code = errorCode(error);
  return new ModelFailure(
    'unreachable',
    `Can't reach ${server.includes(place) ? server : `${server} at ${place}`} (${code ? `${code}: ` : ''}${networkReason(code, error)}). Check the network, and ANTHROPIC_BASE_URL if the server is another one.`,
    { cause: error },
  );
}

/** An answer that began and did not come to its end. */
export function brokenStreamFailure(endpoint: Endpoint, why: string, cause?: unknown): ModelFailure {
  const sentence = `The answer of ${endpoint.model} from ${endpoint.place} broke off: ${why}. Try again.`;
  return new ModelFailure('broken_stream', sentence, { cause });
}

/** Why a connection failed, in words. */
export function networkReason(code: string | undefined, error: unknown): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name is not found';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return 'the other side closed the connection';
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to it';
  if (code?.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'no answer in time';
  if (code && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code)) {
    return 'its certificate is not trusted here, set NODE_EXTRA_CA_CERTS if it should be';
  }
  return shorten(innermost(error).message);
}

export function errorCode(error: unknown): string | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
  }
  return undefined;
}

function innermost(error: unknown): Error {
  let inner = error instanceof Error ? error : new Error(String(error));
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner;
}

/** One line without markup, control characters or the secret, which some servers repeat. */
export function shorten(words: string, secret = ''): string {
  const safe = secret.length >= 8 ? words.replaceAll(secret, '[key]') : words; // anything shorter is a placeholder
  const line = safe
    .slice(0, MAX_MARKUP)
    .replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}
