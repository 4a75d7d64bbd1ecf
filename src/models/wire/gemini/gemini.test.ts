import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { AssistantBlock, Message } from '../../../contract/message.js';
import { type ModelEvent, ModelFailure, type ModelRequest } from '../../../contract/model.js';
import { type FakeAnswer, type FakeModelServer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { FOREIGN_SIGNATURE } from '../call-in-history.js';
import { type GeminiOptions, geminiModel } from './gemini.js';

type Part = Record<string, unknown>;

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

async function serve(answer: FakeAnswer): Promise<FakeModelServer> {
  const server = await startFakeModelServer([answer, { text: 'Done.' }]);
  servers.push(server);
  return server;
}

const modelAt = (server: FakeModelServer, options: Partial<GeminiOptions> = {}) =>
  geminiModel({ name: 'gemini-3.8-flash', apiKey: 'google-secret-key', baseUrl: server.url, ...options });

const ask = (server: FakeModelServer, request = hello, options: Partial<GeminiOptions> = {}) =>
  Array.fromAsync(modelAt(server, options).stream(request, AbortSignal.timeout(60_000)));

async function failureOf(answer: FakeAnswer): Promise<ModelFailure> {
  const failure = await ask(await serve(answer)).catch((error: unknown) => error);
  if (!(failure instanceof ModelFailure)) throw new Error(`Expected a failure, got ${String(failure)}.`);
  return failure;
}

const chunk = (fields: object) => `data: ${JSON.stringify(fields)}\r\n\r\n`;
const said = (...parts: Part[]) => chunk({ candidates: [{ content: { role: 'model', parts } }] });
const finished = (finishReason: string, fields: object = {}) =>
  chunk({ candidates: [{ content: { role: 'model' }, finishReason, ...fields }], responseId: 'r1' });

/** The answer as it stands in the history. */
function blocksOf(events: readonly ModelEvent[]): AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  let call = { id: '', name: '', json: '' };
  for (const event of events) {
    if (event.type === 'block') blocks.push(event.block);
    if (event.type === 'call_start') call = { id: event.id || `own_${event.index}`, name: event.name, json: '' };
    if (event.type === 'call_input') call.json += event.json;
    if (event.type === 'call_end') {
      blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.json) });
    }
  }
  return blocks;
}

/** The request after an answer: the history with it, and a result for each call. */
function after(content: AssistantBlock[]): ModelRequest {
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'ok' }] : [],
  );
  const messages: Message[] = [
    ...hello.messages,
    { role: 'assistant', content },
    { role: 'user', content: [...results, { type: 'text', text: 'Go on.' }] },
  ];
  return { ...hello, messages };
}

/** The model's parts in the request that follows an answer of these parts. */
async function sentBack(parts: readonly Part[], options: Partial<GeminiOptions> = {}): Promise<Part[]> {
  const server = await serve({ raw: [...parts.map((part) => said(part)), finished('STOP')].join('') });
  const content = blocksOf(await ask(server, hello, options));
  await ask(server, after(content), options);
  expect(server.refused).toEqual([]);
  const contents = server.requests[1]?.body['contents'] as Array<{ role: string; parts: Part[] }>; // checked by the server
  return contents.find(({ role }) => role === 'model')?.parts ?? [];
}

test('reads thinking, text, calls and usage of an answer', async () => {
  const server = await serve({
    raw:
      said({ text: 'Hm, ', thought: true }) +
      said({ text: 'well.', thought: true }, { text: 'Look' }) +
      said({ text: 'ing.' }) +
      said({ functionCall: { id: 'c1', name: 'Read', args: { path: 'größe' } }, thoughtSignature: 'c2ln' }) +
      said({ functionCall: { name: 'LS' } }) +
      chunk({
        candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          candidatesTokenCount: 7,
          thoughtsTokenCount: 30,
          totalTokenCount: 137,
        },
        modelVersion: 'gemini-3.8-flash-001',
        responseId: 'r1',
      }),
  });
  expect(await ask(server)).toEqual([
    { type: 'message_start', id: '', model: 'gemini-3.8-flash' },
    { type: 'thinking_delta', text: 'Hm, ' },
    { type: 'thinking_delta', text: 'well.' },
    { type: 'block', block: { type: 'thinking', thinking: 'Hm, well.', signature: '' } },
    { type: 'text_delta', text: 'Look' },
    { type: 'text_delta', text: 'ing.' },
    { type: 'block', block: { type: 'text', text: 'Looking.' } },
    {
      type: 'block',
      block: {
        type: 'opaque',
        provider: 'google',
        value: { type: 'signature', of: 'tool_use', thoughtSignature: 'c2ln' },
      },
    },
    { type: 'call_start', index: 0, id: 'c1', name: 'Read' },
    { type: 'call_input', index: 0, json: '{"path":"größe"}' },
    { type: 'call_end', index: 0 },
    { type: 'call_start', index: 1, id: '', name: 'LS' },
    { type: 'call_input', index: 1, json: '{}' },
    { type: 'call_end', index: 1 },
    {
      type: 'message_end',
      stopReason: 'tool_use',
      usage: { input_tokens: 40, output_tokens: 37, cache_read_input_tokens: 60, cache_creation_input_tokens: 0 },
    },
  ]);
  expect(server.requests[0]).toMatchObject({
    path: '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'google-secret-key' },
  });
});

const call = (id: string, thoughtSignature?: string): Part => ({
  functionCall: { id, name: 'Read', args: { id } },
  ...(thoughtSignature && { thoughtSignature }),
});

test.each<[string, Part[]]>([
  ['the first of parallel calls', [call('a', 'c2lnQQ=='), call('b'), call('c')]],
  ['each of several calls', [call('a', 'c2lnQQ=='), call('b', 'c2lnQg==')]],
  ['a text', [{ text: 'Half. ' }, { text: 'End.', thoughtSignature: 'dGV4dA==' }]],
  ['a text in the middle', [{ text: 'One. ', thoughtSignature: 'dGV4dA==' }, { text: 'Two.' }]],
  ['an empty text at the end', [{ text: 'Done.' }, { text: '', thoughtSignature: 'ZW1wdHk=' }]],
  ['an empty text before a call', [{ text: '', thoughtSignature: 'ZW1wdHk=' }, call('a', 'c2lnQQ==')]],
  ['a thought', [{ text: 'I think.', thought: true, thoughtSignature: 'dGhpbms=' }, { text: 'So.' }]],
  ['a part of a kind that is not known', [{ executableCode: { code: '1' }, thoughtSignature: 'Y29kZQ==' }]],
])('sends a signature back on the part on which it came: %s', async (_, parts) => {
  expect(await sentBack(parts)).toEqual(parts);
});

const signature = fc.option(fc.constantFrom('QQ==', 'Qg==', 'Qw=='), { nil: undefined });
const anyPart = fc
  .record({ kind: fc.constantFrom('text', 'thought', 'empty', 'call'), signature, name: fc.nat() })
  .map(({ kind, signature: thoughtSignature, name }): Part => {
    const signed = thoughtSignature ? { thoughtSignature } : {};
    if (kind === 'call') return { functionCall: { id: `c${name}`, name: 'Read', args: { name } }, ...signed };
    if (kind === 'empty') return { text: '', thoughtSignature: thoughtSignature ?? 'RQ==' };
    return { text: `t${name} `, ...(kind === 'thought' && { thought: true }), ...signed };
  });

test('sends the parts of any answer back in order, each with its own signature', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyPart, { selector: (part) => JSON.stringify(part) }), async (parts) => {
      const flat = (list: readonly Part[]): unknown[] =>
        list
          .filter((part) => part['thoughtSignature'] || !part['thought']) // a thought without a signature is left out
          .flatMap<unknown>((part) =>
            typeof part['text'] === 'string' && !part['thoughtSignature'] ? [...part['text']] : [part],
          );
      const firstCall = parts.findIndex((part) => 'functionCall' in part);
      const expected = parts.map((part, at) =>
        at === firstCall ? { thoughtSignature: FOREIGN_SIGNATURE, ...part } : part,
      );
      expect(flat(await sentBack(parts))).toEqual(flat(expected));
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 500 : 40 },
  );
});

test('a stream that is cut at any byte is a broken one, and leaves no part of a signature', async () => {
  const stream = Buffer.from(
    said({ text: 'größer', thought: true }) +
      said({ text: 'So.', thoughtSignature: 'dGV4dA==' }, call('a', 'c2lnQQ==')) +
      finished('STOP'),
  );
  for (let length = 0; length < stream.length - 1; length += 1) {
    const cut: typeof fetch = async () => new Response(stream.subarray(0, length));
    const model = geminiModel({ name: 'gemini-3.8-flash', apiKey: 'key', fetch: cut });
    const events: ModelEvent[] = [];
    const failure = await (async () => {
      for await (const event of model.stream(hello, AbortSignal.timeout(60_000))) events.push(event);
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'broken_stream' });
    const kept = blocksOf(events).flatMap((block) =>
      block.type === 'opaque' ? [block.value['thoughtSignature']] : [],
    );
    expect([[], ['dGV4dA==', 'c2lnQQ==']]).toContainEqual(kept);
  }
});

test('signatures of another provider are left out, and the first call gets the documented placeholder', async () => {
  const server = await serve({ raw: said(call('a', 'c2lnQQ=='), call('b')) + finished('STOP') });
  const content = blocksOf(await ask(server));
  await ask(server, after(content), { provider: 'vertex' });
  const parts = (options: object) => [{ ...call('a'), ...options }, call('b')];
  expect(server.requests[1]?.body).toMatchObject({
    contents: [{}, { parts: parts({ thoughtSignature: FOREIGN_SIGNATURE }) }, {}],
  });
});

test('models before Gemini 3 get no placeholder', async () => {
  expect(await sentBack([call('a')], { name: 'gemini-3.8-flash' })).toEqual([call('a', FOREIGN_SIGNATURE)]);
  const older = await serve({ raw: said(call('a')) + finished('STOP') });
  const content = blocksOf(await ask(older, hello, { name: 'gemini-2.5-flash-lite' }));
  await ask(older, after(content), { name: 'gemini-2.5-flash-lite' }).catch(() => {}); // the fake server is a Gemini 3
  expect(older.refused[0]?.text).toContain('"functionCall":{"id":"a"');
  expect(older.refused[0]?.text).not.toContain('thoughtSignature');
});

test.each(['MAX_TOKENS', 'STOP'])('ends an answer with %s', async (reason) => {
  const server = await serve({ raw: said({ text: 'And' }) + finished(reason) });
  expect((await ask(server)).at(-1)).toMatchObject({ stopReason: reason === 'STOP' ? 'end_turn' : 'max_tokens' });
});

test.each<[string, string, string]>([
  [
    'a safety filter',
    said({ text: 'And' }) + finished('SAFETY'),
    'the answer was stopped, because a safety filter objects to it (SAFETY)',
  ],
  [
    'a recitation, with words of the server',
    finished('RECITATION', { finishMessage: 'Cites a book.' }),
    'the answer was stopped, because it repeats a text of others too closely (RECITATION: Cites a book.)',
  ],
  ['a reason without a name', finished('OTHER'), 'the answer was stopped (OTHER)'],
  [
    'a blocked prompt',
    chunk({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 5 } }),
    'the prompt was blocked, because it has prohibited content (PROHIBITED_CONTENT)',
  ],
])('reports %s as a refusal, in a sentence', async (_, raw, explanation) => {
  expect((await ask(await serve({ raw }))).at(-1)).toMatchObject({ stopReason: 'refusal', explanation });
});

test.each<[string, string, string]>([
  ['nothing', '', 'it held nothing'],
  ['no end', said({ text: 'And' }), 'the connection ended before the message did'],
  ['an event that is not JSON', 'data: {\r\n\r\n', 'it held an event that is not JSON'],
  ['a call without a name', said({ functionCall: { args: {} } }), 'it held a tool call without a name'],
  [
    'a call that the server could not parse',
    finished('MALFORMED_FUNCTION_CALL', { finishMessage: 'Malformed function call: print(Read(' }),
    'the model wrote a call that the server could not parse (MALFORMED_FUNCTION_CALL: Malformed function call: print(Read()',
  ],
])('a stream with %s is a broken one', async (_, raw, why) => {
  expect(await failureOf({ raw })).toMatchObject({
    kind: 'broken_stream',
    problem: expect.stringMatching(/^The answer of gemini-3\.8-flash from 127\.0\.0\.1:\d+ broke off: /),
    message: expect.stringContaining(`: ${why}.`),
  });
});

const googleError = (code: number, status: string, message: string, details?: unknown[]): FakeAnswer => ({
  status: code,
  error: JSON.stringify({ error: { code, message, status, ...(details && { details }) } }),
});
const detail = (type: string, fields: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...fields });
const quotaText = 'You exceeded your current quota, please check your plan and billing details.';
const quota = (quotaId: string, retryDelay: string) => [
  detail('QuotaFailure', { violations: [{ quotaMetric: 'generate_requests', quotaId, quotaValue: '10' }] }),
  detail('RetryInfo', { retryDelay }),
];

test.each<[string, FakeAnswer, Partial<ModelFailure>]>([
  [
    'a wrong key, which comes as an invalid request',
    googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' }),
    ]),
    {
      kind: 'auth',
      message: 'PLACE refused the key (400: API key not valid. Please pass a valid API key). Check GEMINI_API_KEY.',
    },
  ],
  [
    'the quota of a minute, with the wait',
    googleError(429, 'RESOURCE_EXHAUSTED', quotaText, quota('GenerateRequestsPerMinutePerProject', '34.0748s')),
    {
      kind: 'rate_limited',
      retryAfterMs: 34_075,
      message: `PLACE limits the rate (429: ${quotaText.replace(/\.$/, '')}). Wait 35 s, then try again.`,
    },
  ],
  [
    'the quota of a day, which no wait helps',
    googleError(429, 'RESOURCE_EXHAUSTED', quotaText, quota('GenerateRequestsPerDayPerProjectPerModel', '12s')),
    {
      kind: 'rate_limited',
      transient: false,
      message: `The quota for gemini-3.8-flash at PLACE is used up (429: ${quotaText.replace(/\.$/, '')}). Wait until it is renewed, set another key, or choose another model.`,
    },
  ],
  [
    'used up credits',
    googleError(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'),
    { kind: 'auth', about: 'credit' },
  ],
  ['an overloaded model', googleError(503, 'UNAVAILABLE', 'The service is unavailable.'), { kind: 'overloaded' }],
  ['a deadline', googleError(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'), { kind: 'server_error' }],
  [
    'an unknown model',
    googleError(404, 'NOT_FOUND', 'models/gemini-3.8-flash is not found for API version v1beta.'),
    { kind: 'unknown_model' },
  ],
  [
    'a prompt that is too long',
    googleError(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1048577) exceeds the maximum number of tokens allowed.',
    ),
    { kind: 'context_overflow' },
  ],
  [
    'a wrong address, without its query',
    { status: 404, error: '<html>Not found</html>' },
    { kind: 'unreachable', message: expect.stringMatching(/^http:\/\/127[^?]*:streamGenerateContent does not exist/) },
  ],
  [
    'an error in the middle of the stream',
    { raw: `${said({ text: 'And' })}data: {"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}\r\n\r\n` },
    { kind: 'overloaded', message: 'PLACE is overloaded (UNAVAILABLE: Busy). Try again in a while.' },
  ],
])('reports %s', async (_, answer, expected) => {
  const failure = await failureOf(answer);
  const shown = failure.message.replaceAll(/[Tt]he model server at \S+/g, 'PLACE');
  expect({ ...failure, message: shown }).toMatchObject(expected);
});

test('the address, the path and the headers may be those of Vertex AI', async () => {
  const server = await serve({ text: 'Hi' });
  const path = '/v1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse';
  const events = await ask(server, hello, { path, authStyle: 'bearer', apiKey: 'token', headers: { 'x-team': 'red' } });
  expect(events.at(-1)).toMatchObject({ stopReason: 'end_turn' });
  expect(server.requests[0]).toMatchObject({ path, headers: { authorization: 'Bearer token', 'x-team': 'red' } });
  expect(server.requests[0]?.headers).not.toHaveProperty('x-goog-api-key');
});

test.each(['', '/', '/v1beta', '/v1beta/'])('the base URL may end with "%s"', async (ending) => {
  const server = await serve({ text: 'Hi' });
  await ask(server, hello, { baseUrl: server.url + ending });
  expect(server.requests[0]?.path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
});

test('without a key, the vendor is not asked', () => {
  expect(() => geminiModel({ name: 'gemini-3.8-flash' }).check?.()).toThrow(
    'No key for the Gemini API: set GEMINI_API_KEY, or GOOGLE_GEMINI_BASE_URL for a server that needs none.',
  );
});
