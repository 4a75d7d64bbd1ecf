import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { geminiViolations } from './gemini-violations.js';
import { type FakeMessage, pieces, type WireFormat } from './wire-format.js';

type Part = Readonly<Record<string, unknown>>;

/**
 * Google's Gemini API. The signature of an answer's `thinking` comes as with Gemini 3: on the first call, else on an
 * empty text at the end. `blocks` are parts in wire format. `omit` accepts "finish" and "usage".
 */
export const geminiFormat: WireFormat = {
  matches: (path) => /^\/(v1beta|v1\/projects\/.+)\/models\/[^/?]+:streamGenerateContent\?alt=sse$/.test(path),
  // Vertex AI takes tokens alone.
  refusal: ({ path, headers }) =>
    path.startsWith('/v1/') && !headers.authorization?.startsWith('Bearer ')
      ? { status: 401, type: 'authentication_error', message: 'Request is missing required authentication credential.' }
      : undefined,
  violations: geminiViolations,
  streamsByPath: true,
  events: (answer, number) => wireChunks(answer, number).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
  errorBody: ({ type, message }) => {
    const [code, status] = STATUS[type] ?? [500, type];
    return { error: { code, message, status } };
  },
};

/** The errors that all formats share, in this format's words. */
const STATUS: Readonly<Record<string, readonly [code: number, status: string]>> = {
  invalid_request_error: [400, 'INVALID_ARGUMENT'],
  authentication_error: [401, 'UNAUTHENTICATED'],
  permission_error: [403, 'PERMISSION_DENIED'],
  not_found_error: [404, 'NOT_FOUND'],
  rate_limit_error: [429, 'RESOURCE_EXHAUSTED'],
  overloaded_error: [503, 'UNAVAILABLE'],
  api_error: [500, 'INTERNAL'],
};

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

function wireChunks(answer: FakeMessage, number: number): unknown[] {
  const omitted = [answer.omit ?? []].flat();
  const usageMetadata = omitted.includes('usage') ? {} : { usageMetadata: wireUsage(answer.usage) };
  const chunk = (parts: readonly Part[], finish: object = {}) => ({
    candidates: [{ content: { parts, role: 'model' }, ...finish, index: 0 }],
    ...usageMetadata,
    modelVersion: 'fake-model',
    responseId: `response_fake_${number}`,
  });
  const all = partsOf(answer, number);
  if (answer.streamError) return [...all.map((part) => chunk([part])), geminiFormat.errorBody(answer.streamError)];
  const last = all.at(-1) ?? { text: '' };
  const reason = answer.stopReason === undefined ? 'end_turn' : answer.stopReason;
  const finishReason = reason === null || omitted.includes('finish') ? undefined : (FINISH_REASONS[reason] ?? reason);
  const finish = { ...(finishReason && { finishReason }), ...answer.stopDetails };
  return [...all.slice(0, -1).map((part) => chunk([part])), chunk([last], finish)];
}

function partsOf({ thinking, text, blocks = [], calls = [] }: FakeMessage, number: number): Part[] {
  const signed = thinking && { thoughtSignature: thinking.signature };
  const callParts = calls.map(({ id = `call_fake_${number}`, name, input = {}, json }, at) => ({
    // The real server only sends objects; a text stands for arguments that are not valid JSON.
    functionCall: { id: id + (at || ''), name, args: json === undefined ? input : (objectIn(json) ?? json) },
    ...(at === 0 && signed),
  }));
  return [
    ...pieces(thinking?.text ?? '').map((piece) => ({ text: piece, thought: true })),
    ...pieces(text ?? '').map((piece) => ({ text: piece })),
    ...blocks,
    ...callParts,
    ...(callParts.length === 0 && signed ? [{ text: '', ...signed }] : []),
  ];
}

function objectIn(json: string): Part | undefined {
  const value = parseJson(json);
  return isObject(value) ? value : undefined;
}

/** The API includes cached tokens in the prompt's, and counts thoughts apart. */
function wireUsage(usage: FakeMessage['usage'] = {}): object {
  const { input_tokens = 1, output_tokens = 1, cache_read_input_tokens = 0 } = usage;
  const promptTokenCount = input_tokens + cache_read_input_tokens;
  const thoughtsTokenCount = Math.floor(output_tokens / 2);
  return {
    promptTokenCount,
    candidatesTokenCount: output_tokens - thoughtsTokenCount,
    thoughtsTokenCount,
    totalTokenCount: promptTokenCount + output_tokens,
    ...(cache_read_input_tokens > 0 && { cachedContentTokenCount: cache_read_input_tokens }),
  };
}
