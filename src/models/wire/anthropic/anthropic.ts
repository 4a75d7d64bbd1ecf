import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import type { ServerAccess } from '../../http/authorization.js';
import { endpointOf } from '../../http/endpoint.js';
import type { Endpoint } from '../../http/failures.js';
import { messagesModel } from './messages-model.js';

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
  return messagesApiModel(options);
}

/** The same for a server that is more than an address and a key. */
export function messagesApiModel(options: AnthropicOptions, access: ServerAccess = {}): Model {
  const { name, body, serverTools, fetch } = options;
  return messagesModel({
    ...options,
    provider: 'anthropic',
    fields: { ...body, model: name, stream: true },
    serverTools,
    fetch,
    authorization: access.authorization,
    endpoint: () => anthropicEndpoint(options, access),
    headers: (endpoint) => headersOf(options, endpoint),
  });
}

function anthropicEndpoint(options: AnthropicOptions, access: ServerAccess): Endpoint {
  const { name, apiKey, authToken, baseUrl, keyVariable, baseUrlVariable = 'ANTHROPIC_BASE_URL' } = options;
  return endpointOf({
    model: name,
    isAuthorized: access.authorization !== undefined,
    facts: access,
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
