import type { AssistantBlock } from '../../../contract/message.js';
import type { ModelEvent, ModelFailure, StopReason, Usage } from '../../../contract/model.js';
import { fields } from '../../http/exchange.js';
import { brokenStreamFailure, type Endpoint, serverFailure, shorten } from '../../http/failures.js';
import type { SseEvent } from '../../http/read-sse.js';
import { eventFields, isSameJson, text } from '../event-fields.js';

type Fields = Record<string, unknown>;

/** An item of the response that has not ended. */
interface OpenItem {
  /** The index in our events: servers have been seen to give two items the same one. */
  number: number;
  /** As it started, with an empty text or no arguments. */
  item: Fields;
  outputIndex: unknown;
  /** The text or arguments received so far; emitted, unless `suspect`. */
  sent: string;
  /** It looks like an item that has ended. Nothing is emitted until its end shows whether it is a duplicate. */
  suspect: boolean;
}

/** An item that has ended, with the fields by which a duplicate is recognised. */
interface EndedItem {
  type: unknown;
  name: unknown;
  id: string;
  call_id: string;
  outputIndex: unknown;
  /** The arguments of a call. */
  json: string;
}

const MAX_SHOWN = 64; // characters of a name or number from a server, in one message

const INCOMPLETE_REASONS: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max_tokens',
  content_filter: 'refusal',
};

/**
 * Translates the wire's events into `ModelEvent`s. Throws `ModelFailure` for an error event and for a stream without an
 * end.
 */
export async function* modelEvents(
  wire: AsyncIterable<SseEvent>,
  endpoint: Endpoint,
): AsyncGenerator<ModelEvent, void, void> {
  const answer = new StreamedResponse(endpoint);
  for await (const { event: name, data } of wire) {
    if (data === '[DONE]') continue; // some gateways end every stream with it
    const event = eventFields(data, endpoint);
    const type = event['type'] ?? name;
    yield* answer.take(type, event);
    if (type === 'response.completed' || type === 'response.incomplete') return;
  }
  throw brokenStreamFailure(endpoint, 'the connection ended before the answer did');
}

export function isLastEvent({ event, data }: SseEvent): boolean {
  const last = /^(response\.(completed|incomplete|failed)|error)$/;
  return last.test(event ?? '') || last.test(/^\{\s*"type"\s*:\s*"([^"]*)"/.exec(data)?.[1] ?? '');
}

class StreamedResponse {
  readonly #endpoint: Endpoint;
  readonly #open: OpenItem[] = [];
  /** Items that have ended, so that a duplicate is counted once. */
  readonly #ended: EndedItem[] = [];
  readonly #callIds = new Set<string>();
  #begun = false;
  #items = 0;
  #calls = 0;
  #refusal = '';
  #lastKept: 'reasoning' | 'other' = 'other';

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  *take(type: unknown, event: Fields): Generator<ModelEvent> {
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        return yield* this.#begin(fields(event['response']));
      case 'response.output_item.added':
        return void (yield* this.#add(fields(event['item']), event['output_index']));
      case 'response.output_text.delta':
        return yield* this.#addWords(this.#expect(event), text(event['delta']));
      case 'response.refusal.delta':
        this.#refusal += text(event['delta']);
        return yield* this.#addWords(this.#expect(event), text(event['delta']));
      case 'response.reasoning_summary_part.added':
        if (Number(event['summary_index']) > 0) yield* this.#addThought(this.#expect(event), '\n\n');
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return yield* this.#addThought(this.#expect(event), text(event['delta']));
      case 'response.function_call_arguments.delta':
        return yield* this.#addArguments(this.#expect(event), text(event['delta']));
      case 'response.function_call_arguments.done':
        return yield* this.#completeArguments(this.#expect(event), event['arguments']);
      case 'response.output_item.done': {
        const item = fields(event['item']);
        const open = this.#find(item, event) ?? (yield* this.#add(item, event['output_index']));
        return yield* this.#finish(open, item);
      }
      case 'response.completed':
      case 'response.incomplete':
        return yield* this.#end(fields(event['response']), type === 'response.incomplete');
      case 'response.failed':
        throw failureOf(this.#endpoint, fields(fields(event['response'])['error']));
      case 'error': {
        const { type: _, ...flat } = event;
        throw failureOf(this.#endpoint, 'error' in event ? fields(event['error']) : flat);
      }
    }
  }

  *#begin({ id, model }: Fields): Generator<ModelEvent> {
    if (this.#begun) return;
    this.#begun = true;
    yield { type: 'message_start', id: text(id), model: text(model) };
  }

  *#add(item: Fields, outputIndex: unknown): Generator<ModelEvent, OpenItem> {
    const known = this.#open.find((open) => beginsTwice(open, item, outputIndex));
    if (known) return known;
    const suspect = this.#ended.some((ended) => looksLike(ended, item, outputIndex));
    const open: OpenItem = { number: this.#items, item, outputIndex, sent: '', suspect };
    this.#items += 1;
    this.#open.push(open);
    if (!suspect) yield* this.#announce(open);
    return open;
  }

  *#announce(open: OpenItem): Generator<ModelEvent> {
    const { item, number, sent } = open;
    open.suspect = false;
    if (item['type'] !== 'function_call') return;
    const name = text(item['name']);
    if (!name) throw brokenStreamFailure(this.#endpoint, 'it held a tool call without a name');
    this.#calls += 1;
    const isTaken = this.#callIds.has(text(item['call_id']));
    this.#callIds.add(text(item['call_id']));
    // The loop generates an id if it is blank.
    yield { type: 'call_start', index: number, id: isTaken ? '' : text(item['call_id']), name };
    if (sent) yield { type: 'call_input', index: number, json: sent };
  }

  /** The open item that an event refers to: by its id, which gateways may change, else by its index. */
  #find(item: Fields, { item_id = item['id'], output_index }: Fields): OpenItem | undefined {
    const candidates = this.#open.filter((open) => couldBe(open.item, item));
    return (
      candidates.find((open) => open.item['id'] !== undefined && open.item['id'] === item_id) ??
      candidates.find(({ outputIndex }) => outputIndex === output_index)
    );
  }

  #expect(event: Fields): OpenItem {
    const open = this.#find({}, event);
    if (open) return open;
    throw brokenStreamFailure(
      this.#endpoint,
      `it went on with item ${this.#shown(event['output_index'])}, which never began`,
    );
  }

  /** A value chosen by the server, shortened for a message. */
  #shown(value: unknown): string {
    return shorten(String(value), this.#endpoint.secrets).slice(0, MAX_SHOWN);
  }

  *#addWords(open: OpenItem, words: string): Generator<ModelEvent> {
    open.sent += words;
    if (words && !open.suspect) yield { type: 'text_delta', text: words };
  }

  *#addThought(open: OpenItem, words: string): Generator<ModelEvent> {
    open.sent += words;
    if (words && !open.suspect) yield { type: 'thinking_delta', text: words };
  }

  *#addArguments(open: OpenItem, json: string): Generator<ModelEvent> {
    if (open.item['type'] !== 'function_call') return; // a call that the provider runs itself; its end has it whole
    open.sent += json;
    if (json && !open.suspect) yield { type: 'call_input', index: open.number, json };
  }

  /** The complete arguments repeat the streamed pieces, or replace them. */
  *#completeArguments(open: OpenItem, whole: unknown): Generator<ModelEvent> {
    const json = jsonOf(whole);
    if (json.startsWith(open.sent)) yield* this.#addArguments(open, json.slice(open.sent.length));
    else if (json !== '' && !isSameJson(json, open.sent)) {
      const name = this.#shown(text(open.item['name']));
      throw brokenStreamFailure(this.#endpoint, `the pieces of the input of ${name} differ from the whole of it`);
    }
  }

  *#finish(open: OpenItem, item: Fields): Generator<ModelEvent> {
    this.#open.splice(this.#open.indexOf(open), 1);
    const { type, name } = item;
    const json = jsonOf(item['arguments']) || open.sent || '{}';
    const { outputIndex } = open;
    if (open.suspect) {
      if (this.#ended.some((ended) => isRepeat(ended, item, outputIndex, json))) return;
      open.item = { ...open.item, ...item };
      yield* this.#announce(open);
    }
    this.#ended.push({ type, name, id: text(item['id']), call_id: text(item['call_id']), outputIndex, json });
    switch (item['type']) {
      case 'function_call':
        yield* this.#finishCall(open, item);
        break;
      case 'message':
        yield* this.#finishMessage(open, item);
        break;
      default:
        if (open.sent === '') yield* this.#addThought(open, thoughtsOf(item));
        if (isCut(item) || text(item['type']) === '') return; // the provider would refuse it in later requests
        yield opaque(item);
    }
    this.#lastKept = item['type'] === 'reasoning' ? 'reasoning' : 'other';
  }

  /** A truncated call is left open, so that it does not run. */
  *#finishCall(open: OpenItem, item: Fields): Generator<ModelEvent> {
    yield* this.#completeArguments(open, item['arguments']);
    if (isCut(item)) return;
    if (open.sent === '' && item['status'] === 'completed') yield* this.#addArguments(open, '{}');
    yield { type: 'call_end', index: open.number };
  }

  /**
   * Text is stored as a text block, so that another provider's model can read it. What else the item needs when it is
   * sent back (its id if reasoning came before it, and its phase) is in an opaque block before it.
   */
  *#finishMessage(open: OpenItem, item: Fields): Generator<ModelEvent> {
    const parts = list(item['content']).map(fields);
    const whole = parts.map((part) => text(part['text']) || text(part['refusal'])).join('');
    if (this.#refusal === '') this.#refusal = parts.map((part) => text(part['refusal'])).join('');
    if (whole.startsWith(open.sent)) yield* this.#addWords(open, whole.slice(open.sent.length));
    const words = whole || open.sent;
    if (words === '') return;
    const { content: _, ...frame } = item;
    const needsFrame = this.#lastKept === 'reasoning' || text(item['phase']) !== '';
    if (needsFrame && text(item['id']) !== '' && !isCut(item)) yield opaque(frame);
    yield { type: 'block', block: { type: 'text', text: words } };
  }

  *#end(response: Fields, isIncomplete: boolean): Generator<ModelEvent> {
    const { status, incomplete_details } = response;
    const isShort = isIncomplete || status === 'incomplete' || fields(incomplete_details)['reason'] !== undefined;
    yield* this.#begin(response);
    yield* this.#finishRest(list(response['output']).map(fields), isShort);
    yield {
      type: 'message_end',
      stopReason: this.#stopReason(response, isShort),
      usage: usageOf(fields(response['usage'])),
      ...(this.#refusal && { explanation: this.#refusal }),
    };
  }

  /**
   * For servers that omit events: the end of the response repeats its items. In a truncated response, a call is
   * complete only if its status says so.
   */
  *#finishRest(items: Fields[], isShort: boolean): Generator<ModelEvent> {
    if (this.#items === 0) for (const [at, item] of items.entries()) yield* this.#add(item, at);
    for (const open of [...this.#open]) {
      const { id, type } = open.item;
      const whole =
        items.find((item) => id !== undefined && item['id'] === id) ??
        items.find((item, at) => at === open.outputIndex && couldBe(open.item, item));
      if (whole) {
        const isCall = whole['type'] === 'function_call';
        yield* this.#finish(open, isShort && isCall ? { status: 'incomplete', ...defined(whole) } : whole);
      } else if (open.suspect) {
        const isNew = !this.#ended.some(
          (ended) => looksLike(ended, open.item, open.outputIndex) && ended.json.startsWith(open.sent),
        );
        if (isNew) yield* this.#announce(open); // a truncated call, which still needs a result
      } else if (type === 'message') yield* this.#finish(open, { type, status: 'incomplete' });
    }
  }

  #stopReason(response: Fields, isShort: boolean): StopReason | null {
    const reason = fields(response['incomplete_details'])['reason'];
    if (this.#refusal) return 'refusal';
    if (isShort) return INCOMPLETE_REASONS[text(reason)] ?? null;
    return this.#calls > 0 ? 'tool_use' : 'end_turn';
  }
}

/** Whether two items may be the same, as far as their fields tell. */
function couldBe(open: Fields, item: Fields): boolean {
  return ['type', 'call_id'].every(
    (name) => text(open[name]) === '' || text(item[name]) === '' || open[name] === item[name],
  );
}

const isSame = (one: unknown, other: unknown): boolean => text(one) !== '' && one === other;

/** Matches by id or, since gateways change ids, by call id, unless two calls have the same call id at two indexes. */
function beginsTwice(open: OpenItem, item: Fields, outputIndex: unknown): boolean {
  if (!couldBe(open.item, item)) return false;
  if (isSame(open.item['id'], item['id'])) return true;
  if (!isSame(open.item['call_id'], item['call_id'])) return false;
  return open.outputIndex === outputIndex || text(open.item['id']) === '' || text(item['id']) === '';
}

/** Whether an item may be one that has already ended: any of its ids match, or a call's index does. */
function looksLike(ended: EndedItem, item: Fields, outputIndex: unknown): boolean {
  if (ended.type !== item['type']) return false;
  if (isSame(ended.id, item['id']) || isSame(ended.call_id, item['call_id'])) return true;
  return ended.type === 'function_call' && typeof outputIndex === 'number' && ended.outputIndex === outputIndex;
}

/**
 * A call must not run twice, but two calls with the same id by mistake must both get a result. Their arguments decide.
 */
function isRepeat(ended: EndedItem, item: Fields, outputIndex: unknown, json: string): boolean {
  if (!looksLike(ended, item, outputIndex)) return false;
  if (item['type'] !== 'function_call') return true;
  return ended.name === item['name'] && isSameJson(ended.json, json);
}

const jsonOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : text(value);

const defined = (item: Fields): Fields => Object.fromEntries(Object.entries(item).filter(([, field]) => field != null));

const isCut = ({ status }: Fields): boolean => status === 'incomplete' || status === 'in_progress';

function opaque(value: Fields): { type: 'block'; block: Extract<AssistantBlock, { type: 'opaque' }> } {
  return { type: 'block', block: { type: 'opaque', provider: 'openai', value } };
}

/** The readable text of a reasoning item, if no delta has delivered it. */
function thoughtsOf({ type, summary, content }: Fields): string {
  if (type !== 'reasoning') return '';
  const parts = list(summary).length > 0 ? list(summary) : list(content);
  return parts.map((part) => text(fields(part)['text'])).join('\n\n');
}

/** Here input tokens include those read from and written to the cache; our counts are separate. */
function usageOf(usage: Fields): Usage {
  const details = fields(usage['input_tokens_details']);
  const read = count(details['cached_tokens']);
  const written = count(details['cache_write_tokens']);
  return {
    input_tokens: Math.max(0, count(usage['input_tokens']) - read - written),
    output_tokens: count(usage['output_tokens']),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

const OVERLOADED = ['server_is_overloaded', 'slow_down'];

/** An error after the response has started: the request was valid, so an error without a type is the server's. */
function failureOf(endpoint: Endpoint, { code, type, message }: Fields): ModelFailure {
  const name = text(code) || text(type) || 'server_error';
  const words = text(message);
  const [, wait, unit] = /try again in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(words) ?? [];
  return serverFailure(endpoint, {
    type: OVERLOADED.includes(name) ? 'overloaded_error' : name,
    words,
    ...(wait !== undefined && { retryAfterMs: Number(wait) * (unit === 'ms' ? 1 : 1000) }),
  });
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
