import type { AssistantBlock } from '../../../contract/message.js';
import type { ModelEvent, StopReason, Usage } from '../../../contract/model.js';
import { errorIn, fields } from '../../http/exchange.js';
import { brokenStreamFailure, type Endpoint, serverFailure, shorten } from '../../http/failures.js';
import type { SseEvent } from '../../http/read-sse.js';
import { eventFields, text } from '../event-fields.js';
import type { KeptValue } from './gemini-body.js';

type Fields = Record<string, unknown>;

export interface GeminiEventsOptions {
  /** The provider that signatures are tagged with when they are sent back. */
  provider: string;
  /** Maps the provider's parameter names back to the tool's own, for tools whose parameters were renamed. */
  ownNames(tool: string): ((input: unknown) => unknown) | undefined;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  STOP: 'end_turn',
  MAX_TOKENS: 'max_tokens',
  CONTINUATION: 'max_tokens', // the limit of one request
};

/** Finish reasons after which the same request may succeed. */
const FAILED: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: 'the model wrote a call that the server could not parse',
  UNEXPECTED_TOOL_CALL: 'the model called a tool that the server does not know',
  TOO_MANY_TOOL_CALLS: 'the model made too many calls in a row',
  MALFORMED_RESPONSE: 'the model wrote an answer that the server could not parse',
  MISSING_THOUGHT_SIGNATURE: 'the server missed a thought signature',
};

/** Why the server withheld an answer or blocked a prompt. */
const REFUSED: Readonly<Record<string, string>> = {
  SAFETY: 'a safety filter objects to it',
  RECITATION: 'it repeats a text of others too closely',
  LANGUAGE: 'its language is not supported',
  BLOCKLIST: 'it has blocked terms',
  PROHIBITED_CONTENT: 'it has prohibited content',
  SPII: 'it may have sensitive personal data',
  IMAGE_SAFETY: 'a safety filter objects to an image in it',
  MODEL_ARMOR: 'Model Armor objects to it',
  JAILBREAK: 'it looks like an attempt to break the rules of the model',
};

/** Translates the wire's events into `ModelEvent`s. Throws `ModelFailure` for an error and for a stream without an end. */
export async function* geminiEvents(
  wire: AsyncIterable<SseEvent>,
  endpoint: Endpoint,
  options: GeminiEventsOptions,
): AsyncGenerator<ModelEvent, void, void> {
  const parts = new StreamedParts(endpoint, options);
  let usage: Usage = noUsage;
  let hasBegun = false;
  let finish = { reason: '', words: '' };
  let block = { reason: '', words: '' };

  // To the end of the stream: the last event has no mark of its own, and usage may follow the finish reason.
  for await (const { data } of wire) {
    if (data.trim() === '' || data.trim() === '[DONE]') continue;
    const chunk = eventFields(data, endpoint);
    if (chunk['error'] !== undefined) throw serverFailure(endpoint, errorIn(chunk) ?? { words: data });
    if (!hasBegun) {
      hasBegun = true;
      const model = text(chunk['modelVersion']) || endpoint.model;
      const counted = usageIn(fields(chunk['usageMetadata']));
      yield { type: 'message_start', id: text(chunk['responseId']), model, ...(counted && { usage: counted }) };
    }
    const candidate = firstCandidate(chunk);
    const { parts: news } = fields(candidate['content']);
    if (Array.isArray(news)) for (const part of news) yield* parts.take(fields(part));
    usage = usageIn(fields(chunk['usageMetadata'])) ?? usage;
    finish = reasonIn(candidate['finishReason'], candidate['finishMessage']) ?? finish;
    const feedback = fields(chunk['promptFeedback']);
    block = reasonIn(feedback['blockReason'], feedback['blockReasonMessage']) ?? block;
  }

  if (!hasBegun) throw brokenStreamFailure(endpoint, 'it held nothing');
  if (finish.reason === '' && block.reason === '') {
    throw brokenStreamFailure(endpoint, 'the connection ended before the message did');
  }
  const failed = FAILED[finish.reason];
  if (failed)
    throw brokenStreamFailure(endpoint, `${failed} (${[finish.reason, finish.words].filter(Boolean).join(': ')})`);
  yield* parts.close();
  const known = block.reason === '' ? STOP_REASONS[finish.reason] : undefined;
  if (known) {
    yield { type: 'message_end', stopReason: known === 'end_turn' && parts.calls > 0 ? 'tool_use' : known, usage };
    return;
  }
  const said =
    block.reason === '' ? `the answer was stopped${because(finish)}` : `the prompt was blocked${because(block)}`;
  const explanation = shorten(said, endpoint.secrets);
  yield { type: 'message_end', stopReason: 'refusal', usage, explanation };
}

function because({ reason, words }: { reason: string; words: string }): string {
  const why = REFUSED[reason];
  return `${why ? `, because ${why}` : ''} (${[reason, words].filter(Boolean).join(': ')})`;
}

function reasonIn(reason: unknown, words: unknown): { reason: string; words: string } | undefined {
  const name = text(reason);
  return name === '' || name.endsWith('_UNSPECIFIED') ? undefined : { reason: name, words: text(words) };
}

/** Only one candidate is requested; others are ignored. */
function firstCandidate({ candidates }: Fields): Fields {
  const all = Array.isArray(candidates) ? candidates.map(fields) : [];
  return all.find(({ index }) => typeof index !== 'number' || index === 0) ?? {};
}

/** The parts of an answer. Texts arrive in pieces, everything else whole. */
class StreamedParts {
  readonly #endpoint: Endpoint;
  readonly #options: GeminiEventsOptions;
  #open: { kind: 'text' | 'thinking'; text: string } | undefined;
  calls = 0;

  constructor(endpoint: Endpoint, options: GeminiEventsOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  *take(part: Fields): Generator<ModelEvent> {
    const { thoughtSignature, ...rest } = part;
    const signature = text(thoughtSignature);
    if (rest['functionCall'] !== undefined) yield* this.#call(fields(rest['functionCall']), signature);
    else if (typeof rest['text'] === 'string') {
      yield* this.#words(rest['thought'] === true ? 'thinking' : 'text', rest['text'], signature);
    } else if (Object.keys(part).length > 0) yield* this.#whole(part);
  }

  /** Ends the current text: something else starts, or the stream ends. */
  *close(): Generator<ModelEvent> {
    const open = this.#open;
    this.#open = undefined;
    if (open) yield { type: 'block', block: blockOf(open) };
  }

  /** A piece with a signature is a part of its own, so that the signature goes back on exactly that part. */
  *#words(kind: 'text' | 'thinking', words: string, signature: string): Generator<ModelEvent> {
    if (words === '') {
      if (signature === '') return;
      yield* this.#whole({ text: '', ...(kind === 'thinking' && { thought: true }), thoughtSignature: signature });
      return;
    }
    if (signature !== '' || this.#open?.kind !== kind) yield* this.close();
    if (signature !== '') yield this.#keep({ type: 'signature', of: kind, thoughtSignature: signature });
    this.#open ??= { kind, text: '' };
    this.#open.text += words;
    yield { type: kind === 'text' ? 'text_delta' : 'thinking_delta', text: words };
    if (signature !== '') yield* this.close();
  }

  *#call({ id, name, args }: Fields, signature: string): Generator<ModelEvent> {
    const tool = text(name);
    if (tool === '') throw brokenStreamFailure(this.#endpoint, 'it held a tool call without a name');
    yield* this.close();
    if (signature !== '') yield this.#keep({ type: 'signature', of: 'tool_use', thoughtSignature: signature });
    const index = this.calls++;
    const input = args ?? {};
    // Gateways that translate from other formats have been seen to send the arguments as text.
    const json = typeof input === 'string' ? input : JSON.stringify(this.#options.ownNames(tool)?.(input) ?? input);
    yield { type: 'call_start', index, id: text(id), name: tool };
    if (json !== '') yield { type: 'call_input', index, json };
    yield { type: 'call_end', index };
  }

  *#whole(part: Fields): Generator<ModelEvent> {
    yield* this.close();
    yield this.#keep({ type: 'part', part });
  }

  #keep(value: KeptValue): ModelEvent {
    return { type: 'block', block: { type: 'opaque', provider: this.#options.provider, value: { ...value } } };
  }
}

/** Thoughts have no signature in our own sense: what the API signs is the part, and that is kept in a block of its own. */
function blockOf({ kind, text: words }: { kind: 'text' | 'thinking'; text: string }): FinishedBlock {
  return kind === 'text' ? { type: 'text', text: words } : { type: 'thinking', thinking: words, signature: '' };
}

type FinishedBlock = Exclude<AssistantBlock, { type: 'tool_use' }>;

const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Counts are cumulative. Cached tokens are included in the prompt's, and thoughts are not in the candidates'. */
function usageIn(counts: Fields): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = counts;
  if ([promptTokenCount, candidatesTokenCount, thoughtsTokenCount].every((value) => value === undefined))
    return undefined;
  const read = count(counts['cachedContentTokenCount']);
  return {
    input_tokens: Math.max(0, count(promptTokenCount) + count(counts['toolUsePromptTokenCount']) - read),
    output_tokens: count(candidatesTokenCount) + count(thoughtsTokenCount),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: 0,
  };
}

const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
