import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import { endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { anthropicBodies } from './anthropic-body.js';
import { anthropicEffort } from './anthropic-effort.js';
import { isLastEvent, modelEvents } from './anthropic-events.js';

const VENDOR_URL = 'https://api.anthropic.com';

/** A model behind Anthropic's Messages. */
export interface AnthropicOptions {
  /** The model's name as the API knows it, for example "claude-sonnet-5-5". */
  name: string;
  apiKey?: string;
  /** A gateway's token; used before `apiKey` and sent as `Authorization: Bearer`. */
  authToken?: string;
  /** The part of the address before `/v1/messages`. Default: the vendor's public API. */
  baseUrl?: string;
  /** Where the key and the address come from, as error messages name it. Default: the vendor's variables. */
  keyVariable?: string;
  baseUrlVariable?: string;
  /** The `anthropic-version` header. */
  version?: string;
  /** In which header the key or token goes, where the default does not fit. */
  authStyle?: 'x-api-key' | 'bearer';
  maxOutputTokens?: number;
  /** Left out: as much as the provider thinks right for the model. */
  effort?: Effort;
  facts?: ModelFacts;
  /** Further headers, for example `anthropic-beta`. */
  headers?: Readonly<Record<string, string>>;
  /** Further fields of the request, for example `thinking`. */
  body?: Readonly<Record<string, unknown>> & { tools?: never; system?: never; messages?: never };
  /** Tools that the provider runs itself, as the API wants them declared. */
  serverTools?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  /** Sends the requests instead of Node's own client, for example through a proxy. */
  fetch?: typeof fetch;
}

/** A model behind the Anthropic Messages API or a server that speaks its format. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { name, maxOutputTokens = usualOutputLimit(name), effort, facts } = options;
  const thinking = effort && anthropicEffort(name, effort, maxOutputTokens);
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
        events: modelEvents,
        isLast: isLastEvent,
      });
    },
  };
}

/** The most that models of that name write in one answer, or less: asking for more is an error. */
function usualOutputLimit(name: string): number {
  if (/^claude-3-(opus|sonnet|haiku)/.test(name)) return 4096;
  if (/^claude-3-5/.test(name)) return 8192;
  return 32_000;
}

function anthropicEndpoint(options: AnthropicOptions): Endpoint {
  const { name, apiKey, authToken, baseUrl, keyVariable, baseUrlVariable = 'ANTHROPIC_BASE_URL' } = options;
  return endpointOf({
    model: name,
    address: (baseUrl?.trim() || VENDOR_URL).replace(/\/+$/, '').replace(/\/v1$/, ''),
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
