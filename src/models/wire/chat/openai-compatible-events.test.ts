import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallAssembler } from '../../../calls/assemble.js';
import type { AssistantBlock } from '../../../contract/message.js';
import { type ModelEvent, ModelFailure, type ModelRequest, type Usage } from '../../../contract/model.js';
import { withRetries } from '../../retry/retry.js';
import { openAiCompatibleModel } from './openai-compatible.js';

const FIXTURES = new URL('../../../../test/fixtures/chat/', import.meta.url);

const request: ModelRequest = {
  system: [],
  tools: ['first', 'second'].map((name) => ({ name, description: name, input_schema: { type: 'object' } })),
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

/** The outcome of a response, with the calls that the loop would run. */
interface Answer {
  text?: string;
  thinking?: string;
  calls?: Array<[name: string, input: unknown, id?: string]>;
  /** Calls that get a result without being run. */
  refused?: string[];
  /** Calls that were still open at the end. */
  cut?: string[];
  kept?: AssistantBlock[];
  stopReason?: string | null;
  usage?: Usage;
}

const A: [string, unknown, string] = ['first', { a: 1 }, 'call_a'];
const B: [string, unknown, string] = ['second', { b: 2 }, 'call_b'];
const usage = (input: number, output: number, cached = 0): Usage => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
});
const kept = (value: Record<string, unknown>): AssistantBlock => ({ type: 'opaque', provider: 'test', value });

// Defaults: no text, "tool_use" with calls, "end_turn" without, 100 and 20 tokens.
const answers: Record<string, Answer> = {
  'by-the-book': { calls: [A, B] },
  'reasoning-in-channel': {
    thinking: 'I look first.',
    calls: [A],
    kept: [kept({ type: 'reasoning', field: 'reasoning', text: 'I look first.' })],
    usage: usage(60, 20, 40),
  },
  'reasoning-and-times': {
    thinking: 'I look first.',
    calls: [A],
    kept: [kept({ type: 'reasoning', field: 'reasoning', text: 'I look first.' })],
    usage: usage(60, 20, 40),
  },
  'same-index': {
    calls: [
      ['first', { p: 'a' }, 'call_a'],
      ['first', { p: 'b' }, 'call_b'],
    ],
  },
  'same-id': {
    calls: [
      ['first', {}, 'call_0'],
      ['second', {}, 'call_0'],
      ['second', { b: 2 }, 'call_0'],
    ],
  },
  'same-index-in-pieces': {
    calls: [
      ['first', { p: 'a' }, 'call_a'],
      ['first', { p: 'b' }, 'call_b'],
    ],
  },
  'missing-index': { calls: [['first', {}, 'call_a'], B] },
  'missing-id': {
    calls: [
      ['first', {}, ''],
      ['second', { b: 2 }, ''],
    ],
  },
  'empty-id': {
    calls: [
      ['first', { a: 1 }, ''],
      ['second', { b: 2 }, ''],
    ],
  },
  'missing-index-and-id': {
    calls: [
      ['first', { a: 1 }, ''],
      ['second', { b: 2 }, ''],
    ],
  },
  'same-index-without-id': {
    calls: [
      ['first', { p: 'a' }, ''],
      ['first', { p: 'b' }, ''],
    ],
  },
  'index-changes': { calls: [A] },
  'head-and-tail': { calls: [A, B] },
  'index-falls-back': { calls: [A, B] },
  'arguments-under-first-index': { calls: [A, B] },
  interleaved: {
    calls: [
      ['first', { x: 1 }, 'call_a'],
      ['second', { y: 2 }, 'call_b'],
    ],
  },
  'interleaved-pieces': {
    calls: [
      ['first', { x: 1 }, 'call_a'],
      ['second', { y: 2 }, 'call_b'],
    ],
  },
  'known-id-other-index': { calls: [A, B] },
  'new-id-on-every-piece': { calls: [A] },
  'everything-on-every-piece': { calls: [A] },
  'name-in-pieces': { calls: [A] },
  'name-after-id': { calls: [A] },
  'arguments-object': { calls: [['first', { a: 1, b: ['x'] }, 'call_a']] },
  'arguments-empty': {
    calls: [
      ['first', {}, 'call_a'],
      ['second', {}, 'call_b'],
    ],
  },
  'arguments-null': {
    calls: [
      ['first', {}, 'call_a'],
      ['first', {}, 'call_b'],
      ['second', {}, 'call_c'],
    ],
  },
  'arguments-repeated': { calls: [A] },
  'arguments-repeated-without-id': { calls: [A, B] },
  'object-repeated': { calls: [A] },
  'message-under-other-id': { calls: [A, B] },
  'message-without-index': { calls: [A] },
  'repeated-under-other-id': { calls: [A, B] },
  'tail-repeated': { calls: [A, B] },
  'two-choices': { calls: [A] },
  'joined-objects': { refused: ['call_a'] },
  'joined-later': { refused: ['call_a'] },
  'encoded-twice': { calls: [['first', { a: 'x\ny' }, 'call_a']] },
  'raw-newline': { calls: [['first', { a: 'one\n\ttwo' }, 'call_a']] },
  'trailing-comma': { calls: [['first', { a: [1, 2], b: ', }' }, 'call_a']] },
  'stop-with-calls': { calls: [A] },
  'no-finish-reason': { calls: [A] },
  'no-done': { calls: [A] },
  'finish-with-arguments': { calls: [A] },
  'finish-on-every-call': { calls: [A, B] },
  'finish-without-calls': { text: 'Done.' },
  'whole-message': { text: 'Looking.', calls: [A] },
  'cut-in-arguments': { calls: [A], cut: ['call_b'], stopReason: 'max_tokens' },
  'cut-before-arguments': { cut: ['call_a'], stopReason: 'max_tokens' },
  'incomplete-arguments': { refused: ['call_a'] },
  'usage-in-choice': { text: 'Hi', usage: usage(60, 20, 40) },
  'usage-in-vendor-field': { text: 'Hi' },
  'usage-on-every-chunk': { text: 'Hi' },
  'usage-cache-hit': { text: 'Hi', usage: usage(36, 20, 64) },
  'usage-reasoning-beside': { text: 'Hi', usage: usage(100, 320) },
  'usage-reasoning-inside': { text: 'Hi', usage: usage(10, 320, 90) },
  'reasoning-content': {
    thinking: 'Let me see.',
    text: 'I look.',
    calls: [A],
    kept: [
      kept({ type: 'reasoning', field: 'reasoning_content', text: 'Let me see.' }),
      { type: 'text', text: 'I look.' },
    ],
  },
  'reasoning-twice': {
    thinking: 'Hm.',
    text: 'Hi',
    kept: [kept({ type: 'reasoning', field: 'reasoning_content', text: 'Hm.' }), { type: 'text', text: 'Hi' }],
  },
  'reasoning-details': {
    thinking: 'Let me see.',
    calls: [A],
    kept: [
      kept({
        type: 'reasoning',
        field: 'reasoning_details',
        details: [
          {
            type: 'reasoning.text',
            text: 'Let me see.',
            format: 'anthropic-claude-v1',
            index: 0,
            signature: 'c2ln',
          },
          { type: 'reasoning.encrypted', data: 'AbC=', id: 'call_a', index: 1 },
        ],
      }),
    ],
  },
  'extra-content': {
    calls: [A, B],
    kept: [kept({ type: 'call_extra', extra_content: { google: { thought_signature: 'c2ln/+==' } } })],
  },
  'think-inline': {
    thinking: 'Let me see.',
    text: 'Here: <think> stays.',
    kept: [{ type: 'text', text: 'Here: <think> stays.' }],
  },
  'think-not-closed': { thinking: 'Round and round </thi', kept: [], stopReason: 'max_tokens' },
  'content-parts': {
    thinking: 'Let me see.',
    text: 'Here.',
    kept: [kept({ type: 'reasoning', field: 'content', text: 'Let me see.' }), { type: 'text', text: 'Here.' }],
  },
  'empty-first-chunk': { text: 'Hi' },
  'text-around-calls': {
    text: 'Before.After.',
    calls: [A],
    kept: [
      { type: 'text', text: 'Before.' },
      { type: 'text', text: 'After.' },
    ],
  },
};

const fixtures = readdirSync(FIXTURES).map((file) => {
  const stream = readFileSync(new URL(file, FIXTURES), 'utf8');
  return { name: file.replace('.sse', ''), about: stream.slice(2, stream.indexOf('\n')), stream };
});

test('every fixture has its expected answer, and every answer its fixture', () => {
  expect(fixtures.map(({ name }) => name).toSorted()).toEqual(Object.keys(answers).toSorted());
});

test.each(fixtures)('understands $name: $about', async ({ name, stream }) => {
  const expected = answers[name] ?? {};
  const withCalls = expected.calls ?? expected.refused;
  const whole = { text: '', thinking: '', calls: [], refused: [], cut: [], usage: usage(100, 20) };
  const { kept: blocks, ...rest } = expected;
  const answer = answerOf(await eventsOf(stream));
  expect(answer).toMatchObject({ ...whole, stopReason: withCalls ? 'tool_use' : 'end_turn', ...rest });
  if (blocks) expect(answer.kept).toEqual(blocks);
});

test.each(fixtures)('emits the same events for $name for any split of its bytes', async ({ stream }) => {
  const whole = await eventsOf(stream);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }), async (lengths) => {
      expect(await eventsOf(stream, lengths)).toEqual(whole);
    }),
    { numRuns: 10 },
  );
});

test('ends a call as soon as the next one begins, and never before', async () => {
  const types = (await eventsOf(fixture('by-the-book'))).map((event) =>
    'index' in event ? `${event.type} ${event.index}` : event.type,
  );
  expect(types).toEqual([
    'message_start',
    'call_start 0',
    'call_input 0',
    'call_input 0',
    'call_end 0',
    'call_start 1',
    'call_input 1',
    'call_end 1',
    'message_end',
  ]);
});

test('ends interleaved calls in the order in which they began', async () => {
  const events = await eventsOf(
    sse(
      { tool_calls: [piece(0, 'a', 'first', '{"x"'), piece(1, 'b', 'second', '{"y":2}')] },
      { tool_calls: [{ index: 2, id: 'c', function: { name: 'first', arguments: '{}' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    ),
  );
  expect(events.flatMap((event) => (event.type === 'call_end' ? [event.index] : []))).toEqual([0, 1, 2]);
});

test('does not run a call whose arguments are followed by the start of others', async () => {
  const deltas = [piece(0, 'a', 'first', '{"a":1}'), { index: 0, function: { arguments: '{"b":' } }];
  const answer = answerOf(await eventsOf(sse(...deltas.map((each) => ({ tool_calls: [each] })))));
  expect(answer).toMatchObject({ calls: [], refused: ['a'] });
});

test('does not complete an open call with repeated arguments of another', async () => {
  const deltas = [
    piece(0, 'a', 'first', '{"p":"'),
    piece(0, 'a', '', 'x"}'),
    piece(1, 'b', 'second', '{"p":"y; '),
    piece(0, 'a', '', 'x"}'),
  ];
  const answer = answerOf(await eventsOf(sse(...deltas.map((each) => ({ tool_calls: [each] })))));
  expect(answer).toMatchObject({ calls: [['first', { p: 'x' }, 'a']], refused: ['b'] });
});

test('does not assign repeated arguments to a call with another id', async () => {
  const deltas = [piece(0, 'a', 'first', '{"p":1}'), piece(1, 'b', 'second', ''), piece(0, 'a', '', '{"p":2}')];
  const stream = sse(...deltas.map((each) => ({ tool_calls: [each] })));
  await expect(eventsOf(stream)).rejects.toThrow('arguments that belong to no call');
});

test('runs two calls with one index and tool if their arguments differ, the second in pieces and under its own id', async () => {
  const deltas = [
    piece(0, 'a', 'first', '{"p":1}'),
    piece(0, 'b', 'first', '{"p"'),
    piece(0, 'b', '', ':2}'),
    piece(0, 'c', 'first', ''),
  ];
  const answer = answerOf(await eventsOf(sse(...deltas.map((each) => ({ tool_calls: [each] })))));
  expect(answer.calls).toEqual([
    ['first', { p: 1 }, 'a'],
    ['first', { p: 2 }, 'b'],
    ['first', {}, 'c'],
  ]);
});

test('distinguishes calls with one id by their index', async () => {
  const deltas = [
    piece(0, 'x', 'first', '{"p":'),
    piece(1, 'x', 'second', '{"q":'),
    piece(0, 'x', '', '1}'),
    piece(1, 'x', '', '2}'),
  ];
  const answer = answerOf(await eventsOf(sse(...deltas.map((each) => ({ tool_calls: [each] })))));
  expect(answer.calls).toEqual([
    ['first', { p: 1 }, 'x'],
    ['second', { q: 2 }, 'x'],
  ]);
});

test.each<[string, ReturnType<typeof piece>[], Array<[string, unknown, string]>]>([
  [
    'one after the other, in pieces',
    [
      piece(0, 'x', 'first', ''),
      piece(0, '', '', '{"p":1}'),
      piece(1, 'x', 'first', ''),
      piece(1, '', '', '{"p":'),
      piece(1, '', '', '2}'),
    ],
    [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, 'x'],
    ],
  ],
  [
    'both opened before their arguments',
    [piece(0, 'x', 'first', ''), piece(1, 'x', 'first', ''), piece(0, '', '', '{"p":1}'), piece(1, '', '', '{"p":2}')],
    [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, 'x'],
    ],
  ],
  [
    'interleaved, with the id on every piece',
    [
      piece(0, 'x', 'first', '{"p":'),
      piece(1, 'x', 'first', '{"p":'),
      piece(0, 'x', 'first', '1}'),
      piece(1, 'x', 'first', '2}'),
    ],
    [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, 'x'],
    ],
  ],
  [
    'under one index, the second in pieces',
    [piece(0, 'x', 'first', '{"p":1}'), piece(0, 'x', 'first', '{"p":'), piece(0, 'x', '', '2}')],
    [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, ''],
    ],
  ],
  [
    'three of them, the third without arguments',
    [piece(0, 'x', 'first', '{"p":1}'), piece(1, 'x', 'first', '{"p":2}'), piece(2, 'x', 'first', '')],
    [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, 'x'],
      ['first', {}, 'x'],
    ],
  ],
  [
    'the same call once more, under another index',
    [piece(0, 'x', 'first', '{"p":1}'), piece(1, 'x', 'first', '{"p":'), piece(1, 'x', '', ' 1}')],
    [['first', { p: 1 }, 'x']],
  ],
  [
    'one call whose index rises with every piece',
    [piece(0, 'x', 'first', '{"p":'), piece(1, 'x', 'first', '1'), piece(2, 'x', 'first', '}')],
    [['first', { p: 1 }, 'x']],
  ],
])('two calls of one tool with one id: %s', async (_, deltas, calls) => {
  const answer = answerOf(await eventsOf(sse(...deltas.map((each) => ({ tool_calls: [each] })))));
  expect(answer).toMatchObject({ calls });
  expect(answer.refused ?? []).toEqual([]);
});

test('two calls of one tool with one id in a whole message', async () => {
  const tool_calls = [1, 2].map((p) => ({ id: 'x', function: { name: 'first', arguments: JSON.stringify({ p }) } }));
  const chunk = JSON.stringify({ choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] });
  const answer = answerOf(await eventsOf(`data: ${chunk}\n\ndata: [DONE]\n\n`));
  expect(answer).toMatchObject({
    calls: [
      ['first', { p: 1 }, 'x'],
      ['first', { p: 2 }, ''],
    ],
  });
});

test('runs equal calls of one whole message, each under its own id', async () => {
  const tool_calls = [piece(0, 'a', 'first', '{}'), piece(1, 'b', 'first', '{}')];
  const chunk = JSON.stringify({ choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] });
  const answer = answerOf(await eventsOf(`data: ${chunk}\n\ndata: [DONE]\n\n`));
  expect(answer.calls).toEqual([
    ['first', {}, 'a'],
    ['first', {}, 'b'],
  ]);
});

test('retries if the stream breaks after only reasoning', async () => {
  const thought =
    'data: {"choices":[{"delta":{"reasoning_content":"Hm."}}]}\n\ndata: {"choices":[{"delta":{"content":"H"}}]}\n\n';
  let requests = 0;
  const model = openAiCompatibleModel({
    provider: 'test',
    name: 'some-model',
    baseUrl: 'http://127.0.0.1:1',
    fetch: async () => new Response(requests++ === 0 ? thought : fixture('by-the-book')),
  });
  const patient = withRetries(model, { maxRetries: 1, wait: async () => {} });
  const events = await Array.fromAsync(patient.stream(request, AbortSignal.timeout(60_000)));
  expect(
    events.filter(({ type }) => ['retry', 'restart', 'message_end'].includes(type)).map(({ type }) => type),
  ).toEqual(['retry', 'restart', 'message_end']);
});

/** The pieces of two calls in any order that keeps each call's own order: a wrong join would break this. */
test('assembles any number of calls, for any order of their pieces', async () => {
  const input = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const call = fc.record({ input, cuts: fc.array(fc.nat(), { maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), fc.array(fc.nat()), async (calls, order) => {
      const queues = calls.map(({ input, cuts }, index) => [
        { index, id: `id_${index}`, function: { name: 'first', arguments: '' } },
        ...cutAt(JSON.stringify(input), cuts).map((json) => ({ index, function: { arguments: json } })),
      ]);
      // The heads keep their order, since that is the order of the calls.
      const pieces: object[] = queues.map((queue) => queue.shift() ?? {});
      for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
        const waiting = queues.filter((queue) => queue.length > 0);
        const next = waiting[(order[turn % Math.max(1, order.length)] ?? 0) % waiting.length]?.shift();
        if (next) pieces.push(next);
      }
      const stream = sse(...pieces.map((piece) => ({ tool_calls: [piece] })));
      const { calls: got } = answerOf(await eventsOf(stream));
      expect(got).toEqual(calls.map(({ input }, index) => ['first', JSON.parse(JSON.stringify(input)), `id_${index}`]));
    }),
    { numRuns: 200 },
  );
});

test('runs no call twice and none that was not sent, for any repetition of complete calls', async () => {
  const call = fc.record({ words: fc.string(), cuts: fc.array(fc.nat(), { maxLength: 4 }) });
  const replay = fc.record({ after: fc.nat(), which: fc.nat() });
  const replays = fc.array(replay, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 4 }), replays, async (calls, again) => {
      const inputs = calls.map(({ words }, n) => ({ n, words }));
      const queues = inputs.map((input, n) =>
        cutAt(JSON.stringify(input), calls[n]?.cuts ?? []).map((json, at) =>
          piece(n, `id_${n}`, at === 0 ? 'first' : '', json),
        ),
      );
      const pieces = queues.flatMap((queue, n) => queue.map((each) => ({ each, complete: queues.slice(0, n).flat() })));
      const sent = pieces.flatMap(({ each, complete }, at) => [
        each,
        ...again
          .filter(({ after }) => after % pieces.length === at)
          .flatMap(({ which }) => complete[which % Math.max(1, complete.length)] ?? []),
      ]);
      const ran = await ranOf(sse(...sent.map((each) => ({ tool_calls: [each] }))));
      for (const input of ran) expect(inputs).toContainEqual(input);
      expect(new Set(ran.map((input) => JSON.stringify(input))).size).toBe(ran.length);
      if (again.length === 0) expect(ran).toEqual(inputs);
    }),
    { numRuns: 300 },
  );
});

test.each<[string, string, string, string]>([
  [
    'an error in the stream',
    'data: {"error":{"message":"Overloaded","type":"overloaded_error","code":529}}\n\n',
    'overloaded',
    'is overloaded (overloaded_error: Overloaded)',
  ],
  [
    'an error with nothing but words',
    'data: {"error":"out of memory"}\n\n',
    'invalid_request',
    '(error: out of memory)',
  ],
  ['an error by the name of its event', 'event: error\ndata: {"message":"boom"}\n\n', 'invalid_request', 'boom'],
  ['an error without a frame', 'data: {"object":"error","message":"boom","code":500}\n\n', 'server_error', 'boom'],
  ['nothing but an end', 'data: [DONE]\n\n', 'broken_stream', 'it held nothing'],
  [
    'a finish that is a failure',
    'data: {"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}\n\n',
    'overloaded',
    'insufficient_system_resource',
  ],
  [
    'a finish with the error beside it',
    'data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}\n\n',
    'server_error',
    'failed (api_error: upstream)',
  ],
  ['a stream without an end', 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n', 'broken_stream', 'ended before'],
  ['an event that is not JSON', 'data: <oops>\n\n', 'broken_stream', 'is not JSON'],
  ['arguments without a call', sse({ tool_calls: [{ function: { arguments: '{}' } }] }), 'broken_stream', 'no name'],
  [
    'the rest of a call that never began, after the beginning of another',
    sse({ tool_calls: [piece(0, 'a', 'first', '{"p":"x')] }, { tool_calls: [piece(1, 'b', '', 'y"}')] }),
    'broken_stream',
    'no name',
  ],
  [
    'the rest of a call by an id that none has, without an index',
    sse(
      { tool_calls: [piece(0, 'a', 'first', '{"p":"x')] },
      { tool_calls: [{ id: 'b', function: { arguments: 'y"}' } }] },
    ),
    'broken_stream',
    'no name',
  ],
])('explains %s', async (_, stream, kind, words) => {
  const failure = await eventsOf(stream).catch((error: unknown) => error);
  if (!(failure instanceof ModelFailure)) throw new Error('expected a model failure', { cause: failure });
  expect({ kind: failure.kind, message: failure.message }).toEqual({
    kind,
    message: expect.stringContaining(words === 'no name' ? 'a tool call without a name' : words),
  });
});

test('keeps think tags in the text of a server that does not think inline', async () => {
  const events = await eventsOf(fixture('think-inline'), [1000], { thinksInline: false });
  expect(answerOf(events).text).toBe('\n<think>Let me see.</think>\n\nHere: <think> stays.');
});

function fixture(name: string): string {
  return fixtures.find((each) => each.name === name)?.stream ?? '';
}

function piece(index: number, id: string, name: string, json: string): object {
  return { index, id, type: 'function', function: { name, arguments: json } };
}

function sse(...deltas: object[]): string {
  const chunks = deltas.map((delta) => JSON.stringify({ id: 'x', choices: [{ delta }] }));
  const end = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
  return [...chunks, end, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % text.length), text.length].toSorted((a, b) => a - b);
  return places.slice(1).flatMap((end, at) => text.slice(places[at], end) || []);
}

async function eventsOf(
  stream: string,
  lengths: readonly number[] = [100_000],
  quirks: { thinksInline?: boolean } = {},
): Promise<ModelEvent[]> {
  return await Array.fromAsync(streamOf(stream, lengths, quirks));
}

function streamOf(
  stream: string,
  lengths: readonly number[] = [100_000],
  quirks: { thinksInline?: boolean } = {},
): AsyncIterable<ModelEvent> {
  const bytes = new TextEncoder().encode(stream);
  const model = openAiCompatibleModel({
    provider: 'test',
    name: 'some-model',
    baseUrl: 'http://127.0.0.1:1',
    quirks,
    fetch: async () => new Response(ReadableStream.from(chunks(bytes, lengths))),
  });
  return model.stream(request, AbortSignal.timeout(60_000));
}

/** The inputs of the calls that run, from a stream that may fail in the middle. */
async function ranOf(stream: string): Promise<unknown[]> {
  const assembler = new CallAssembler();
  const ran: unknown[] = [];
  try {
    for await (const event of streamOf(stream)) {
      if (event.type === 'call_start') assembler.start(event);
      if (event.type === 'call_input') assembler.add(event);
      if (event.type !== 'call_end') continue;
      const call = assembler.end(event);
      if (!('problem' in call)) ran.push(call.input);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ModelFailure);
  }
  return ran;
}

function* chunks(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

function answerOf(events: readonly ModelEvent[]) {
  const assembler = new CallAssembler();
  const answer = {
    text: '',
    thinking: '',
    calls: [] as unknown[],
    refused: [] as string[],
    cut: [] as string[],
    kept: [] as AssistantBlock[],
    stopReason: null as string | null,
    usage: undefined as Usage | undefined,
  };
  for (const event of events) {
    if (event.type === 'text_delta') answer.text += event.text;
    if (event.type === 'thinking_delta') answer.thinking += event.text;
    if (event.type === 'block') answer.kept.push(event.block);
    if (event.type === 'call_start') assembler.start(event);
    if (event.type === 'call_input') assembler.add(event);
    if (event.type === 'call_end') {
      const call = assembler.end(event);
      if ('problem' in call) answer.refused.push(call.id);
      else answer.calls.push([call.name, call.input, call.id]);
    }
    if (event.type === 'message_end') Object.assign(answer, { stopReason: event.stopReason, usage: event.usage });
  }
  answer.cut = assembler.cut('stream').map(({ id }) => id);
  expect(events.filter(({ type }) => type === 'message_end')).toHaveLength(1);
  return answer;
}
