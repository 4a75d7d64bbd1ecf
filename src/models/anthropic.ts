import { type Model, type ModelEvent, ModelFailure } from '../contract/model.js';
import { anthropicBodies } from './anthropic-body.js';
import { fields, isLastEvent, modelEvents } from './anthropic-events.js';
import {
  brokenStreamFailure,
  type Endpoint,
  errorCode,
  networkReason,
  serverFailure,
  shorten,
  unreachableFailure,
} from './anthropic-failures.js';
import { readSse } from './read-sse.js';

const VENDOR_URL = 'https://api.anthropic.com';
const MAX_ERROR_BYTES = 64 * 1024; // an error is a few hundred bytes; a server that sends more is not worth waiting for

export interface AnthropicOptions {
  /** The model's name as the API knows it, for example "claude-sonnet-4-5". */
  name: string;
  apiKey?: string;
  /** A gateway's token; used before `apiKey` and sent as `Authorization: Bearer`. */
  authToken?: string;
  /** The part of the address before `/v1/messages`. Default: the vendor's public API. */
  baseUrl?: string;
  /** The `anthropic-version` header. */
  version?: string;
  /** In which header the key or token goes, where the default does not fit. */
  authStyle?: 'x-api-key' | 'bearer';
  maxOutputTokens?: number;
  /** Further headers, for example `anthropic-beta`. */
  headers?: Readonly<Record<string, string>>;
  /** Further fields of the request, for example `thinking`. */
  body?: Readonly<Record<string, unknown>> & { tools?: never; system?: never; messages?: never };
  /** Tools that the provider runs itself, as the API wants them declared. */
  serverTools?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  fetch?: typeof fetch;
}

/** A model behind the Anthropic Messages API or a server that speaks its format. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { name, maxOutputTokens = usualOutputLimit(name) } = options;
  const writeBody = anthropicBodies(
    { ...options.body, model: name, max_tokens: maxOutputTokens, stream: true },
    options.serverTools,
  );

  return {
    provider: 'anthropic',
    name,
    maxOutputTokens,
    check: () => void endpointOf(options),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = endpointOf(options);
      const headers = headersOf(options, endpoint);
      const post = options.fetch ?? fetch;
      let response: Response;
      try {
        // A redirect would carry the key to a server that nobody named.
        response = await post(endpoint.url, {
          method: 'POST',
          headers,
          body: writeBody(request),
          redirect: 'manual',
          signal,
        });
      } catch (error) {
        signal.throwIfAborted();
        throw unreachableFailure(endpoint, error);
      }
      yield* answerEvents(response, endpoint, signal);
    },
  };
}

/** The most that models of that name write in one answer, or less: asking for more is an error. */
function usualOutputLimit(name: string): number {
  if (/^claude-3-(opus|sonnet|haiku)/.test(name)) return 4096;
  if (/^claude-3-5/.test(name)) return 8192;
  return 32_000;
}

function endpointOf({ name, apiKey, authToken, baseUrl }: AnthropicOptions): Endpoint {
  const address = (baseUrl?.trim() || VENDOR_URL).replace(/\/+$/, '').replace(/\/v1$/, '');
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ModelFailure(
      'unreachable',
      `ANTHROPIC_BASE_URL is "${shorten(address)}", which is not a web address. Set it to one like ${VENDOR_URL}.`,
    );
  }
  if (url.username || url.password) {
    throw new ModelFailure(
      'unreachable',
      `ANTHROPIC_BASE_URL holds a user name or password for ${url.host}, which is not supported. Leave them out, and set ANTHROPIC_AUTH_TOKEN instead.`,
    );
  }
  const isVendor = url.origin === VENDOR_URL;
  const secret = secretOf(apiKey, authToken);
  if (!secret && isVendor) {
    throw new ModelFailure(
      'auth',
      'No key for the Anthropic API: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server that needs none.',
    );
  }
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  return {
    url: `${address}/v1/messages`,
    place,
    server: isVendor ? 'the Anthropic API' : `the model server at ${place}`,
    model: name,
    secret,
  };
}

function secretOf(apiKey: string | undefined, authToken: string | undefined): Endpoint['secret'] {
  const variable = authToken?.trim() ? 'ANTHROPIC_AUTH_TOKEN' : 'ANTHROPIC_API_KEY';
  const value = (authToken?.trim() || apiKey?.trim()) ?? '';
  if (value === '') return undefined;
  // Refused here because the platform's own error would show the value.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new ModelFailure(
      'auth',
      `${variable} holds a character that can't be in a key, such as a space, a line break or a typographic quote. Set it again.`,
    );
  }
  return { value, variable };
}

function headersOf(options: AnthropicOptions, { secret }: Endpoint): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'anthropic-version': options.version ?? '2023-06-01',
    ...options.headers,
  };
  const style = options.authStyle ?? (secret?.variable === 'ANTHROPIC_AUTH_TOKEN' ? 'bearer' : 'x-api-key');
  if (secret && style === 'bearer') headers['authorization'] = `Bearer ${secret.value}`;
  if (secret && style === 'x-api-key') headers['x-api-key'] = secret.value;
  return headers;
}

async function* answerEvents(
  response: Response,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, void> {
  try {
    if (!response.ok) throw await refusal(response, endpoint);
    if (!response.body || !isEventStream(response)) throw await wrongAnswer(response, endpoint);
    const wire = readSse(response.body, { isLast: isLastEvent });
    for await (const event of modelEvents(wire, endpoint)) {
      signal.throwIfAborted();
      yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelFailure) throw error;
    throw brokenStreamFailure(endpoint, networkReason(errorCode(error), error), error);
  }
}

async function refusal(response: Response, endpoint: Endpoint): Promise<ModelFailure> {
  const { status, headers } = response;
  const body = await readBeginning(response);
  const error = parseError(body);
  const retryAfter = headers.get('retry-after');
  return serverFailure(endpoint, {
    status,
    words: error?.message ?? (headers.get('location') || body || response.statusText),
    ...(error && { type: error.type }),
    ...(retryAfter && { retryAfter }),
  });
}

/** Nothing for a gateway's own page or text, which is shown as it is. */
function parseError(body: string): { type: string; message: string } | undefined {
  try {
    const { type, message } = fields(fields(JSON.parse(body))['error']);
    return typeof message === 'string' ? { type: String(type), message } : undefined;
  } catch {
    return undefined;
  }
}

/** A log-in page or another interface's answer: the address is wrong, not the stream. Without a type, try. */
function isEventStream(response: Response): boolean {
  return !/html|json/i.test(response.headers.get('content-type') ?? '');
}

async function wrongAnswer(response: Response, endpoint: Endpoint): Promise<ModelFailure> {
  const type = response.headers.get('content-type') ?? 'nothing';
  const words = shorten(await readBeginning(response), endpoint.secret?.value);
  return new ModelFailure(
    'unreachable',
    `${endpoint.url} answered with ${shorten(type)} instead of an event stream${words && ` (${words})`}. Check ANTHROPIC_BASE_URL.`,
    { status: response.status },
  );
}

async function readBeginning(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break; // leaving the loop cancels the rest
    }
  } catch {
    // the status says what went wrong, even where its explanation broke off
  }
  return text;
}
