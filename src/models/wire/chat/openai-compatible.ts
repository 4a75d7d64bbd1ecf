import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import { endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { chatBodies } from './openai-compatible-body.js';
import { chatEvents, isLastEvent } from './openai-compatible-events.js';
import { type Quirks, quirksOf } from './quirks.js';

const USUAL_OUTPUT_TOKENS = 8192; // assumed if nothing is known; not sent to the server

/** Options of a model behind OpenAI's Chat Completions API or a server with the same format. */
export interface OpenAiCompatibleOptions {
  /** The provider's key in settings. A known provider brings its quirks. */
  provider: string;
  /** The model's name as the server knows it, for example "deepseek-chat". */
  name: string;
  apiKey?: string;
  /** The part of the address before `/chat/completions`; for a bare host, `/v1` is added. */
  baseUrl: string;
  /** Default: the server's limit. */
  maxOutputTokens?: number;
  /** Default: the server's own default for the model. */
  effort?: Effort;
  /** Overrides of the provider's known quirks. */
  quirks?: Partial<Quirks>;
  facts?: ModelFacts;
  headers?: Readonly<Record<string, string>>;
  /** Used for requests instead of Node's http client, for example to go through a proxy. */
  fetch?: typeof fetch;
  /** The server's name in error messages. */
  title?: string;
  /** The variables that the key and the address come from. Default: named after the provider. */
  keyVariable?: string;
  baseUrlVariable?: string;
}

/** A model behind a server with the Chat Completions format, which most servers have. */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const { provider, name, baseUrl, maxOutputTokens, effort, facts } = options;
  const quirks = quirksOf(provider, baseUrl, options.quirks);
  const bodies = chatBodies(
    {
      model: name,
      ...(maxOutputTokens !== undefined && { [quirks.maxTokensField]: maxOutputTokens }),
      stream: true,
      ...(quirks.asksForUsage && { stream_options: { include_usage: true } }),
      ...quirks.fields,
      ...(effort && quirks.effort[effort]),
    },
    { provider, quirks, seesImages: facts?.seesImages ?? true },
  );
  const post = options.fetch ? postByFetch(options.fetch) : nodePost();

  return {
    provider,
    name,
    maxOutputTokens: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
    ...(facts && { facts }),
    check: () => void chatEndpoint(options),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = chatEndpoint(options);
      const { tools } = request;
      const understanding = {
        provider,
        thinksInline: quirks.thinksInline,
        toolNames: new Set(tools.map((tool) => tool.name)),
        ownNames: (tool: string) => {
          const schema = bodies.schemaOf(tools, tool);
          return schema?.renames ? schema.fromWire : undefined;
        },
      };
      yield* exchange({
        post,
        endpoint,
        headers: headersOf(options, endpoint),
        body: bodies.write(request),
        signal,
        onSent: request.onSent,
        events: (wire, masked) => chatEvents(wire, masked, understanding),
        isLast: isLastEvent,
      });
    },
  };
}

function chatEndpoint(options: OpenAiCompatibleOptions): Endpoint {
  const { provider, name, apiKey } = options;
  const address = options.baseUrl
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/chat\/completions$/, '');
  const isBareHost = /^https?:\/\/[^/]*$/.test(address);
  const variable = provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return endpointOf({
    model: name,
    address: isBareHost ? `${address}/v1` : address,
    path: '/chat/completions',
    ...(options.title && { title: options.title }),
    keys: [{ variable: options.keyVariable ?? `${variable}_API_KEY`, value: apiKey }],
    baseUrlVariable: options.baseUrlVariable ?? `${variable}_BASE_URL`,
  });
}

function headersOf({ headers }: OpenAiCompatibleOptions, { secret }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...headers,
    ...(secret && { authorization: `Bearer ${secret.value}` }),
  };
}
