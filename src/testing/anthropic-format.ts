import { protocolViolations } from './protocol-violations.js';
import { type FakeMessage, pieces, type WireFormat } from './wire-format.js';

/** The Anthropic Messages API. */
export const anthropicFormat: WireFormat = {
  matches: (path) => /^\/v1\/messages(\?|$)/.test(path),
  violations: protocolViolations,
  events: anthropicSseEvents,
  errorBody: (error) => ({ type: 'error', error }),
};

/**
 * The answer as the text of an event stream in the Anthropic format. `number` makes the ids of several answers differ.
 */
export function anthropicSse(answer: FakeMessage, number = 1): string {
  return anthropicSseEvents(answer, number).join('');
}

/** The same, event by event. */
export function anthropicSseEvents(answer: FakeMessage, number = 1): string[] {
  const omitted = [answer.omit ?? []].flat();
  return [...wireEvents(answer, number)]
    .filter(({ type }) => !omitted.some((name) => name === type))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

type WireEvent = { type: string } & Record<string, unknown>;

function* wireEvents(answer: FakeMessage, number: number): Generator<WireEvent> {
  const { output_tokens = 1, ...inputUsage } = answer.usage ?? {};
  yield {
    type: 'message_start',
    message: {
      id: `msg_fake_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'fake-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, ...inputUsage, output_tokens: 1 },
    },
  };
  yield { type: 'ping' };
  for (const [index, block] of wireBlocks(answer, number).entries()) {
    const { start, deltas } = split(block);
    yield { type: 'content_block_start', index, content_block: start };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  if (answer.streamError) {
    yield { type: 'error', error: answer.streamError };
    return;
  }
  const usual =
    answer.calls?.length || answer.blocks?.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const stop_reason = answer.stopReason === undefined ? usual : answer.stopReason;
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null, ...(answer.stopDetails && { stop_details: answer.stopDetails }) },
    usage: { output_tokens },
  };
  yield { type: 'message_stop' };
}

type WireBlock = Readonly<Record<string, unknown>>;

function wireBlocks({ thinking, text, blocks = [], calls = [] }: FakeMessage, number: number): WireBlock[] {
  return [
    ...(thinking ? [{ type: 'thinking', thinking: thinking.text, signature: thinking.signature }] : []),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...blocks,
    ...calls.map(({ id, name, input = {}, json }, at) => ({
      type: 'tool_use',
      id: id ?? `toolu_fake_${number}_${at + 1}`,
      name,
      [RAW_INPUT]: json ?? JSON.stringify(input),
    })),
  ];
}

const RAW_INPUT = 'raw input'; // not a field of the wire format, so no raw block has it

/** The empty block that a stream starts with, and the deltas that fill it. */
function split(block: WireBlock): { start: WireBlock; deltas: WireBlock[] } {
  const { type, text, thinking, signature, citations, input, [RAW_INPUT]: json } = block;
  if (type === 'text' && typeof text === 'string') {
    const cited = Array.isArray(citations) ? citations : [];
    return {
      start: { ...block, text: '', ...(cited.length > 0 && { citations: [] }) },
      deltas: [
        ...pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
        ...cited.map((citation) => ({ type: 'citations_delta', citation })),
      ],
    };
  }
  if (type === 'thinking' && typeof thinking === 'string') {
    return {
      start: { ...block, thinking: '', signature: '' },
      deltas: [
        ...pieces(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...(signature ? [{ type: 'signature_delta', signature }] : []),
      ],
    };
  }
  if (typeof json === 'string' || (typeof input === 'object' && input !== null)) {
    const { [RAW_INPUT]: _, ...rest } = block;
    const text = typeof json === 'string' ? json : JSON.stringify(input);
    return {
      start: { ...rest, input: {} },
      // The API starts every input with an empty piece.
      deltas: ['', ...pieces(text)].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    };
  }
  return { start: block, deltas: [] };
}
