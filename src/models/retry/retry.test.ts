import { createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { type Model, type ModelEvent, ModelFailure, type ModelFailureKind } from '../../contract/model.js';
import type { RetryOptions } from '../../contract/retry-options.js';
import { anthropicModel } from '../wire/anthropic/anthropic.js';
import { withRetries } from './retry.js';

afterEach(() => void vi.useRealTimers());

const request = { system: [], tools: [], messages: [] };
const never = (): AbortSignal => new AbortController().signal;

const start: ModelEvent = { type: 'message_start', id: 'm', model: 'test' };
const words: ModelEvent = { type: 'text_delta', text: 'Hel' };
const textBlock: ModelEvent = { type: 'block', block: { type: 'text', text: 'Hello' } };
const thought: ModelEvent = { type: 'block', block: { type: 'thinking', thinking: 'hm', signature: 's' } };
const redacted: ModelEvent = {
  type: 'block',
  block: { type: 'opaque', provider: 'test', value: { type: 'redacted_thinking', data: 'x' } },
};
const searched: ModelEvent = {
  type: 'block',
  block: { type: 'opaque', provider: 'test', value: { type: 'server_tool_use', id: 's' } },
};
const callStart: ModelEvent = { type: 'call_start', index: 0, id: 'a', name: 'Read' };
const callEnd: ModelEvent = { type: 'call_end', index: 0 };
const usage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const end: ModelEvent = { type: 'message_end', stopReason: 'end_turn', usage };
const answer = [start, words, textBlock, end];

const overloaded = (options: { retryAfterMs?: number } = {}) =>
  new ModelFailure('overloaded', 'The model is overloaded.', { status: 529, ...options });
const broken = () => new ModelFailure('broken_stream', 'The answer broke off.');
const unreachable = (code: string) =>
  new ModelFailure('unreachable', 'No way there.', { cause: Object.assign(new Error(code), { code }) });

type Part = ModelEvent | ModelFailure | 'silence';

/** Plays the attempts in order: their events, then a failure, or a silence that only an abort ends. */
function modelOf(attempts: ReadonlyArray<readonly Part[]>, name = 'test'): Model & { asked: AbortSignal[] } {
  const asked: AbortSignal[] = [];
  return {
    asked,
    provider: 'test',
    name,
    maxOutputTokens: 1000,
    async *stream(_request, signal) {
      const parts = attempts[asked.push(signal) - 1] ?? [new Error('The test has no more attempts.')];
      for (const part of parts) {
        if (part instanceof Error) throw part;
        if (part === 'silence') await silenceUntil(signal);
        else yield part;
      }
    },
  };
}

const silenceUntil = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

interface Outcome {
  events: ModelEvent[];
  waits: number[];
  failure: unknown;
}

async function ask(model: Model, options: RetryOptions = {}): Promise<Outcome> {
  const waits: number[] = [];
  const events: ModelEvent[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  let failure: unknown;
  try {
    for await (const event of withRetries(model, { wait, random: () => 0.5, ...options }).stream(request, never())) {
      events.push(event);
    }
  } catch (error) {
    failure = error;
  }
  return { events, waits, failure };
}

const retriesIn = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'retry' ? `${event.attempt} of ${event.maxRetries}` : []));

const typesOf = (events: readonly ModelEvent[]): string[] => events.map(({ type }) => type);

test('retries a request that failed before its answer began, and reports why and when', async () => {
  const { events, waits } = await ask(modelOf([[overloaded()], answer]));
  const facts = { attempt: 1, maxRetries: 10, waitMs: 500, reason: 'The model is overloaded.', status: 529 };
  expect(events).toEqual([{ type: 'retry', ...facts, provider: 'test', model: 'test' }, ...answer]);
  expect(waits).toEqual([500]);
});

test.each<[ModelFailureKind, number | undefined, boolean]>([
  ['rate_limited', 429, true],
  ['overloaded', 529, true],
  ['overloaded', undefined, true],
  ['server_error', 408, true],
  ['server_error', 409, true],
  ['server_error', 500, true],
  ['server_error', 503, true],
  ['broken_stream', undefined, true],
  ['auth', 401, false],
  ['invalid_request', 400, false],
  ['unknown_model', 404, false],
  ['context_overflow', 413, false],
  ['context_overflow', 500, false],
  ['unreachable', 404, false],
  ['unreachable', 302, false],
  ['unreachable', 200, false],
  ['unreachable', undefined, false],
])('%s with status %s is retried: %s', async (kind, status, again) => {
  const failure = new ModelFailure(kind, 'No.', { status });
  const model = modelOf([[failure], answer]);
  expect((await ask(model)).failure).toBe(again ? undefined : failure);
  expect(model.asked).toHaveLength(again ? 2 : 1);
});

test.each([
  ['ECONNREFUSED', true],
  ['ECONNRESET', true],
  ['ETIMEDOUT', true],
  ['EAI_AGAIN', true],
  ['ENOTFOUND', true],
  ['UND_ERR_SOCKET', true],
  ['SELF_SIGNED_CERT_IN_CHAIN', false],
  ['CERT_HAS_EXPIRED', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false],
  ['HPE_INVALID_CONSTANT', false],
])('a connection that failed with %s is retried: %s', async (code, again) => {
  const model = modelOf([[unreachable(code)], answer]);
  await ask(model);
  expect(model.asked).toHaveLength(again ? 2 : 1);
});

test('a failure can say itself whether it is transient', async () => {
  const hopeless = new ModelFailure('rate_limited', 'The month is used up.', { transient: false });
  expect((await ask(modelOf([[hopeless]]))).failure).toBe(hopeless);
  const passing = new ModelFailure('invalid_request', 'Not now.', { transient: true });
  expect((await ask(modelOf([[passing], answer]))).failure).toBeUndefined();
});

test('passes on an error that is not a ModelFailure', async () => {
  const model = modelOf([]);
  expect((await ask(model)).failure).toEqual(new Error('The test has no more attempts.'));
  expect(model.asked).toHaveLength(1);
});

test.each([
  [0.5, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]],
  [0, [375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500, 22_500]],
  [1, [625, 1250, 2500, 5000, 10_000, 20_000, 37_500, 37_500, 37_500, 37_500]],
])('doubles the wait each time, up to 30 s, with a jitter of a quarter (%d)', async (chance, expected) => {
  const { waits } = await ask(modelOf(Array.from({ length: 11 }, () => [broken()])), { random: () => chance });
  expect(waits).toEqual(expected);
});

test('fails after the maximum number of retries, and reports the number of attempts', async () => {
  const model = modelOf(Array.from({ length: 9 }, () => [overloaded()]));
  const { failure, events } = await ask(model, { maxRetries: 3 });
  expect(model.asked).toHaveLength(4);
  expect(retriesIn(events)).toEqual(['1 of 3', '2 of 3', '3 of 3']);
  expect(failure).toMatchObject({
    kind: 'overloaded',
    status: 529,
    transient: false,
    message: 'The model is overloaded. It was tried 4 times.',
  });
});

test('retries nothing if no retry is allowed, not even after a silence', async () => {
  for (const attempt of [[overloaded()], ['silence' as const]]) {
    const model = modelOf([attempt, answer]);
    expect((await ask(model, { maxRetries: 0, idleMs: 1 })).failure).toBeInstanceOf(ModelFailure);
    expect(model.asked).toHaveLength(1);
  }
});

test('waits as long as the server asks for, or longer after an earlier refusal', async () => {
  const attempts = [0, 7000, 300, 300].map((retryAfterMs) => [overloaded({ retryAfterMs })]);
  expect((await ask(modelOf([...attempts, answer]))).waits).toEqual([500, 7000, 2000, 4000]);
});

test('gives up at once when the server asks for more than five minutes, and says so', async () => {
  const limited = (retryAfterMs: number) => new ModelFailure('rate_limited', 'Too many requests.', { retryAfterMs });
  expect((await ask(modelOf([[limited(300_000)], answer]))).waits).toEqual([300_000]);
  const { failure, waits } = await ask(modelOf([[limited(300_001)], answer]));
  expect(waits).toEqual([]);
  expect(failure).toMatchObject({
    kind: 'rate_limited',
    retryAfterMs: 300_001,
    transient: false,
    message: 'Too many requests. That is more than the 5 min that a run waits.',
  });
});

test.each([
  ['words', [start, words]],
  ['the beginning of a call', [start, callStart]],
  ['a thought', [start, thought]],
  ['a redacted thought', [start, redacted]],
  ['a text', [start, words, textBlock]],
  ['a block of the provider', [start, searched]],
  ['a text and the beginning of a call', [start, words, textBlock, callStart]],
])('starts over if %s had arrived', async (_, begun) => {
  const { events } = await ask(modelOf([[...begun, broken()], answer]));
  expect(typesOf(events)).toEqual([...typesOf(begun), 'retry', 'restart', ...typesOf(answer)]);
});

test('starts over only when the next answer begins, so that the text shown is kept if none does', async () => {
  const { events } = await ask(modelOf([[start, words, broken()], [overloaded()], [start, broken()], answer]));
  expect(typesOf(events)).toEqual([
    ...['message_start', 'text_delta', 'retry'],
    ...['retry', 'restart', 'message_start', 'retry'],
    ...typesOf(answer),
  ]);
});

test.each([
  ['a call', callEnd],
  ['the message', end],
])('throws the failure unchanged once %s is complete', async (_, complete) => {
  const failure = broken();
  const model = modelOf([[start, callStart, thought, complete, words, failure], answer]);
  const outcome = await ask(model);
  expect(outcome.failure).toBe(failure);
  expect(typesOf(outcome.events)).not.toContain('retry');
  expect(model.asked).toHaveLength(1);
});

test('a request that continues a broken answer is its next retry, until none is left', async () => {
  const cut: Part[] = [start, textBlock, callStart, callEnd];
  const played = modelOf([[...cut, overloaded()], [overloaded()], [overloaded()], [...cut, overloaded()]]);
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const model = withRetries(played, { wait, random: () => 0.5, maxRetries: 3 });
  const events: ModelEvent[] = [];
  const failureOf = async (continues?: ModelFailure): Promise<ModelFailure> => {
    const sent = { ...request, ...(continues && { continues }) };
    try {
      for await (const event of model.stream(sent, never())) events.push(event);
    } catch (error) {
      if (error instanceof ModelFailure) return error;
    }
    throw new Error('The request has not failed.');
  };
  const last = await failureOf(await failureOf());
  expect(retriesIn(events)).toEqual(['1 of 3', '2 of 3', '3 of 3']);
  expect(waits).toEqual([500, 1000, 2000]);
  expect(last).toMatchObject({
    kind: 'overloaded',
    transient: false,
    message: expect.stringContaining('tried 4 times'),
  });
});

test('a retry has the tokens of the try that failed, its output estimated, if the server has counted its input', async () => {
  const counted = { ...start, usage: { ...usage, input_tokens: 500, output_tokens: 1 } };
  const { events } = await ask(modelOf([[counted, { ...words, text: 'x'.repeat(40) }, broken()], [broken()], answer]));
  expect(events.flatMap((event) => (event.type === 'retry' ? [event.usage] : []))).toEqual([
    { ...usage, input_tokens: 500, output_tokens: 10 },
    undefined,
  ]);
});

test('aborts a silent request, retries once without a wait, and does not count that retry', async () => {
  const model = modelOf([[start, words, 'silence'], [overloaded()], [overloaded()], answer]);
  const { events, waits, failure } = await ask(model, { idleMs: 1, maxRetries: 2 });
  expect(failure).toBeUndefined();
  expect(waits).toEqual([500, 1000]);
  expect(model.asked[0]?.aborted).toBe(true);
  expect(events.filter(({ type }) => type === 'retry')).toMatchObject([
    { attempt: 1, maxRetries: 1, waitMs: 0, reason: expect.stringContaining('Nothing came from test for 0.001 s') },
    { attempt: 2, maxRetries: 3 },
    { attempt: 3, maxRetries: 3 },
  ]);
});

test('gives up on a request that is silent a second time', async () => {
  const model = modelOf([['silence'], ['silence'], answer]);
  const { failure } = await ask(model, { idleMs: 1 });
  expect(model.asked).toHaveLength(2);
  expect(failure).toMatchObject({ kind: 'broken_stream', transient: false });
});

test('a silence after a call is a broken stream like any other', async () => {
  const { failure } = await ask(modelOf([[start, callStart, callEnd, 'silence']]), { idleMs: 1 });
  expect(failure).toMatchObject({ kind: 'broken_stream', transient: undefined });
});

test('time spent by the reader does not count as silence', async () => {
  vi.useFakeTimers();
  const model = modelOf([[start, words, 'silence'], answer]);
  const events = withRetries(model, { idleMs: 1000 }).stream(request, never())[Symbol.asyncIterator]();
  await events.next();
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await events.next()).value).toEqual(words);
  await vi.advanceTimersByTimeAsync(60_000);
  const next = events.next();
  await vi.advanceTimersByTimeAsync(999);
  expect(model.asked[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  expect((await next).value).toMatchObject({ type: 'retry' });
});

test('data that arrived while the process was busy does not count as silence', async () => {
  const model: Model = {
    ...modelOf([]),
    async *stream() {
      const { port1, port2 } = new MessageChannel();
      const arrived = new Promise((resolve) => port1.addEventListener('message', resolve, { once: true }));
      port1.start();
      port2.postMessage('here');
      const until = performance.now() + 20;
      while (performance.now() < until);
      await arrived;
      port1.close();
      yield* answer;
    },
  };
  expect((await ask(model, { idleMs: 5 })).events).toEqual(answer);
});

test('an idle time of 0 allows unlimited silence', async () => {
  vi.useFakeTimers();
  const model = modelOf([['silence']]);
  void withRetries(model, { idleMs: 0, answerMs: 0 }).stream(request, never())[Symbol.asyncIterator]().next();
  await vi.advanceTimersByTimeAsync(10 ** 9);
  expect(model.asked.map(({ aborted }) => aborted)).toEqual([false]);
});

test('an abort ends a request at once, even if the model ignores the signal', async () => {
  const deaf: Model = {
    ...modelOf([]),
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  const controller = new AbortController();
  const next = withRetries(deaf).stream(request, controller.signal)[Symbol.asyncIterator]().next();
  controller.abort(new Error('Enough.'));
  await expect(next).rejects.toThrow('Enough.');
});

test('an abort ends a wait at once', async () => {
  const controller = new AbortController();
  const model = modelOf([[overloaded({ retryAfterMs: 200_000 })], answer]);
  const events = withRetries(model).stream(request, controller.signal)[Symbol.asyncIterator]();
  await events.next();
  const next = events.next();
  controller.abort(new Error('Enough.'));
  await expect(next).rejects.toThrow('Enough.');
  expect(model.asked).toHaveLength(1);
});

test('an abort between two events ends the request', async () => {
  const controller = new AbortController();
  const model = modelOf([answer]);
  const events = withRetries(model).stream(request, controller.signal)[Symbol.asyncIterator]();
  await events.next();
  controller.abort(new Error('Enough.'));
  await expect(events.next()).rejects.toThrow('Enough.');
});

test('a reader that stops early ends the request', async () => {
  let closed = false;
  const model: Model = {
    ...modelOf([]),
    async *stream() {
      try {
        yield* answer;
      } finally {
        closed = true;
      }
    },
  };
  for await (const _ of withRetries(model).stream(request, never())) break;
  expect(closed).toBe(true);
});

test('uses the next model after three answers in a row that say the model is not available', async () => {
  const failed = new ModelFailure('server_error', 'It failed.', { status: 503 });
  const first = modelOf([[overloaded()], [failed], [overloaded()]], 'first');
  const second = modelOf([[overloaded()], answer], 'second');
  const { events, waits } = await ask(first, { fallbacks: [second] });
  expect(waits).toEqual([500, 1000, 500]);
  expect(
    events.flatMap((event) => (event.type === 'retry' ? [[event.model, event.waitMs, event.reason]] : [])),
  ).toEqual([
    ['first', 500, 'The model is overloaded.'],
    ['first', 1000, 'It failed.'],
    ['second', 0, 'The model is overloaded. Using second instead of first for now.'],
    ['second', 500, 'The model is overloaded.'],
  ]);
});

test('names the providers if the next model has the same name', async () => {
  const next = { ...modelOf([answer], 'same'), provider: 'other' };
  const { events } = await ask(modelOf([[overloaded()]], 'same'), { maxRetries: 1, fallbacks: [next] });
  expect(events[0]).toMatchObject({
    provider: 'other',
    model: 'same',
    reason: 'The model is overloaded. Using other/same instead of test/same for now.',
  });
});

test('tries all fallback models and stays with the last', async () => {
  const attempts = () => Array.from({ length: 20 }, () => [overloaded()]);
  const models = ['a', 'b', 'c', 'd'].map((name) => modelOf(attempts(), name));
  const [first, ...fallbacks] = models;
  if (!first) throw new Error('There is a first one.');
  await ask(first, { fallbacks });
  expect(models.map(({ asked }) => asked.length)).toEqual([3, 3, 3, 2]);
});

test('the last of few retries goes to the next model', async () => {
  const second = modelOf([answer], 'second');
  const { failure } = await ask(modelOf([[overloaded()]], 'first'), { maxRetries: 1, fallbacks: [second] });
  expect(failure).toBeUndefined();
});

test('each request starts with the model itself again', async () => {
  const first = modelOf([[overloaded()], answer], 'first');
  const model = withRetries(first, { maxRetries: 1, fallbacks: [modelOf([answer], 'second')] });
  await Array.fromAsync(model.stream(request, never()));
  await Array.fromAsync(model.stream(request, never()));
  expect(first.asked).toHaveLength(2);
});

test('uses the next model at once if the server asks for a long wait', async () => {
  const first = modelOf([[overloaded({ retryAfterMs: 3_600_000 })]], 'first');
  const { events, waits } = await ask(first, { fallbacks: [modelOf([answer], 'second')] });
  expect([typesOf(events)[0], waits]).toEqual(['retry', []]);
});

test.each([
  ['a limit on the rate', () => new ModelFailure('rate_limited', 'Slow down.', { status: 429 })],
  ['a broken stream', broken],
  ['a lost connection', () => unreachable('ECONNRESET')],
  ['a request that came too late', () => new ModelFailure('server_error', 'Late.', { status: 408 })],
  ['a refused key', () => new ModelFailure('auth', 'No.', { status: 401 })],
])('uses no other model because of %s', async (_, failure) => {
  const second = modelOf([answer], 'second');
  await ask(modelOf(Array.from({ length: 11 }, () => [failure()])), { fallbacks: [second] });
  expect(second.asked).toHaveLength(0);
});

test('other failures in between reset the count for a fallback', async () => {
  const first = modelOf([[overloaded()], [overloaded()], [broken()], [overloaded()], [overloaded()], answer]);
  const second = modelOf([answer], 'second');
  await ask(first, { fallbacks: [second] });
  expect([first.asked.length, second.asked.length]).toEqual([6, 0]);
});

test('accepts at most three fallback models', () => {
  expect(() => withRetries(modelOf([]), { fallbacks: Array.from({ length: 4 }, () => modelOf([])) })).toThrow(
    'At most 3 models can stand in for another, but there are 4.',
  );
});

test('the reason of a retry has no advice, and the failure in the end has all of it', async () => {
  const busy = new ModelFailure('overloaded', 'The model is overloaded.', { advice: 'Try again in a while.' });
  const { events, failure } = await ask(modelOf([[busy], [busy]]), { maxRetries: 1 });
  expect(events).toMatchObject([{ type: 'retry', reason: 'The model is overloaded.', attempt: 1, maxRetries: 1 }]);
  expect(failure).toMatchObject({
    problem: 'The model is overloaded.',
    message: 'The model is overloaded. It was tried 2 times. Try again in a while.',
  });
});

test.each(['127.0.0.1', 'localhost'])(
  'retries a server that never answered on %s only twice, and says what to start',
  async (host) => {
    const port = await unusedPort();
    const { events, waits, failure } = await ask(anthropicModel({ name: 'test', baseUrl: `http://${host}:${port}` }));
    expect(retriesIn(events)).toEqual(['1 of 2', '2 of 2']);
    expect(waits).toEqual([500, 1000]);
    expect(failure).toMatchObject({
      kind: 'unreachable',
      transient: false,
      message: expect.stringMatching(
        new RegExp(`at ${host}:${port} \\(ECONNREFUSED: .*It was tried 3 times. Start the model server, or set `),
      ),
    });
  },
);

test('retries as often as usual if the server has answered before, or if its name may resolve later', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 1 });
  const gone = new ModelFailure('unreachable', 'Gone.', { cause: refused });
  expect((await ask(modelOf([[overloaded()], ...Array.from({ length: 11 }, () => [gone])]))).waits).toHaveLength(10);
  const nameless = Array.from({ length: 11 }, () => [unreachable('ENOTFOUND')]);
  expect((await ask(modelOf([[start, broken()], ...nameless]))).waits).toHaveLength(10);
  expect(retriesIn((await ask(modelOf(nameless))).events)).toEqual(['1 of 2', '2 of 2']);
});

test('otherwise behaves like the model, and checks all fallback models', () => {
  const checked: string[] = [];
  const checking = (name: string): Model => ({ ...modelOf([], name), check: () => void checked.push(name) });
  const facts = { contextTokens: 5 };
  const model = withRetries({ ...checking('a'), facts }, { fallbacks: [modelOf([]), checking('b')] });
  model.check?.();
  expect(checked).toEqual(['a', 'b']);
  expect(model).toMatchObject({ provider: 'test', name: 'a', maxOutputTokens: 1000, facts });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (typeof address !== 'object' || address === null) throw new Error('It listens on TCP.');
  return address.port;
}
