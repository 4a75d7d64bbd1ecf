import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent, RunResult } from '../../src/contract/event.js';
import { type ModelEvent, ModelFailure } from '../../src/contract/model.js';
import { defineTool } from '../../src/contract/tool.js';
import { anthropicModel } from '../../src/models/index.js';
import { anthropicSse, protocolViolations, temporaryProject } from '../../src/testing/index.js';

const project = await temporaryProject();

const recorder = (ran: string[]) =>
  defineTool({
    name: 'Record',
    description: 'Records that it ran.',
    input: z.strictObject({ mark: z.string() }),
    effects: () => [],
    async execute({ mark }) {
      ran.push(mark);
      return `recorded ${mark}`;
    },
    toModel: (text) => text,
  });

/** How one request fares: an error in place of an answer, or an answer, cut at a part of its bytes or before a word. */
type Fate =
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'no connection' }
  | {
      kind: 'answer';
      thinks: boolean;
      speaks: boolean;
      calls: number;
      cut?: number | string;
      falls?: 'off' | 'silent';
    };

interface Told {
  ran: string[];
  bodies: string[];
  events: AgentEvent[];
  result: RunResult;
}

/** Runs one prompt against a model whose requests fare like this, one after the other; what comes after them goes well. */
async function tell(fates: readonly Fate[], options: Partial<FullAgentOptions> = {}): Promise<Told> {
  const ran: string[] = [];
  const bodies: string[] = [];
  const answering: typeof fetch = async (_url, init) => {
    const body = String(init?.body);
    const fate = fates[bodies.push(body) - 1] ?? { kind: 'answer', thinks: false, speaks: true, calls: 0 };
    if (fate.kind === 'no connection') {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    }
    if (fate.kind === 'status') {
      const headers = new Headers(fate.retryAfter === undefined ? [] : [['retry-after', fate.retryAfter]]);
      return new Response('{"error":{"type":"api_error","message":"no"}}', { status: fate.status, headers });
    }
    return new Response(streamOf(fate, body, bodies.length), { headers: { 'content-type': 'text/event-stream' } });
  };
  const agent = createAgent({
    model: anthropicModel({ name: 'test', apiKey: 'x', fetch: answering }),
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [recorder(ran)],
    retries: { baseMs: 0, idleMs: 20, wait: async () => {} },
    ...options,
  });
  const events = await Array.fromAsync(agent.run('go'));
  await agent.end();
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The last event is no result.');
  return { ran, bodies, events, result };
}

/** The same history gets the same calls, as from a model without chance: a call that runs twice shows by its mark. */
function streamOf(
  { thinks, speaks, calls, cut, falls = 'off' }: Extract<Fate, { kind: 'answer' }>,
  body: string,
  number: number,
): ReadableStream {
  const history = JSON.parse(body).messages.length;
  const text = anthropicSse(
    {
      ...(thinks && { thinking: { text: 'Let me see.', signature: 'sig' } }),
      ...(speaks && { text: 'Well then.' }),
      calls: Array.from({ length: calls }, (_, index) => ({ name: 'Record', input: { mark: `${history}.${index}` } })),
    },
    number,
  );
  const bytes = new TextEncoder().encode(text);
  const length = typeof cut === 'string' ? text.indexOf(cut) : Math.floor(bytes.length * (cut ?? 1));
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, length));
      if (cut === undefined || falls === 'off') controller.close();
    },
  });
}

const wellThen = { kind: 'answer', thinks: false, speaks: true, calls: 0 } as const;

const someFate: fc.Arbitrary<Fate> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom(408, 409, 429, 500, 503, 529),
      retryAfter: fc.constantFrom('0', '1', '299'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'no connection' as const }) },
  {
    weight: 8,
    arbitrary: fc.record(
      {
        kind: fc.constant('answer' as const),
        thinks: fc.boolean(),
        speaks: fc.boolean(),
        calls: fc.nat({ max: 3 }),
        cut: fc.double({ min: 0, max: 1, noNaN: true }),
        falls: fc.oneof({ weight: 9, arbitrary: fc.constant('off' as const) }, fc.constant('silent' as const)),
      },
      { requiredKeys: ['kind', 'thinks', 'speaks', 'calls'] },
    ),
  },
);

test('however requests fail, no call runs twice, nothing is sent again after a call, and the history stays valid', async () => {
  const maxRetries = 4;
  await fc.assert(
    fc.asyncProperty(fc.array(someFate, { maxLength: 25 }), async (fates) => {
      const retries = { maxRetries, baseMs: 0, idleMs: 20, wait: async () => {} };
      const { ran, bodies, events, result } = await tell(fates, { retries });
      expect(new Set(ran).size).toBe(ran.length);
      expect(bodies.flatMap((body) => protocolViolations(JSON.parse(body)))).toEqual([]);
      for (const turn of turnsOf(events)) {
        const firstCall = turn.findIndex(({ type }) => type === 'tool_call');
        const lastTry = turn.findLastIndex(({ type }) => type === 'model_retry' || type === 'answer_restart');
        if (firstCall >= 0) expect(lastTry).toBeLessThan(firstCall);
        expect(turn.filter(({ type }) => type === 'model_retry').length).toBeLessThanOrEqual(maxRetries + 1);
      }
      const retried = events.filter(({ type }) => type === 'model_retry').length;
      // The first retry of a turn that goes on from a broken answer is the request of the turn.
      const isBroken = (event: AgentEvent): boolean => event.type === 'turn_end' && event.stopReason === null;
      const broken = turnsOf(events).filter((turn) => turn.some(isBroken)).length;
      const continued = result.outcome === 'model_error' ? broken - 1 : broken;
      expect(bodies).toHaveLength(result.turns + retried - continued);
      // A retry sends the very same bytes, so there are no more different requests than turns.
      expect(new Set(bodies).size).toBe(result.turns);
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 2_000 : 75 },
  );
});

function turnsOf(events: readonly AgentEvent[]): AgentEvent[][] {
  const turns: AgentEvent[][] = [];
  for (const event of events) {
    if (event.type === 'turn_start') turns.push([]);
    turns.at(-1)?.push(event);
  }
  return turns;
}

test('an answer that starts over replaces the text shown so far', async () => {
  const cut = { ...wellThen, cut: 'event: content_block_stop' };
  const { events, result, bodies } = await tell([cut, wellThen]);
  expect(result).toMatchObject({ outcome: 'completed', text: 'Well then.', turns: 1 });
  expect(events.filter(({ type }) => type === 'assistant_message')).toMatchObject([
    { message: { content: [{ type: 'text', text: 'Well then.' }] } },
  ]);
  expect(events.map(({ type }) => type)).toContain('answer_restart');
  expect(bodies[1]).toBe(bodies[0]);
});

test('a run whose retries all fail ends, and keeps the text of the last attempt', async () => {
  const cut = { ...wellThen, cut: 'event: content_block_stop' };
  const { result, bodies, events } = await tell([cut, cut, cut], {
    retries: { maxRetries: 2, wait: async () => {} },
  });
  expect(bodies).toHaveLength(3);
  expect(result).toMatchObject({
    outcome: 'model_error',
    text: expect.stringContaining('It was tried 3 times.'),
    turns: 1,
  });
  expect(events.filter(({ type }) => type === 'assistant_message')).toMatchObject([
    { message: { content: [{ type: 'text', text: expect.stringMatching(/^Well/) }] } },
  ]);
});

test('an answer that breaks off after a call continues from its result, with a retry each time', async () => {
  const cutAfterCall = { kind: 'answer', thinks: false, speaks: true, calls: 1, cut: 'event: message_stop' } as const;
  const often = await tell([cutAfterCall, cutAfterCall, cutAfterCall, wellThen]);
  expect(often.result).toMatchObject({ outcome: 'completed', turns: 4 });
  expect(often.ran).toEqual(['1.0', '3.0', '5.0']);
  expect(often.events.flatMap((event) => (event.type === 'model_retry' ? [event.attempt] : []))).toEqual([1, 2, 3]);
  const tooOften = await tell([cutAfterCall, cutAfterCall, cutAfterCall, wellThen], {
    retries: { maxRetries: 2, wait: async () => {} },
  });
  expect(tooOften.result).toMatchObject({ outcome: 'model_error', turns: 3 });
  expect(tooOften.ran).toHaveLength(3);
});

test('a complete answer after retries resets the count of broken answers', async () => {
  const cutAfterCall = { kind: 'answer', thinks: false, speaks: true, calls: 1, cut: 'event: message_stop' } as const;
  const whole = { kind: 'answer', thinks: false, speaks: true, calls: 1 } as const;
  const busy = { kind: 'status', status: 529 } as const;
  const row = [cutAfterCall, cutAfterCall, cutAfterCall];
  const { result } = await tell([...row, busy, whole, ...row, busy, wellThen]);
  expect(result).toMatchObject({ outcome: 'completed', turns: 8 });
});

test('an interrupt during a wait ends the run with a valid history', async () => {
  const controller = new AbortController();
  const model = anthropicModel({ name: 'test', apiKey: 'x', fetch: async () => new Response('', { status: 529 }) });
  const agent = createAgent({ model, root: project.root, dataFolder: project.path('../data') });
  const events: AgentEvent[] = [];
  for await (const event of agent.run('go', { signal: controller.signal })) {
    events.push(event);
    if (event.type === 'model_retry') controller.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: 'result', outcome: 'interrupted' });
  await agent.end();
});

test('the answer of a fallback model is counted at the prices of that model', async () => {
  const usage = { input_tokens: 2, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const answer: ModelEvent[] = [
    { type: 'block', block: { type: 'text', text: 'Hi' } },
    { type: 'message_end', stopReason: 'end_turn', usage },
  ];
  let isDown = false;
  const model = (name: string, dollars: number, fails: () => boolean) => ({
    provider: 'test',
    name,
    maxOutputTokens: 9,
    facts: { prices: { input: dollars * 1_000_000, output: 0 } },
    async *stream() {
      if (fails()) throw new ModelFailure('overloaded', 'Busy.');
      yield* answer;
    },
  });
  const agent = createAgent({
    model: model('a', 1, () => isDown),
    fallbackModels: [model('b', 3, () => false)],
    retries: { maxRetries: 1 },
    root: project.root,
    dataFolder: project.path('../data'),
  });
  expect((await Array.fromAsync(agent.run('go'))).at(-1)).toMatchObject({ outcome: 'completed', costUsd: 2 });
  isDown = true;
  expect((await Array.fromAsync(agent.run('go'))).at(-1)).toMatchObject({ outcome: 'completed', costUsd: 6 });
  await agent.end();
});

test('requests are sent once where retries are switched off, by the caller or the environment', async () => {
  const busy = { kind: 'status', status: 529 } as const;
  expect((await tell([busy], { retries: false })).bodies).toHaveLength(1);
  expect((await tell([busy], { retries: {}, env: { HELVE_MAX_RETRIES: '0' } })).bodies).toHaveLength(1);
});

test('a variable that must be a number and is not one is reported', async () => {
  await expect(tell([], { env: { HELVE_STREAM_IDLE_MS: '5s' } })).rejects.toThrow(
    'HELVE_STREAM_IDLE_MS is "5s", which is not a whole number from 0 to 999999999. Set it to one, or leave it out.',
  );
});
