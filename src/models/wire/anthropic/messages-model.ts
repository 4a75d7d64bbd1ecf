import type { Effort, Model, ModelFacts } from '../../../contract/model.js';
import type { Authorization } from '../../http/authorization.js';
import { accountOf } from '../../http/endpoint.js';
import { exchange, type ReadEvents } from '../../http/exchange.js';
import type { Endpoint } from '../../http/failures.js';
import { nodePost, postByFetch } from '../../http/post.js';
import { anthropicBodies } from './anthropic-body.js';
import { anthropicEffort } from './anthropic-effort.js';
import { isLastEvent, modelEvents } from './anthropic-events.js';

/** How to reach a server with the Messages format: Anthropic's own, or that of a cloud. */
export interface MessagesModelSetup {
  provider: string;
  name: string;
  maxOutputTokens?: number | undefined;
  effort?: Effort | undefined;
  facts?: ModelFacts | undefined;
  /** Fields of every request beside the conversation, its limit and the effort. */
  fields: Readonly<Record<string, unknown>>;
  serverTools?: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined;
  fetch?: typeof fetch | undefined;
  /** Throws `ModelFailure` if the configuration can't work. */
  endpoint(): Endpoint;
  headers(endpoint: Endpoint): Readonly<Record<string, string>>;
  authorization?: Authorization | undefined;
  readEvents?: ReadEvents | undefined;
}

/** A model behind a server with the Messages format. */
export function messagesModel(setup: MessagesModelSetup): Model {
  const { provider, name, maxOutputTokens = usualOutputLimit(name), effort, facts } = setup;
  const { authorization, readEvents } = setup;
  const thinking = anthropicEffort(name, effort, maxOutputTokens);
  const writeBody = anthropicBodies({ ...thinking, ...setup.fields, max_tokens: maxOutputTokens }, setup.serverTools);
  const post = setup.fetch ? postByFetch(setup.fetch) : nodePost();

  return {
    provider,
    name,
    maxOutputTokens,
    ...(facts && { facts }),
    check: () => void setup.endpoint(),
    account: () => accountOf(setup.endpoint, authorization !== undefined),
    release: () => post.release?.(),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const endpoint = setup.endpoint();
      yield* exchange({
        post,
        endpoint,
        headers: setup.headers(endpoint),
        body: writeBody(request),
        signal,
        onSent: request.onSent,
        events: modelEvents,
        isLast: isLastEvent,
        authorization,
        readEvents,
      });
    },
  };
}

/** The output limit of models with that name, or less: requesting more is an error. */
function usualOutputLimit(name: string): number {
  if (/claude-3-(opus|sonnet|haiku)/.test(name)) return 4096;
  if (/claude-3-5/.test(name)) return 8192;
  return 32_000;
}
