import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import { endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { anthropicBodies } from './anthropic-body.js';
import { anthropicEffort } from './anthropic-effort.js';
import { isLastEvent, modelEvents } from './anthropic-events.js';

const VENDOR_URL = 'https://api.anthropic.com';

/** Options of a model behind Anthropic's Messages API. */
export interface AnthropicOptions {
  /** The model's name as the API knows it, for example "claude-sonnet-5-5". */
  name: string;
  apiKey?: string;
  /** A gateway's token; takes precedence over `apiKey` and is sent as `Authorization: Bearer`. */
  authToken?: string;
  /** The part of the address before `/v1/messages`. Default: the vendor's public API. */
  baseUrl?: string;
  /** The variables that the key and the address come from, for error messages. Default: the vendor's variables. */
  keyVariable?: string;
  baseUrlVariable?: string;
  /** The `anthropic-version` header. */
  version?: string;
  /** Which header carries the key or token, if the default does not fit. */
  authStyle?: 'x-api-key' | 'bearer';
  maxOutputTokens?: number;
  /** Default: adaptive thinking where the vendor recommends it, at the model's own effort. */
  effort?: Effort;
  facts?: ModelFacts;
  /** Additional headers, for example `anthropic-beta`. */
  headers?: Readonly<Record<string, string>>;
  /** Additional fields of the request, for example `thinking`. */
  body?: Readonly<Record<string, unknown>> & { tools?: never; system?: never; messages?: never };
  /** Tools that the provider runs itself, in the API's own declaration. */
  serverTools?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  /** Used for requests instead of Node's http client, for example to go through a proxy. */
  fetch?: typeof fetch;
}

/** A model behind the Anthropic Messages API or a server with the same format. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { name, maxOutputTokens = usualOutputLimit(name), effort, facts } = options;
  const thinking = anthropicEffort(name, effort, maxOutputTokens);
  const writeBody = anthropicBodies(
    { ...thinking, ...options.body, model: name, max_tokens: maxOutputTokens, stream: true },
    options.serverTools,
  );
  const post = options.fetch ? postByFetch(options.fetch) : nodePost();

  return {
    provider: 'anthropic',
    name,
    maxOutputTokens,
    ...(facts && { facts }),
    check: () => void anthropicEndpoint(options),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = anthropicEndpoint(options);
      yield* exchange({
        post,
        endpoint,
        headers: headersOf(options, endpoint),
        body: writeBody(request),
        signal,
        onSent: request.onSent,
        events: modelEvents,
        isLast: isLastEvent,
      });
    },
  };
}

/** The output limit of models with that name, or less: requesting more is an error. */
function usualOutputLimit(name: string): number {
  if (/^claude-3-(opus|sonnet|haiku)/.test(name)) return 4096;
  if (/^claude-3-5/.test(name)) return 8192;
  return 32_000;
}

function anthropicEndpoint(options: AnthropicOptions): Endpoint {
  const { name, apiKey, authToken, baseUrl, keyVariable, baseUrlVariable = 'ANTHROPIC_BASE_URL' } = options;
  return endpointOf({
    model: name,
    address: (baseUrl?.trim() || VENDOR_URL).replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, ''),
    path: '/v1/messages',
    vendor: { name: 'the Anthropic API', url: VENDOR_URL },
    keys: [
      { variable: keyVariable ?? 'ANTHROPIC_API_KEY', value: apiKey },
      ...(keyVariable && !authToken ? [] : [{ variable: 'ANTHROPIC_AUTH_TOKEN', value: authToken }]),
    ],
    baseUrlVariable,
  });
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
