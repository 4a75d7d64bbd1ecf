import type { AssistantBlock } from '../../../contract/message.js';
import type { ModelEvent, StopReason, Usage } from '../../../contract/model.js';
import { fields } from '../../http/exchange.js';
import { brokenStreamFailure, type Endpoint, serverFailure } from '../../http/failures.js';
import type { SseEvent } from '../../http/read-sse.js';
import { eventFields, isSameJson, text } from '../event-fields.js';

type Fields = Record<string, unknown>;

/** A block that has started and not ended. */
interface OpenBlock {
  value: Fields;
  /** The input of a call so far, ours or the server's, as JSON text. */
  json: string;
  /** The input of an earlier call with the same id: this call is probably the same one, sent twice. */
  repeats?: string;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_overflow',
};

/**
 * Translates the wire's events into `ModelEvent`s. Throws `ModelFailure` for an error event and for a stream without an
 * end.
 */
export async function* modelEvents(
  wire: AsyncIterable<SseEvent>,
  endpoint: Endpoint,
): AsyncGenerator<ModelEvent, void, void> {
  const open = new Map<number, OpenBlock>();
  const ended = new Map<string, string>(); // the inputs of finished calls, by id
  const usage: Usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  let stopReason: StopReason | null = null;
  let explanation: string | undefined;
  // A call with no input looks the same as one that was truncated before its input. The next event decides.
  let emptyCall: { index: number; block: OpenBlock } | undefined;

  for await (const { event: name, data } of wire) {
    const event = eventFields(data, endpoint);
    const index = typeof event['index'] === 'number' ? event['index'] : 0;
    switch (event['type'] ?? name) {
      case 'message_start': {
        const message = fields(event['message']);
        addUsage(usage, message['usage']);
        const counted = message['usage'] === undefined ? {} : { usage: { ...usage } };
        yield { type: 'message_start', id: text(message['id']), model: text(message['model']), ...counted };
        break;
      }
      case 'content_block_start': {
        if (emptyCall) yield* endCall(emptyCall.block, emptyCall.index, ended);
        emptyCall = undefined;
        const value = fields(event['content_block']);
        const repeats = value['type'] === 'tool_use' ? ended.get(text(value['id'])) : undefined;
        open.set(index, { value, json: '', ...(repeats !== undefined && { repeats }) });
        if (repeats === undefined) yield* openingEvents(value, index, endpoint);
        break;
      }
      case 'content_block_delta': {
        const block = open.get(index);
        if (!block) throw brokenStreamFailure(endpoint, `it went on with block ${index}, which never began`);
        yield* addDelta(block, fields(event['delta']), index);
        break;
      }
      case 'content_block_stop': {
        const block = open.get(index);
        open.delete(index);
        if (!block) break;
        if (block.value['type'] !== 'tool_use') yield* finishedBlock(block);
        else if (block.json === '' && isEmpty(block.value['input'])) emptyCall = { index, block };
        else yield* endCall(block, index, ended);
        break;
      }
      case 'message_delta': {
        const delta = fields(event['delta']);
        addUsage(usage, event['usage']);
        stopReason = STOP_REASONS[text(delta['stop_reason'])] ?? stopReason;
        explanation = text(fields(delta['stop_details'])['explanation']) || explanation;
        break;
      }
      case 'message_stop': {
        const cut = stopReason === 'max_tokens' || stopReason === 'context_overflow';
        if (emptyCall && !cut) yield* endCall(emptyCall.block, emptyCall.index, ended);
        for (const block of open.values()) if (block.value['type'] !== 'tool_use') yield* finishedBlock(block);
        yield { type: 'message_end', stopReason, usage, ...(explanation && { explanation }) };
        return;
      }
      case 'error': {
        const error = fields(event['error']);
        throw serverFailure(endpoint, { type: text(error['type']) || 'error', words: text(error['message']) });
      }
    }
  }
  throw brokenStreamFailure(endpoint, 'the connection ended before the message did');
}

export function isLastEvent({ event, data }: SseEvent): boolean {
  return event === 'message_stop' || /^\{\s*"type"\s*:\s*"message_stop"/.test(data);
}

function* openingEvents(value: Fields, index: number, endpoint: Endpoint): Generator<ModelEvent> {
  if (value['type'] === 'tool_use') {
    const name = text(value['name']);
    if (!name) throw brokenStreamFailure(endpoint, 'it held a tool call without a name');
    yield { type: 'call_start', index, id: text(value['id']), name }; // the loop generates an id if it is blank
  }
  yield* shownDelta(value['type'], value);
}

function* addDelta(block: OpenBlock, delta: Fields, index: number): Generator<ModelEvent> {
  const { type, ...added } = delta;
  if (type === 'input_json_delta') {
    const json = text(delta['partial_json']);
    block.json += json;
    if (json && block.value['type'] === 'tool_use' && block.repeats === undefined)
      yield { type: 'call_input', index, json };
    return;
  }
  if (type === 'citations_delta') {
    const before = block.value['citations'];
    if (Array.isArray(before)) before.push(delta['citation']);
    else block.value['citations'] = [delta['citation']];
    return;
  }
  // All other deltas, known or future, append to the block's field of the same name.
  for (const [name, part] of Object.entries(added)) {
    const before = block.value[name];
    block.value[name] = typeof before === 'string' && typeof part === 'string' ? before + part : part;
  }
  yield* shownDelta(block.value['type'], delta);
}

function* shownDelta(blockType: unknown, part: Fields): Generator<ModelEvent> {
  if (blockType === 'text' && text(part['text'])) yield { type: 'text_delta', text: text(part['text']) };
  if (blockType === 'thinking' && text(part['thinking']))
    yield { type: 'thinking_delta', text: text(part['thinking']) };
}

/** The input arrived in pieces, or whole with the block's start; either way the pieces form one JSON text. */
function* endCall(
  { value, json, repeats }: OpenBlock,
  index: number,
  ended: Map<string, string>,
): Generator<ModelEvent> {
  const input = json || JSON.stringify(value['input'] ?? {});
  if (repeats !== undefined) {
    if (isSameJson(repeats, input)) return;
    yield { type: 'call_start', index, id: '', name: text(value['name']) }; // a different call whose id is already used
  } else if (text(value['id'])) ended.set(text(value['id']), input);
  if (json === '' || repeats !== undefined) yield { type: 'call_input', index, json: input };
  yield { type: 'call_end', index };
}

function* finishedBlock({ value, json }: OpenBlock): Generator<ModelEvent> {
  if (json !== '') {
    try {
      value['input'] = JSON.parse(json);
    } catch {
      return; // a truncated server-side call; the provider would refuse it in later requests
    }
  }
  const block = asBlock(value);
  if (block) yield { type: 'block', block };
}

type FinishedBlock = Exclude<AssistantBlock, { type: 'tool_use' }>;

/** Our own block type if it loses nothing, else the provider's block as is. */
function asBlock(value: Fields): FinishedBlock | undefined {
  if (value['type'] === 'text' && hasOnly(value, ['type', 'text'])) {
    const words = text(value['text']);
    return words === '' ? undefined : { type: 'text', text: words };
  }
  if (value['type'] === 'thinking' && hasOnly(value, ['type', 'thinking', 'signature'])) {
    return { type: 'thinking', thinking: text(value['thinking']), signature: text(value['signature']) };
  }
  if (!canGoBack(value)) return undefined;
  const { cache_control: _, ...kept } = value; // cache marks are set by us
  return { type: 'opaque', provider: 'anthropic', value: kept };
}

/**
 * Whether the API would accept the block in an assistant message. A refused one would make every later request fail.
 */
function canGoBack({ type, text: words, signature }: Fields): boolean {
  if (typeof type !== 'string' || type === '') return false;
  if (type === 'text') return /\S/.test(text(words));
  if (type === 'thinking') return text(signature) !== '';
  return !['image', 'document', 'tool_result'].includes(type);
}

function hasOnly(value: Fields, names: readonly string[]): boolean {
  return Object.entries(value).every(([name, field]) => names.includes(name) || field === null || isEmpty(field));
}

function isEmpty(field: unknown): boolean {
  return field === undefined || (typeof field === 'object' && field !== null && Object.keys(field).length === 0);
}

/** Counts are cumulative, and later events may omit some of them. */
function addUsage(usage: Usage, news: unknown): void {
  const counts = fields(news);
  for (const name of Object.keys(usage) as (keyof Usage)[]) {
    // its own keys, all of them counts
    const count = counts[name];
    if (typeof count === 'number') usage[name] = Number.isFinite(count) ? Math.max(0, count) : 0;
  }
}
