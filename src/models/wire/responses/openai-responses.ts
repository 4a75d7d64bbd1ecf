import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import type { ServerAccess } from '../../http/authorization.js';
import { accountOf, endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { responsesBodies } from './openai-responses-body.js';
import { isLastEvent, modelEvents } from './openai-responses-events.js';

const VENDOR_URL = 'https://api.openai.com';

/** Options of a model behind OpenAI's Responses API. */
export interface OpenAiResponsesOptions {
  /** The provider's key in settings. Default: "openai". */
  provider?: string;
  /** The model's name as the API knows it, for example "gpt-5". */
  name: string;
  apiKey?: string;
  /** The part of the address before `/v1/responses`. Default: the vendor's public API. */
  baseUrl?: string;
  /** The variables that the key and the address come from, for error messages. Default: the vendor's variables. */
  keyVariable?: string;
  baseUrlVariable?: string;
  /** Default: the model's limit. */
  maxOutputTokens?: number;
  /** Default: the provider's own default for the model. */
  effort?: Effort;
  facts?: ModelFacts;
  headers?: Readonly<Record<string, string>>;
  /** The header that carries the key. Default: `Authorization: Bearer`. */
  keyHeader?: string;
  /** Follows the path of each request, for example "?api-version=2024-10-21". */
  query?: string;
  /** The server's name in error messages. */
  title?: string;
  /** Used for requests instead of Node's http client, for example to go through a proxy. */
  fetch?: typeof fetch;
}

/**
 * A model behind the OpenAI Responses API or a server with the same format. Nothing is stored on the server: each
 * request carries the whole conversation, with the model's reasoning in encrypted form.
 */
export function openAiResponsesModel(options: OpenAiResponsesOptions): Model {
  return responsesModel(options);
}

/** The same for a server that is more than an address and a key. */
export function responsesModel(options: OpenAiResponsesOptions, access: ServerAccess = {}): Model {
  const { provider = 'openai', name, maxOutputTokens, effort, facts } = options;
  const writeBody = responsesBodies(
    {
      model: name,
      ...(maxOutputTokens !== undefined && !access.isPlan && { max_output_tokens: maxOutputTokens }),
      ...(effort && { reasoning: effort === 'none' ? { effort } : { effort, summary: 'auto' } }),
      ...(canReason(name) && { include: ['reasoning.encrypted_content'] }),
      store: false,
      stream: true,
    },
    { seesImages: facts?.seesImages ?? true, toolsAsItem: access.isPlan },
  );
  const post = options.fetch ? postByFetch(options.fetch) : nodePost();

  return {
    provider,
    name,
    maxOutputTokens: maxOutputTokens ?? usualOutputLimit(name),
    ...(facts && { facts }),
    check: () => void responsesEndpoint(options, access),
    account: () => accountOf(() => responsesEndpoint(options, access), access.authorization !== undefined),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = responsesEndpoint(options, access);
      yield* exchange({
        post,
        endpoint,
        headers: headersOf(options, endpoint),
        body: writeBody(request),
        signal,
        onSent: request.onSent,
        events: modelEvents,
        isLast: isLastEvent,
        authorization: access.authorization,
      });
    },
  };
}

/** Models without reasoning refuse requests for it. */
function canReason(name: string): boolean {
  return !/^(gpt-[34]|chatgpt-4)/.test(name);
}

/** The output limit of models with that name, including reasoning. */
function usualOutputLimit(name: string): number {
  if (/^(gpt-4o|chatgpt-4)/.test(name)) return 16_384;
  if (/^gpt-4/.test(name)) return 32_768;
  if (/^o\d/.test(name)) return 100_000;
  if (/^gpt-\d/.test(name)) return 128_000;
  return 32_000;
}

function responsesEndpoint(options: OpenAiResponsesOptions, access: ServerAccess): Endpoint {
  const { name, apiKey, baseUrl, keyVariable, baseUrlVariable, title, query } = options;
  return endpointOf({
    model: name,
    isAuthorized: access.authorization !== undefined,
    facts: access,
    address: (baseUrl?.trim() || VENDOR_URL).replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, ''),
    path: '/v1/responses',
    query,
    ...(title && { title }),
    vendor: { name: 'the OpenAI API', url: VENDOR_URL },
    keys: [{ variable: keyVariable ?? 'OPENAI_API_KEY', value: apiKey }],
    baseUrlVariable: baseUrlVariable ?? 'OPENAI_BASE_URL',
  });
}

function headersOf({ headers, keyHeader }: OpenAiResponsesOptions, { secret }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...headers,
    ...(secret && (keyHeader ? { [keyHeader]: secret.value } : { authorization: `Bearer ${secret.value}` })),
  };
}
