import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import type { ServerAccess } from '../../http/authorization.js';
import { accountOf, endpointOf } from '../../http/endpoint.js';
import { exchange } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { geminiBodies } from './gemini-body.js';
import { geminiEvents } from './gemini-events.js';
import { isGemini3, thinkingConfig } from './gemini-names.js';

const VENDOR_URL = 'https://generativelanguage.googleapis.com';
const USUAL_OUTPUT_TOKENS = 65_536; // of all Gemini models since 2.5; not sent to the server

/** Options of a model behind Google's Gemini API. */
export interface GeminiOptions {
  /** The model's name as the API knows it, for example "gemini-3.8-flash". */
  name: string;
  apiKey?: string;
  /** The part of the address before `/v1beta`. Default: the vendor's public API. */
  baseUrl?: string;
  /** What follows `baseUrl`, if it is not the path of the Gemini API, as on Vertex AI. */
  path?: string;
  /** The provider's key in settings, which signatures are tagged with. Default: "google". */
  provider?: string;
  /** The variables that the key and the address come from, for error messages. Default: the vendor's variables. */
  keyVariable?: string;
  baseUrlVariable?: string;
  /** Which header carries the key. Default: `x-goog-api-key`. */
  authStyle?: 'x-goog-api-key' | 'bearer';
  /** Default: the model's limit. */
  maxOutputTokens?: number;
  /** Default: the provider's own default for the model. */
  effort?: Effort;
  facts?: ModelFacts;
  headers?: Readonly<Record<string, string>>;
  /** Additional fields of the request, for example `safetySettings`. */
  body?: Readonly<Record<string, unknown>> & { tools?: never; systemInstruction?: never; contents?: never };
  /** Used for requests instead of Node's http client, for example to go through a proxy. */
  fetch?: typeof fetch;
}

/** A model behind Google's Gemini API or a server with the same format. */
export function geminiModel(options: GeminiOptions): Model {
  return geminiApiModel(options);
}

/** How to reach a server that is more than an address and a key. */
export interface GeminiAccess extends ServerAccess {
  /** Replaces the address and key of the options. Throws `ModelFailure` if the configuration can't work. */
  endpoint?: () => Endpoint;
}

/** The same for a server that is more than an address and a key. */
export function geminiApiModel(options: GeminiOptions, access: GeminiAccess = {}): Model {
  const { authorization } = access;
  const endpointNow = access.endpoint ?? (() => geminiEndpoint(options, access));
  const { name, provider = 'google', maxOutputTokens, effort, facts } = options;
  const thinking = thinkingConfig(name, effort);
  const generationConfig = {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking && { thinkingConfig: thinking }),
  };
  const bodies = geminiBodies(
    { ...(Object.keys(generationConfig).length > 0 && { generationConfig }), ...options.body },
    { provider, seesImages: facts?.seesImages ?? true, isGemini3: isGemini3(name) },
  );
  const post = options.fetch ? postByFetch(options.fetch) : nodePost();

  return {
    provider,
    name,
    maxOutputTokens: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
    ...(facts && { facts }),
    check: () => void endpointNow(),
    account: () => accountOf(endpointNow, authorization !== undefined),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = endpointNow();
      const ownNames = (tool: string) => {
        const schema = bodies.schemaOf(request.tools, tool);
        return schema?.renames ? schema.fromWire : undefined;
      };
      yield* exchange({
        post,
        endpoint,
        headers: headersOf(options, endpoint),
        body: bodies.write(request),
        signal,
        onSent: request.onSent,
        events: (wire, masked) => geminiEvents(wire, masked, { provider, ownNames }),
        isLast: () => false, // no event is marked as the last one
        authorization,
      });
    },
  };
}

function geminiEndpoint(options: GeminiOptions, access: GeminiAccess): Endpoint {
  const { name, apiKey, baseUrl, keyVariable = 'GEMINI_API_KEY', baseUrlVariable } = options;
  const resource = name.includes('/') ? name : `models/${name}`; // tuned models have a folder of their own
  return endpointOf({
    model: name,
    isAuthorized: access.authorization !== undefined,
    facts: access,
    address: (baseUrl?.trim() || VENDOR_URL).replace(/(?<!\/)\/+$/, '').replace(/\/v1beta$/, ''),
    path: options.path ?? `/v1beta/${encodeURI(resource)}:streamGenerateContent?alt=sse`,
    vendor: { name: 'the Gemini API', url: VENDOR_URL },
    keys: [{ variable: keyVariable, value: apiKey }],
    baseUrlVariable: baseUrlVariable ?? 'GOOGLE_GEMINI_BASE_URL',
  });
}

function headersOf({ headers, authStyle }: GeminiOptions, { secret }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...headers,
    ...(secret &&
      (authStyle === 'bearer' ? { authorization: `Bearer ${secret.value}` } : { 'x-goog-api-key': secret.value })),
  };
}
