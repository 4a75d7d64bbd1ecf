import {
  type Effort,
  type Model,
  type ModelEvent,
  type ModelFacts,
  ModelFailure,
  type ModelRequest,
} from '../../../contract/model.js';
import { lazy } from '../../../platform/lazy.js';
import type { ServerAccess } from '../../http/authorization.js';
import { accountOf, endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { chatBodies } from './openai-compatible-body.js';
import { chatEvents, isLastEvent } from './openai-compatible-events.js';
import { type Quirks, quirksOf } from './quirks.js';
import type { TextCallScanner } from './text-calls/text-call-scanner.js';
import { refusesTools } from './tools-refused.js';
import { validCallFields } from './valid-call.js';

const USUAL_OUTPUT_TOKENS = 8192; // assumed if nothing is known; not sent to the server

/** How calls that a model writes as text are read. */
export type TextCalls = 'recover' | 'prompt';

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
  /**
   * `recover`: the model may write calls as text, which are read like any other. `prompt`: it gets its tools described
   * in the system prompt, and always writes calls as text. Default: calls are recovered only if the server refuses tools.
   */
  textCalls?: TextCalls;
  headers?: Readonly<Record<string, string>>;
  /** The header that carries the key. Default: `Authorization: Bearer`. */
  keyHeader?: string;
  /** Follows the path of each request, for example "?api-version=2024-10-21". */
  query?: string;
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
  return chatModel(options);
}

/** The same for a server that is more than an address and a key. */
export function chatModel(options: OpenAiCompatibleOptions, access: ServerAccess = {}): Model {
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
  // Few models write calls as text, so the code for that is loaded with the first request that needs it.
  const callsAsText = lazy(async () => {
    const { quotedIn, TextCallScanner, textProtocol } = await import('./calls-as-text.js');
    return { quotedIn, TextCallScanner, write: textProtocol(bodies.schemaOf) };
  });
  // What this server turned out to refuse, remembered for all later requests.
  let hasTools = options.textCalls !== 'prompt';
  let forcesCalls = true;

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    const endpoint = chatEndpoint(options, access);
    const { tools } = request;
    const forced = forcesCalls
      ? validCallFields(request, { hasTools, validCall: quirks.validCall, schemaOf: bodies.schemaOf })
      : undefined;
    const readsText = options.textCalls !== undefined || !hasTools || forced?.['response_format'] !== undefined;
    const understanding = {
      provider,
      thinksInline: quirks.thinksInline,
      toolNames: new Set(tools.map((tool) => tool.name)),
      ownNames: (tool: string) => {
        const schema = bodies.schemaOf(tools, tool);
        return schema?.renames ? schema.fromWire : undefined;
      },
      ...(readsText && tools.length > 0 && !request.aside && { textCalls: await scannerFor(request) }),
    };
    yield* exchange({
      post,
      endpoint,
      headers: headersOf(options, endpoint),
      body: bodies.write(hasTools ? request : (await callsAsText()).write(request), forced),
      signal,
      onSent: request.onSent,
      events: (wire, masked) => chatEvents(wire, masked, understanding),
      isLast: isLastEvent,
      authorization: access.authorization,
    });
  }

  async function scannerFor({ tools, system, messages }: ModelRequest): Promise<TextCallScanner> {
    const { quotedIn, TextCallScanner } = await callsAsText();
    const schemas = tools.map(
      (tool) => [tool.name, bodies.schemaOf(tools, tool.name)?.schema ?? tool.input_schema] as const,
    );
    return new TextCallScanner({ tools: new Map(schemas), isQuoted: quotedIn(messages, system) });
  }

  return {
    provider,
    name,
    maxOutputTokens: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
    ...(facts && { facts }),
    check: () => void chatEndpoint(options, access),
    account: () => accountOf(() => chatEndpoint(options, access), access.authorization !== undefined),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      let hasAnswered = false;
      for (;;) {
        try {
          for await (const event of attempt(request, signal)) {
            hasAnswered = true;
            yield event;
          }
          return;
        } catch (error) {
          if (hasAnswered) throw error;
          if (hasTools && request.tools.length > 0 && refusesTools(error)) {
            hasTools = false;
            yield { type: 'notice', text: toolsRefused(name, error) };
          } else if (forcesCalls && request.expectedCall !== undefined && isInvalid(error)) forcesCalls = false;
          else throw error;
        }
      }
    },
  };
}

const isInvalid = (error: unknown): boolean => error instanceof ModelFailure && error.kind === 'invalid_request';

function toolsRefused(name: string, error: unknown): string {
  const why = error instanceof ModelFailure ? ` ${error.problem}` : '';
  return `${name} has no tools on this server.${why} They are described in its prompt from now on, and its calls are read from its text.`;
}

function chatEndpoint(options: OpenAiCompatibleOptions, access: ServerAccess): Endpoint {
  const { provider, name, apiKey } = options;
  const address = options.baseUrl
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/chat\/completions$/, '');
  const isBareHost = !access.isWholeAddress && /^https?:\/\/[^/]*$/.test(address);
  const variable = provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return endpointOf({
    model: name,
    isAuthorized: access.authorization !== undefined,
    facts: access,
    ...(options.query && { query: options.query }),
    address: isBareHost ? `${address}/v1` : address,
    path: '/chat/completions',
    ...(options.title && { title: options.title }),
    keys: [{ variable: options.keyVariable ?? `${variable}_API_KEY`, value: apiKey }],
    baseUrlVariable: options.baseUrlVariable ?? `${variable}_BASE_URL`,
  });
}

function headersOf({ headers, keyHeader }: OpenAiCompatibleOptions, { secret }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...headers,
    ...(secret && (keyHeader ? { [keyHeader]: secret.value } : { authorization: `Bearer ${secret.value}` })),
  };
}
