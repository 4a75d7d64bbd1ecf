import { ModelFailure, type ModelFailureKind, type ModelFailureOptions } from '../../contract/model.js';
import { errorCode, isCertificate, networkReason } from '../../platform/web/network-reason.js';

const MAX_WORDS = 300; // of a server's response in one message; enough for every error of the API, too short for a page

const MAX_MARKUP = 4096; // how much is searched for markup; a hostile page could make the search slow

/** What only the one who chose the server knows, for its error messages. */
export interface ErrorFacts {
  /** Errors of a cloud that need other words than those of most servers; undefined for all others. */
  explain?: ((error: ServerError, facts: string) => Judgement | undefined) | undefined;
  /** The variable or file that the address came from; undefined if it is the provider's own. */
  addressFrom?: string | undefined;
  /** A variable that names a proxy, which requests to models do not use. */
  proxyVariable?: string | undefined;
  /** For a model that the server does not know: a sentence with the nearest name. */
  nearestModel?: (() => Promise<string | undefined>) | undefined;
}

/** Where requests go and with which secret, and the names that error messages need. */
export interface Endpoint extends ErrorFacts {
  /** Where requests are posted: the base URL and `path`. */
  url: string;
  /** What follows the base URL, for example "/v1/messages". */
  path: string;
  /** Host and port. */
  place: string;
  /** "the Anthropic API", or the server that stands in for it. */
  server: string;
  model: string;
  secret: { value: string; variable: string } | undefined;
  /** Masked in all messages: the key, and the values of custom headers. */
  secrets: readonly string[];
  /** The variables that may hold the key, the most common first. */
  keyVariables: readonly string[];
  baseUrlVariable: string;
  /** What to check if the server can't be reached, if not only the network and the address. */
  unreachableAdvice?: string;
}

/** An error that a server reported, in an HTTP response (with a status) or in an event of its stream (without). */
export interface ServerError {
  status?: number;
  type?: string;
  /** More specific than `type` on some servers. */
  code?: string;
  /** The code of Google's `ErrorInfo`. */
  reason?: string;
  words: string;
  retryAfterMs?: number;
  /** No wait of minutes helps: the quota of the day is used up, or the model is not part of the plan. */
  isExhausted?: boolean;
  /** The words are a web page, so they come from a proxy or a login and not from the API. */
  isPage?: boolean;
}

export function serverFailure(endpoint: Endpoint, error: ServerError): ModelFailure {
  const { status } = error;
  const retryAfterMs = error.retryAfterMs ?? waitIn(error.words);
  const { kind, problem, ...rest } = judge(endpoint, { ...error, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  return new ModelFailure(kind, problem, {
    ...rest,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** An error in the middle of a stream has no headers; some servers say in words when to come back. */
function waitIn(words: string): number | undefined {
  const [, count, unit] = /\btry again in (\d{1,6}(?:\.\d{1,6})?) ?(ms|s|seconds?)\b/i.exec(words) ?? [];
  return count === undefined ? undefined : Math.ceil(Number(count) * (unit === 'ms' ? 1 : 1000));
}

/** What an error of a server means, and what to do about it. */
export interface Judgement extends Pick<ModelFailureOptions, 'advice' | 'about' | 'transient'> {
  kind: ModelFailureKind;
  problem: string;
}

function judge(endpoint: Endpoint, error: ServerError): Judgement {
  const { retryAfterMs } = error;
  const status = error.status ?? statusIn(error.code);
  const { model, secret, secrets, baseUrlVariable } = endpoint;
  const url = shownUrl(endpoint);
  const server = endpoint.server.charAt(0).toUpperCase() + endpoint.server.slice(1);
  const words = shorten(error.words, secrets);
  const name = shorten(String(error.status ?? error.type ?? error.code ?? ''), secrets) || 'error';
  const facts = `(${[name, words.replace(/\.$/, '')].filter(Boolean).join(': ')})`; // a sentence goes on after it
  const explained = endpoint.explain?.({ ...error, words }, facts);
  if (explained) return explained;
  // A proxy, a firewall or a captive portal; a gateway that wants a key or has failed may answer with a page, too.
  if (error.isPage && [403, 407, 511].includes(status ?? 0))
    return explainPage(endpoint.server, baseUrlVariable, facts);
  const says = (...names: string[]): boolean =>
    names.some((name) => name === error.type || name === error.code || name === error.reason);
  // Google words every quota as used up, even that of a minute.
  const isGoogleQuota = says('RESOURCE_EXHAUSTED') && /exceeded your current quota/i.test(words);

  // Checked first: servers report it with any status, and a retry does not help.
  if (
    status === 402 ||
    says('insufficient_quota', 'billing_error', 'exceeded_current_quota_error') ||
    (isUnpaid(words) && !isGoogleQuota)
  ) {
    const account = secret ? `The account of ${secret.variable}` : 'Your account';
    const problem = `${account} has no credit left at ${endpoint.server} ${facts}.`;
    return { kind: 'auth', problem, advice: 'Add credit there, or set another key.', about: 'credit' };
  }
  if (
    status === 401 ||
    status === 403 ||
    says('authentication_error', 'permission_error', 'invalid_api_key', 'invalid_authentication_error') ||
    says('UNAUTHENTICATED', 'PERMISSION_DENIED', 'API_KEY_INVALID')
  ) {
    const about = 'key' as const;
    if (secret) {
      return {
        kind: 'auth',
        problem: `${server} refused the key ${facts}.`,
        advice: `Check ${secret.variable}.`,
        about,
      };
    }
    const advice = `Set ${endpoint.keyVariables.join(' or ')}.`;
    return { kind: 'auth', problem: `${server} wants a key ${facts}.`, advice, about };
  }
  if (isUnknownModel({ ...error, ...(status !== undefined && { status }) }, words, model)) {
    const problem = `${server} does not know the model "${model}" ${facts}.`;
    return { kind: 'unknown_model', problem, advice: 'Check the name in --model or HELVE_MODEL.', about: 'model' };
  }
  if (status === 404 || says('not_found_error', 'NOT_FOUND')) {
    const advice = `Check ${baseUrlVariable}: it is the part before ${endpoint.path}.`;
    return { kind: 'unreachable', problem: `${url} does not exist ${facts}.`, advice, about: 'address' };
  }
  if (status === 413 || says(...TOO_LONG_NAMES) || (status !== 429 && isTooLong(words))) {
    const problem = `The conversation is too long for ${model} ${facts}.`;
    return { kind: 'context_overflow', problem, advice: 'Send less, or start a new conversation.' };
  }
  if (says('tool_use_failed')) {
    const problem = `${server} could not read a call of ${model} ${facts}.`;
    return { kind: 'broken_stream', problem, advice: 'Try again, or choose another model.' };
  }
  const isOverloaded = status === 529 || says('overloaded_error', 'engine_overloaded_error', 'UNAVAILABLE');
  if (isOverloaded || (isServers(status) && isBusy(words))) {
    return { kind: 'overloaded', problem: `${server} is overloaded ${facts}.`, advice: 'Try again in a while.' };
  }
  if (error.isExhausted) {
    const problem = `The quota for ${model} at ${endpoint.server} is used up ${facts}.`;
    const advice = 'Wait until it is renewed, set another key, or choose another model.';
    return { kind: 'rate_limited', problem, advice, transient: false };
  }
  if (
    status === 429 ||
    says('RESOURCE_EXHAUSTED', 'rate_limit_error', 'rate_limit_exceeded', 'rate_limit_reached_error')
  ) {
    const wait = retryAfterMs === undefined ? 'Wait a while' : `Wait ${Math.ceil(retryAfterMs / 1000)} s`;
    return { kind: 'rate_limited', problem: `${server} limits the rate ${facts}.`, advice: `${wait}, then try again.` };
  }
  if (status === 408 || status === 409 || isServers(status) || says('api_error', 'timeout_error', 'server_error')) {
    return { kind: 'server_error', problem: `${server} failed ${facts}.`, advice: 'Try again in a while.' };
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const advice = `Set ${baseUrlVariable} to the address itself, because keys do not follow redirects.`;
    return { kind: 'unreachable', problem: `${url} redirects elsewhere ${facts}.`, advice, about: 'address' };
  }
  const problem = `${server} rejected the request as invalid ${facts}.`;
  return { kind: 'invalid_request', problem, advice: 'A retry of the same request would fail too.' };
}

/** A refusal in HTML comes from something between here and the server. */
export const explainPage = (server: string, baseUrlVariable: string, facts: string): Judgement => ({
  kind: 'unreachable',
  problem: `A web page answered instead of ${server}, as of a proxy or a login ${facts}.`,
  advice: `Check the network and ${baseUrlVariable}.`,
  about: 'address',
});

/** A stream has no status; gateways send the upstream status as the code. */
const statusIn = (code: string | undefined): number | undefined =>
  code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;

const isServers = (status: number | undefined): boolean => status !== undefined && status >= 500;

const isBusy = (words: string): boolean => /overloaded|at capacity|high demand/i.test(words);

const isUnpaid = (words: string): boolean =>
  /insufficient balance|insufficient (account )?(credit|quota|funds)|credit balance is too low|requires more credits|credits are depleted|exceeded your current quota/i.test(
    words,
  );

/** A 404 page without an error type means a wrong address, not an unknown model. */
function isUnknownModel({ status, type, code }: ServerError, words: string, model: string): boolean {
  if (code === 'model_not_found' || code === 'invalid_model' || type === 'invalid_model') return true;
  const isTold = type !== undefined || code !== undefined;
  if (isTold && (status === 404 || type === 'not_found_error' || type === 'NOT_FOUND'))
    return /\bmodel\b/i.test(words) || words.includes(model);
  return (
    (status === 400 || status === 404 || status === undefined) &&
    /\bmodel not exist|not a valid model|\binvalid model\b|\bmodel\b.{0,200}\b(does not exist|not found)\b/i.test(words)
  );
}

const TOO_LONG_NAMES = ['request_too_large', 'context_length_exceeded', 'exceed_context_size_error'];

/** How servers report that a conversation is too long: few have an error type for it, and the status is 400. */
const TOO_LONG: readonly RegExp[] = [
  /prompt is too long/i,
  /exceed(s|ed|ing)? (the |your |this )?(model's |available )?(maximum |max )?(context|prompt) (limit|length|window|size)/i,
  /maximum (context|prompt|model) length/i,
  /context (length|window) (is )?(exceed|overflow)/i,
  /context window exceeds limit/i,
  /context the overflows|greater than the context length|context length of only/i,
  /exceeded model token limit/i,
  /input token count.{0,40}exceeds|token count of \d+ exceeds/i,
  /range of input length should be/i,
  /(input|prompt) (length )?(is too long|exceeds (the )?(context|max(imum)?) length)/i,
  /reduce the length of the (messages|prompt|input)/i,
];

const isTooLong = (words: string): boolean => TOO_LONG.some((pattern) => pattern.test(words));

/** The wait that the server asks for, in any of the usual headers: milliseconds, seconds or a date. */
export function retryAfterMs(header: (name: string) => string | undefined, now = Date.now()): number | undefined {
  const milliseconds = header('retry-after-ms')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const text = header('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The server did not respond at all. */
export function unreachableFailure(endpoint: Endpoint, error: unknown): ModelFailure {
  const { server, place } = endpoint;
  const code = errorCode(error);
  const why = shorten(`${code ? `${code}: ` : ''}${networkReason(error)}`, endpoint.secrets);
  return new ModelFailure(
    'unreachable',
    `Can't reach ${server.includes(place) ? server : `${server} at ${place}`} (${why}).`,
    {
      advice: unreachableAdvice(endpoint, code),
      about: 'network',
      cause: error,
    },
  );
}

/** What to check: the place that the address came from, where the network is not the cause. */
function unreachableAdvice(endpoint: Endpoint, code: string | undefined): string {
  const { place, proxyVariable } = endpoint;
  const advice = placeAdvice(endpoint, code);
  const isUnproxied = proxyVariable !== undefined && !isOnThisMachine(place);
  return isUnproxied ? `${advice} ${proxyVariable} is set, but Helve uses no proxy for models.` : advice;
}

function placeAdvice({ place, addressFrom, ...endpoint }: Endpoint, code: string | undefined): string {
  if (isCertificate(code)) {
    const from = addressFrom === undefined ? '' : `, which comes from ${addressFrom}`;
    return `Correct the address${from}, or the clock of this machine; a proxy may have replaced the certificate.`;
  }
  if (addressFrom !== undefined) {
    const isLocal = isOnThisMachine(place);
    const first = isLocal || code === 'ECONNREFUSED' ? 'start the server there' : 'check the network';
    return `The address comes from ${addressFrom}: ${first}, or correct the address.`;
  }
  if (isOnThisMachine(place)) return `Start the model server, or set ${endpoint.baseUrlVariable} to its address.`;
  const other = `Check the network, or set ${endpoint.baseUrlVariable} to the address of another server.`;
  return endpoint.unreachableAdvice ?? other;
}

/** A failure of an unknown model, with the nearest name. All others as they are. */
export async function withNearestModel(failure: ModelFailure, { nearestModel }: Endpoint): Promise<ModelFailure> {
  const { kind, about, problem, message } = failure;
  if (kind !== 'unknown_model' || about !== 'model') return failure;
  const nearest = await nearestModel?.();
  if (nearest === undefined) return failure;
  const { status, transient } = failure;
  const advice = message.slice(problem.length).trim();
  return new ModelFailure(kind, `${problem} ${nearest}`, { advice, about, status, transient, cause: failure.cause });
}

/** The network plays no part in reaching a server on this machine. */
const isOnThisMachine = (place: string): boolean =>
  /^(?:\w+:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i.test(place);

/** The response started and did not finish. */
export function brokenStreamFailure(endpoint: Endpoint, why: string, cause?: unknown): ModelFailure {
  const problem = `The answer of ${endpoint.model} from ${endpoint.place} broke off: ${shorten(why, endpoint.secrets)}.`;
  return new ModelFailure('broken_stream', problem, { advice: 'Try again.', cause });
}

/**
 * The address for messages. If the base URL has a query, that and the path are left out, since either may hold a key;
 * a query of our own path is only left out.
 */
export function shownUrl({ url, path, secrets }: Endpoint): string {
  const { origin, pathname } = new URL(url);
  const base = url.endsWith(path) ? url.slice(0, url.length - path.length) : url;
  return shorten(base.includes('?') ? origin : `${origin}${pathname}`, secrets);
}

/** One line without markup, control characters or secrets, which some servers repeat. */
export function shorten(words: string, secrets: readonly string[] = []): string {
  // Masked before the text is cut, and again after removing markup that may have split a secret.
  const line = mask(words, secrets)
    .slice(0, MAX_MARKUP)
    .replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const safe = mask(line, secrets);
  return safe.length > MAX_WORDS ? `${safe.slice(0, MAX_WORDS)}…` : safe;
}

const LEAST_SECRET = 8; // anything shorter is a placeholder

function mask(words: string, secrets: readonly string[]): string {
  return secrets
    .map((secret) => secret.replaceAll(/\s/g, ''))
    .filter(({ length }) => length >= LEAST_SECRET)
    .toSorted((one, other) => other.length - one.length) // a secret may be part of another
    .reduce((text, secret) => text.replaceAll(spaced(secret), '[key]'), words);
}

/** Matches the secret with or without spaces between its characters. */
function spaced(secret: string): RegExp {
  return new RegExp([...secret].map((character) => character.replace(/[^\w]/u, '\\$&')).join('\\s*'), 'g');
}
