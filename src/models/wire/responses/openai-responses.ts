import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import { endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { responsesBodies } from './openai-responses-body.js';
import { isLastEvent, modelEvents } from './openai-responses-events.js';

const VENDOR_URL = 'https://api.openai.com';

/** A model behind OpenAI's Responses. */
export interface OpenAiResponsesOptions {
  /** The model's name as the API knows it, for example "gpt-5". */
  name: string;
  apiKey?: string;
  /** The part of the address before `/v1/responses`. Default: the vendor's public API. */
  baseUrl?: string;
  /** Where the key and the address come from, as error messages name it. Default: the vendor's variables. */
  keyVariable?: string;
  baseUrlVariable?: string;
  /** Left out: as many as the model can write. */
  maxOutputTokens?: number;
  /** Left out: as much as the provider thinks right for the model. */
  effort?: Effort;
  facts?: ModelFacts;
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests instead of Node's own client, for example through a proxy. */
  fetch?: typeof fetch;
}

/**
 * A model behind the OpenAI Responses API or a server that speaks its format. Nothing is stored on the server: the whole
 * conversation goes along with each request, with the model's reasoning in the encrypted form in which it came.
 */
export function openAiResponsesModel(options: OpenAiResponsesOptions): Model {
  const { name, maxOutputTokens, effort, facts } = options;
  const writeBody = responsesBodies(
    {
      model: name,
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
      ...(effort && { reasoning: effort === 'none' ? { effort } : { effort, summary: 'auto' } }),
      ...(canReason(name) && { include: ['reasoning.encrypted_content'] }),
      store: false,
      stream: true,
    },
    { seesImages: facts?.seesImages ?? true },
  );
  const post = options.fetch ? postByFetch(options.fetch) : nodePost();

  return {
    provider: 'openai',
    name,
    maxOutputTokens: maxOutputTokens ?? usualOutputLimit(name),
    ...(facts && { facts }),
    check: () => void responsesEndpoint(options),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = responsesEndpoint(options);
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

/** Models that do not reason refuse a request for their reasoning. */
function canReason(name: string): boolean {
  return !/^(gpt-[34]|chatgpt-4)/.test(name);
}

/** What models of that name write in one answer at most, their reasoning included. */
function usualOutputLimit(name: string): number {
  if (/^(gpt-4o|chatgpt-4)/.test(name)) return 16_384;
  if (/^gpt-4/.test(name)) return 32_768;
  if (/^o\d/.test(name)) return 100_000;
  if (/^gpt-\d/.test(name)) return 128_000;
  return 32_000;
}

function responsesEndpoint({ name, apiKey, baseUrl, keyVariable, baseUrlVariable }: OpenAiResponsesOptions): Endpoint {
  return endpointOf({
    model: name,
    address: (baseUrl?.trim() || VENDOR_URL).replace(/\/+$/, '').replace(/\/v1$/, ''),
    path: '/v1/responses',
    vendor: { name: 'the OpenAI API', url: VENDOR_URL },
    keys: [{ variable: keyVariable ?? 'OPENAI_API_KEY', value: apiKey }],
    baseUrlVariable: baseUrlVariable ?? 'OPENAI_BASE_URL',
  });
}

function headersOf({ headers }: OpenAiResponsesOptions, { secret }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...headers,
    ...(secret && { authorization: `Bearer ${secret.value}` }),
  };
}
