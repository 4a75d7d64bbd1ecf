import { chatViolations } from './chat-violations.js';
import { type FakeMessage, pieces, type WireFormat } from './wire-format.js';

/**
 * The Chat Completions API. An answer's `thinking` is sent as `reasoning_content`, and each of its `blocks` is one
 * delta in wire format. `omit` accepts "role", "finish", "usage" and "done".
 */
export const chatFormat: WireFormat = {
  // Also at the addresses of Azure.
  matches: (path) => /^(\/openai)?(\/v1|\/deployments\/[^/?]+)\/chat\/completions(\?|$)/.test(path),
  violations: chatViolations,
  events: (answer, number) => {
    const omitted = [answer.omit ?? []].flat();
    return [...wireEvents(answer, number)]
      .filter(({ type }) => !omitted.includes(type))
      .map(({ data }) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  },
  errorBody: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
};

interface WireEvent {
  type: 'role' | 'delta' | 'finish' | 'usage' | 'error' | 'done';
  data: unknown;
}

function* wireEvents(answer: FakeMessage, number: number): Generator<WireEvent> {
  const { thinking, text, blocks = [], calls = [] } = answer;
  const chunk = (rest: object) => ({
    id: `chatcmpl_fake_${number}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'fake-model',
    ...rest,
  });
  const delta = (fields: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason }] });

  yield { type: 'role', data: delta({ role: 'assistant', content: '' }) };
  for (const piece of pieces(thinking?.text ?? '')) yield { type: 'delta', data: delta({ reasoning_content: piece }) };
  for (const piece of pieces(text ?? '')) yield { type: 'delta', data: delta({ content: piece }) };
  for (const block of blocks) yield { type: 'delta', data: delta(block) };
  for (const [index, { id = `call_fake_${number}_${index + 1}`, name, input = {}, json }] of calls.entries()) {
    const head = { index, id, type: 'function', function: { name, arguments: '' } };
    yield { type: 'delta', data: delta({ tool_calls: [head] }) };
    for (const piece of pieces(json ?? JSON.stringify(input))) {
      yield { type: 'delta', data: delta({ tool_calls: [{ index, function: { arguments: piece } }] }) };
    }
  }
  if (answer.streamError) {
    yield { type: 'error', data: chatFormat.errorBody(answer.streamError) };
    return;
  }
  const usual = calls.length > 0 ? 'tool_use' : 'end_turn';
  const reason = answer.stopReason === undefined ? usual : answer.stopReason;
  yield { type: 'finish', data: delta({}, reason === null ? null : (FINISH_REASONS[reason] ?? reason)) };
  yield { type: 'usage', data: chunk({ choices: [], usage: wireUsage(answer.usage) }) };
  yield { type: 'done', data: '[DONE]' };
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

/** The API includes cached tokens in the prompt tokens. */
function wireUsage(usage: FakeMessage['usage'] = {}): object {
  const { input_tokens = 1, output_tokens = 1, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const prompt_tokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_input_tokens, cache_write_tokens: cache_creation_input_tokens },
  };
}
