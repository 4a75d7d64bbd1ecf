import { parseJson } from '../platform/parse-json.js';
import { responsesViolations } from './responses-violations.js';
import { type FakeMessage, pieces, type WireFormat } from './wire-format.js';

type Item = Readonly<Record<string, unknown>>;
type WireEvent = { type: string } & Record<string, unknown>;

/**
 * The OpenAI Responses API. An answer's `thinking` is sent as a reasoning item with that summary, its signature as
 * the encrypted content, and `blocks` are output items in wire format. `omit` accepts event types.
 */
export const responsesFormat: WireFormat = {
  matches: (path) => /^(\/openai)?\/v1\/responses(\?|$)/.test(path), // also at the address of Azure
  violations: responsesViolations,
  events: (answer, number) => {
    const omitted = [answer.omit ?? []].flat();
    return [...wireEvents(answer, number)]
      .map((event, sequence_number) => ({ ...event, sequence_number }))
      .filter(({ type }) => !omitted.includes(type))
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  errorBody: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
};

function* wireEvents(answer: FakeMessage, number: number): Generator<WireEvent> {
  const response = { ...EMPTY_RESPONSE, id: `resp_fake_${number}` };
  yield { type: 'response.created', response };
  yield { type: 'response.in_progress', response };
  const items = itemsOf(answer, number);
  for (const [output_index, item] of items.entries()) yield* itemEvents(item, output_index);
  if (answer.streamError) {
    const { type: code, message } = answer.streamError;
    yield { type: 'error', code, message, param: null };
    return;
  }
  const reason = incompleteReason(answer);
  const status = reason ? 'incomplete' : 'completed';
  const incomplete_details = reason ? { reason } : null;
  const whole = { ...response, status, incomplete_details, output: items, usage: usageOf(answer) };
  yield { type: `response.${status}`, response: whole };
}

const EMPTY_RESPONSE = {
  object: 'response',
  created_at: 1_750_000_000,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'fake-model',
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: null,
};

const REASONS: Readonly<Record<string, string | undefined>> = {
  end_turn: undefined,
  tool_use: undefined,
  max_tokens: 'max_output_tokens',
  refusal: 'content_filter',
};

/** The stop reasons that all formats share, in this format's words; any other unchanged. */
function incompleteReason({ stopReason }: FakeMessage): string | undefined {
  if (!stopReason) return undefined;
  return stopReason in REASONS ? REASONS[stopReason] : stopReason;
}

function itemsOf(answer: FakeMessage, number: number): Item[] {
  const { thinking, text, blocks = [], calls = [] } = answer;
  const items: Item[] = [
    ...(thinking ? [reasoningItem(thinking, number)] : []),
    ...(text === undefined ? [] : [messageItem(text, number)]),
    ...blocks,
    ...calls.map(({ id, name, input = {}, json }, at) => ({
      id: `fc_fake_${number}_${at + 1}`,
      type: 'function_call',
      status: 'completed',
      call_id: id ?? `call_fake_${number}_${at + 1}`,
      name,
      arguments: json ?? JSON.stringify(input),
    })),
  ];
  const last = items.at(-1);
  const isCut = incompleteReason(answer) === 'max_output_tokens' && last && !isWhole(last);
  return isCut ? [...items.slice(0, -1), { ...last, status: 'incomplete' }] : items;
}

function reasoningItem({ text, signature }: { text: string; signature: string }, number: number): Item {
  return {
    id: `rs_fake_${number}`,
    type: 'reasoning',
    summary: [{ type: 'summary_text', text }],
    encrypted_content: signature,
  };
}

function messageItem(text: string, number: number): Item {
  return {
    id: `msg_fake_${number}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

/** When a limit ends an answer, a text is always incomplete, a call only if its arguments do not end. */
function isWhole({ type, arguments: json }: Item): boolean {
  if (type === 'message') return false;
  return type !== 'function_call' || parseJson(String(json)) !== undefined;
}

/** An item starts empty, is filled by deltas and ends complete. */
function* itemEvents(item: Item, output_index: number): Generator<WireEvent> {
  const place = { item_id: item['id'], output_index };
  const { empty, deltas } = split(item);
  yield { type: 'response.output_item.added', output_index, item: empty };
  for (const delta of deltas) yield { ...delta, ...place };
  yield { type: 'response.output_item.done', output_index, item };
}

function split(item: Item): { empty: Item; deltas: WireEvent[] } {
  switch (item['type']) {
    case 'function_call': {
      const json = String(item['arguments']);
      return {
        empty: { ...item, status: 'in_progress', arguments: '' },
        deltas: [
          ...pieces(json).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
          { type: 'response.function_call_arguments.done', name: item['name'], arguments: json },
        ],
      };
    }
    case 'message':
      return {
        empty: { ...item, status: 'in_progress', content: [] },
        deltas: parts(item['content']).flatMap((part, content_index) => contentDeltas(part, content_index)),
      };
    case 'reasoning':
      return {
        empty: { ...item, summary: [], ...(item['content'] !== undefined && { content: [] }) },
        deltas: [
          ...parts(item['summary']).flatMap((part, summary_index) => summaryDeltas(part, summary_index)),
          ...parts(item['content']).flatMap((part, content_index) => contentDeltas(part, content_index)),
        ],
      };
    default:
      return { empty: { ...item, status: 'in_progress' }, deltas: [] };
  }
}

const PART_NAMES: Readonly<Record<string, { event: string; field: string }>> = {
  output_text: { event: 'output_text', field: 'text' },
  refusal: { event: 'refusal', field: 'refusal' },
  reasoning_text: { event: 'reasoning_text', field: 'text' },
};

function contentDeltas(part: Item, content_index: number): WireEvent[] {
  const { event, field } = PART_NAMES[String(part['type'])] ?? { event: 'output_text', field: 'text' };
  const words = String(part[field]);
  const logprobs = event === 'output_text' ? { logprobs: [] } : {};
  return [
    { type: 'response.content_part.added', content_index, part: { ...part, [field]: '' } },
    ...pieces(words).map((delta) => ({ type: `response.${event}.delta`, content_index, delta, ...logprobs })),
    { type: `response.${event}.done`, content_index, [field]: words, ...logprobs },
    { type: 'response.content_part.done', content_index, part },
  ];
}

function summaryDeltas(part: Item, summary_index: number): WireEvent[] {
  const words = String(part['text']);
  return [
    { type: 'response.reasoning_summary_part.added', summary_index, part: { ...part, text: '' } },
    ...pieces(words).map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index, delta })),
    { type: 'response.reasoning_summary_text.done', summary_index, text: words },
    { type: 'response.reasoning_summary_part.done', summary_index, part },
  ];
}

/** This format includes cached tokens in the input tokens. */
function usageOf({ usage = {} }: FakeMessage): Item {
  const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0, output_tokens = 1 } = usage;
  const input_tokens = (usage.input_tokens ?? 1) + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read_input_tokens, cache_write_tokens: cache_creation_input_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
}

const parts = (value: unknown): Item[] => (Array.isArray(value) ? value : []);
