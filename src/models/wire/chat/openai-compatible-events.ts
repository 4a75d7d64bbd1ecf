import type { AssistantBlock } from '../../../contract/message.js';
import type { ModelEvent, StopReason, Usage } from '../../../contract/model.js';
import { isObject } from '../../../platform/is-object.js';
import { errorIn, fields } from '../../http/exchange.js';
import { brokenStreamFailure, type Endpoint, serverFailure } from '../../http/failures.js';
import type { SseEvent } from '../../http/read-sse.js';
import { eventFields, text } from '../event-fields.js';
import { InlineThinking } from './inline-thinking.js';
import { type CallPiece, StreamedCalls, type StreamedCallsOptions } from './streamed-calls.js';
import type { FoundCalls, TextCallScanner } from './text-calls/text-call-scanner.js';

type Fields = Record<string, unknown>;

export interface ChatEventsOptions extends Omit<StreamedCallsOptions, 'strayPiece'> {
  /** The provider that reasoning is tagged with when it is sent back. */
  provider: string;
  thinksInline: boolean;
  /** Reads calls that the model writes as text, unless there are others. Default: text stays text. */
  textCalls?: TextCallScanner | undefined;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  end_turn: 'end_turn',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  content_filter: 'refusal',
  sensitive: 'refusal',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_overflow',
};

/** Finish reasons that are failures, as the error that other servers would have sent. */
const FAILED: Readonly<Record<string, string>> = {
  error: 'api_error',
  network_error: 'api_error',
  insufficient_system_resource: 'overloaded_error',
};

/**
 * Translates the wire's events into `ModelEvent`s. Throws `ModelFailure` for an error event and for a stream without an
 * end.
 */
export async function* chatEvents(
  wire: AsyncIterable<SseEvent>,
  endpoint: Endpoint,
  options: ChatEventsOptions,
): AsyncGenerator<ModelEvent, void, void> {
  const calls = new StreamedCalls({ ...options, strayPiece: (why) => brokenStreamFailure(endpoint, why) });
  const words = new Words(options);
  let usage: Usage = noUsage;
  let stopReason: StopReason | null = null;
  let hasBegun = false;
  let hasFinished = false;

  for await (const event of wire) {
    if (isLastEvent(event)) {
      hasFinished = true;
      break;
    }
    if (event.data.trim() === '') continue;
    const chunk = eventFields(event.data, endpoint);
    if (isError(chunk, event)) throw serverFailure(endpoint, errorIn(chunk) ?? { words: event.data });
    if (!hasBegun) {
      hasBegun = true;
      const counted = usageIn(chunk['usage']);
      const model = text(chunk['model']) || endpoint.model;
      yield { type: 'message_start', id: text(chunk['id']), model, ...(counted && { usage: counted }) };
    }
    const choice = firstChoice(chunk);
    const isWhole = (choice['delta'] ?? undefined) === undefined;
    const delta = fields(isWhole ? choice['message'] : choice['delta']);
    yield* words.add(delta);
    const pieces = callPieces(delta);
    if (pieces.length > 0) yield* words.close();
    if (isWhole) yield* calls.addWhole(pieces);
    else for (const piece of pieces) yield* calls.add(piece);
    usage = usageIn(chunk['usage'] ?? choice['usage'] ?? fields(chunk['x_groq'])['usage']) ?? usage;
    const reason = text(choice['finish_reason']);
    if (reason === '') continue;
    const failed = FAILED[reason];
    if (failed) throw serverFailure(endpoint, { words: reason, ...errorIn(choice), type: failed });
    hasFinished = true;
    stopReason = STOP_REASONS[reason] ?? stopReason;
    yield* calls.finish();
  }
  if (!hasBegun) throw brokenStreamFailure(endpoint, 'it held nothing');
  if (!hasFinished) throw brokenStreamFailure(endpoint, 'the connection ended before the message did');
  const found = yield* words.end();
  if (found) {
    yield { type: 'text_calls', format: found.format, tools: found.calls.map(({ name }) => name) };
    for (const [index, { name, json }] of found.calls.entries()) yield* calls.add({ index, id: '', name, json });
  }
  yield* calls.close({ isCut: stopReason !== null && CUT_OFF.includes(stopReason) });
  yield { type: 'message_end', stopReason: reasonWith(calls.count, stopReason), usage };
}

const CUT_OFF: readonly StopReason[] = ['max_tokens', 'context_overflow', 'refusal'];

export const isLastEvent = ({ data }: SseEvent): boolean => data.trim() === '[DONE]';

/** Derives the stop reason from the calls, because servers are inconsistent about it. */
function reasonWith(calls: number, reason: StopReason | null): StopReason | null {
  if (calls > 0) return reason === 'end_turn' || reason === null ? 'tool_use' : reason;
  return reason === 'tool_use' ? 'end_turn' : reason;
}

function isError(chunk: Fields, { event }: SseEvent): boolean {
  const { error, object, choices, message } = chunk;
  if (event === 'error' || object === 'error') return true;
  return (error !== undefined && error !== null) || (choices === undefined && typeof message === 'string');
}

/** Only one choice is requested; further choices from a server are ignored. */
function firstChoice({ choices }: Fields): Fields {
  const all = Array.isArray(choices) ? choices.map(fields) : [];
  return all.find(({ index }) => typeof index !== 'number' || index === 0) ?? {};
}

function callPieces({ tool_calls }: Fields): CallPiece[] {
  if (!Array.isArray(tool_calls)) return [];
  return tool_calls.map((piece: unknown) => {
    const { index, id, function: called, extra_content: extra } = fields(piece);
    const { name, arguments: given } = fields(called);
    return {
      index: typeof index === 'number' ? index : undefined,
      id: text(id),
      name: text(name),
      json: typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given),
      ...(isObject(extra) && { extra }),
    };
  });
}

type FinishedBlock = Exclude<AssistantBlock, { type: 'tool_use' }>;

/** The text and the reasoning of a response, in sequence or alternating. */
class Words {
  readonly #provider: string;
  #inline: InlineThinking | undefined;
  readonly #scanner: TextCallScanner | undefined;
  #text = '';
  #reasoning: { field: string; text: string; details: Fields[] } | undefined;

  constructor({ provider, thinksInline, textCalls }: ChatEventsOptions) {
    this.#provider = provider;
    this.#scanner = textCalls;
    if (thinksInline) this.#inline = new InlineThinking();
  }

  *add(delta: Fields): Generator<ModelEvent> {
    yield* this.#addReasoning(delta);
    const { content, refusal } = delta;
    if (Array.isArray(content)) for (const part of content) yield* this.#addPart(fields(part));
    yield* this.#addContent(text(content) || text(refusal));
  }

  /** Ends the current block, since a call starts. Text that was held back is no call then. */
  *close(): Generator<ModelEvent> {
    for (const part of this.#inline?.finish() ?? []) yield* this.#say(part);
    yield* this.#show(this.#scanner?.release() ?? '');
    yield* this.#closeReasoning();
    yield* this.#closeText();
  }

  /** Ends the last block, at the end of the stream. Returns the calls that were written as text. */
  *end(): Generator<ModelEvent, FoundCalls | undefined> {
    for (const part of this.#inline?.finish() ?? []) yield* this.#say(part);
    const { text: rest = '', found } = this.#scanner?.finish() ?? {};
    yield* this.#show(rest);
    yield* this.#closeReasoning();
    yield* this.#closeText();
    return found;
  }

  /** Servers have several names for it, and some send two at once: the first that is not empty is used. */
  *#addReasoning(delta: Fields): Generator<ModelEvent> {
    const details = Array.isArray(delta['reasoning_details']) ? delta['reasoning_details'].map(fields) : [];
    const field = REASONING_FIELDS.find((name) => text(delta[name]) !== '');
    const shown = field ? text(delta[field]) : details.map(wordsOf).join('');
    if (shown === '' && details.length === 0) return;
    yield* this.#think(field ?? 'reasoning_details', shown, details);
  }

  /** A part of a content list, which some servers send: `{type: "thinking", thinking: [{text}]}` or plain text. */
  *#addPart(part: Fields): Generator<ModelEvent> {
    if (part['type'] !== 'thinking') {
      yield* this.#addContent(text(part['text']));
      return;
    }
    const { thinking } = part;
    const thought = Array.isArray(thinking)
      ? thinking.map((inner) => text(fields(inner)['text'])).join('')
      : text(thinking);
    yield* this.#think('content', thought, []);
  }

  *#think(field: string, thought: string, details: readonly Fields[]): Generator<ModelEvent> {
    yield* this.#closeText();
    this.#reasoning ??= { field, text: '', details: [] };
    this.#reasoning.text += thought;
    for (const detail of details) addDetail(this.#reasoning.details, detail);
    if (thought !== '') yield { type: 'thinking_delta', text: thought };
  }

  *#addContent(content: string): Generator<ModelEvent> {
    if (content === '') return;
    const parts = this.#inline?.push(content) ?? [{ kind: 'text' as const, text: content }];
    for (const part of parts) yield* this.#say(part);
  }

  *#say({ kind, text: said }: { kind: 'text' | 'thinking'; text: string }): Generator<ModelEvent> {
    if (kind === 'thinking') {
      yield { type: 'thinking_delta', text: said }; // shown, but not sent back: no server expects it
      return;
    }
    const shown = this.#scanner?.push(said) ?? said;
    if (shown === '')
      yield { type: 'text_delta', text: '' }; // a sign of life
    else yield* this.#show(shown);
  }

  *#show(said: string): Generator<ModelEvent> {
    if (said === '') return;
    yield* this.#closeReasoning();
    this.#text += said;
    yield { type: 'text_delta', text: said };
  }

  *#closeText(): Generator<ModelEvent> {
    const said = this.#text;
    this.#text = '';
    if (said !== '') yield { type: 'block', block: { type: 'text', text: said } };
  }

  *#closeReasoning(): Generator<ModelEvent> {
    const reasoning = this.#reasoning;
    this.#reasoning = undefined;
    if (!reasoning) return;
    const { field, text: thought, details } = reasoning;
    const kept = details.length > 0 ? { field: 'reasoning_details', details } : { field, text: thought };
    const block: FinishedBlock = { type: 'opaque', provider: this.#provider, value: { type: 'reasoning', ...kept } };
    yield { type: 'block', block };
  }
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'];

const wordsOf = (detail: Fields): string => text(detail['text']) || text(detail['summary']);

/** Details are streamed in pieces; those with the same type and index belong together. */
function addDetail(details: Fields[], piece: Fields): void {
  const last = details.at(-1);
  if (!last || last['type'] !== piece['type'] || last['index'] !== piece['index'] || piece['index'] === undefined) {
    details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    const grows = ['text', 'summary', 'data'].includes(name) && typeof before === 'string' && typeof value === 'string';
    if (grows) last[name] = before + value;
    else if (value !== null && value !== undefined) last[name] = value;
  }
}

const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Cached tokens are included in the prompt's tokens, and are reported in one of several fields. */
function usageIn(value: unknown): Usage | undefined {
  const counts = fields(value);
  const { prompt_tokens, completion_tokens, total_tokens } = counts;
  if (typeof prompt_tokens !== 'number' && typeof completion_tokens !== 'number') return undefined;
  const details = fields(counts['prompt_tokens_details']);
  const read = count(details['cached_tokens'] ?? counts['prompt_cache_hit_tokens'] ?? counts['cached_tokens']);
  const written = count(details['cache_write_tokens']);
  const thought = count(fields(counts['completion_tokens_details'])['reasoning_tokens']);
  const prompt = count(prompt_tokens);
  const completion = count(completion_tokens);
  // Most servers include thinking in the completion's tokens; the total shows if this one adds it separately.
  const isBeside = thought > 0 && total_tokens === prompt + completion + thought;
  return {
    input_tokens: Math.max(0, prompt - read - written),
    output_tokens: isBeside ? completion + thought : completion,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
