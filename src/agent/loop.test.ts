import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent, type FullAgent } from '../compose/create-agent.js';
import type { FullAgentOptions } from '../compose/options.js';
import type { AgentEvent, RunResult } from '../contract/event.js';
import type { Message } from '../contract/message.js';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest, type StopReason } from '../contract/model.js';
import { defineTool } from '../contract/tool.js';
import { monotonicMs } from '../platform/clock.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { noUsage } from './usage.js';

const executed: string[] = [];
const noteTool = defineTool({
  name: 'Note',
  description: 'Notes.',
  input: z.strictObject({ text: z.string().optional() }),
  effects: () => [],
  async execute({ text = 'nothing' }) {
    executed.push(text);
    return `noted ${text}`;
  },
  toModel: (words) => words,
});

type Answer = ModelEvent[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

/** A model with these answers, and copies of the requests that it received. */
function modelOf(...answers: Answer[]): { model: Model; requests: Message[][] } {
  const requests: Message[][] = [];
  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1000,
    async *stream(request, signal) {
      requests.push(structuredClone([...request.messages]));
      const answer = answers[requests.length - 1];
      if (!answer) throw new Error('The test has no more answers.');
      if (typeof answer === 'function') yield* answer(request, signal);
      else yield* answer;
    },
  };
  return { model, requests };
}

const say = (text: string): ModelEvent[] => [
  { type: 'text_delta', text },
  { type: 'block', block: { type: 'text', text } },
];
const call = (id: string, json: string, name = 'Note', index = 0): ModelEvent[] => [
  { type: 'call_start', index, id, name },
  ...(json ? [{ type: 'call_input' as const, index, json }] : []),
  { type: 'call_end', index },
];
const end = (stopReason: StopReason | null): ModelEvent => ({ type: 'message_end', stopReason, usage: noUsage });

async function agentWith(model: Model, options: Partial<FullAgentOptions> = {}): Promise<FullAgent> {
  executed.length = 0;
  const { root, path } = await temporaryProject();
  return createAgent({ model, root, dataFolder: path('../helve'), tools: [noteTool], ...options });
}

async function run(agent: FullAgent, prompt = 'go'): Promise<{ result: RunResult; events: AgentEvent[] }> {
  const events = await Array.fromAsync(agent.run(prompt));
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The last event is not a result.');
  return { result, events };
}

const lastUserText = (messages: Message[] | undefined): string => JSON.stringify(messages?.at(-1)?.content);

test('a run ends with the text of an answer without calls', async () => {
  const { model } = modelOf([...say('Hello'), end('end_turn')]);
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'completed', text: 'Hello', turns: 1 });
});

test.each<[StopReason | null]>([['tool_use'], ['end_turn'], [null]])(
  'runs complete calls under the stop reason %s',
  async (reason) => {
    const { model, requests } = modelOf([...call('a', '{"text":"x"}'), end(reason)], [...say('done'), end('end_turn')]);
    const { result } = await run(await agentWith(model));
    expect(result).toMatchObject({ outcome: 'completed', text: 'done', turns: 2 });
    expect(executed).toEqual(['x']);
    expect(requests[1]?.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Note', input: { text: 'x' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'noted x' }] },
    ]);
  },
);

test('prepares a tool once per prompt, when the model begins to call it, and no other tool', async () => {
  const order: string[] = [];
  const preparing = (name: string) =>
    defineTool({
      name,
      description: 'Prepares.',
      input: z.strictObject({}),
      preload: async () => order.push(`prepare ${name}`),
      effects: () => [],
      execute: async () => order.push(`run ${name}`),
      toModel: () => 'ok',
    });
  const { model } = modelOf(
    [...say('Hello'), end('end_turn')],
    [...call('a', '{}', 'Used'), ...call('b', '{}', 'Used', 1), end('tool_use')],
    [...call('c', '{}', 'Used'), end('tool_use')],
    [...say('done'), end('end_turn')],
    [...call('d', '{}', 'Used'), end('tool_use')],
    [...say('done'), end('end_turn')],
  );
  const agent = await agentWith(model, { tools: [preparing('Used'), preparing('Unused')] });
  await run(agent);
  expect(order).toEqual([]);
  await run(agent);
  expect(order).toEqual(['prepare Used', 'run Used', 'run Used', 'run Used']);
  await run(agent);
  expect(order.slice(4)).toEqual(['prepare Used', 'run Used']);
});

test('a call that the output limit cut off is not run, and its result says why', async () => {
  const { model, requests } = modelOf(
    [...call('a', '{"text":"x"}'), ...call('b', '{"text":"half', 'Note', 1), end('max_tokens')],
    [...say('done'), end('end_turn')],
  );
  await run(await agentWith(model));
  expect(executed).toEqual(['x']);
  expect(lastUserText(requests[1])).toContain(
    'the input was cut off at 13 characters because the answer reached the limit of output tokens',
  );
});

test('a call that was cut off before its first character is not run', async () => {
  const { model, requests } = modelOf([...call('a', ''), end('max_tokens')], [...say('done'), end('end_turn')]);
  await run(await agentWith(model));
  expect(executed).toEqual([]);
  expect(lastUserText(requests[1])).toContain('cut off at 0 characters');
});

test('runs a call without arguments if the message continues or ends normally', async () => {
  const { model } = modelOf(
    [...call('a', ''), ...call('b', '', 'Note', 1), end('tool_use')],
    [...say('done'), end('end_turn')],
  );
  await run(await agentWith(model));
  expect(executed).toEqual(['nothing', 'nothing']);
});

test('asks a model whose text was cut off to continue, and gives up after the third time', async () => {
  const cut = [...say('a long'), end('max_tokens')];
  const once = modelOf(cut, [...say('answer'), end('end_turn')]);
  expect((await run(await agentWith(once.model))).result).toMatchObject({ outcome: 'completed', text: 'a longanswer' });
  expect(lastUserText(once.requests[1])).toContain('in smaller steps');
  const always = modelOf(cut, cut, cut, cut);
  expect((await run(await agentWith(always.model))).result).toMatchObject({ outcome: 'output_limit', turns: 4 });
});

test('sends a paused turn back unchanged', async () => {
  const search = { type: 'opaque', provider: 'test', value: { type: 'server_tool_use', id: 's' } } as const;
  const { model, requests } = modelOf(
    [{ type: 'block', block: search }, end('pause_turn')],
    [...say('done'), end('end_turn')],
  );
  expect((await run(await agentWith(model))).result.text).toBe('done');
  expect(requests[1]?.at(-1)).toEqual({ role: 'assistant', content: [search] });
});

test('ends on a refusal and leaves the refused answer out of the history', async () => {
  const refusal: ModelEvent = { type: 'message_end', stopReason: 'refusal', usage: noUsage, explanation: 'policy' };
  const { model, requests } = modelOf([...say('I w'), refusal], [...say('ok'), end('end_turn')]);
  const agent = await agentWith(model);
  expect((await run(agent)).result).toMatchObject({
    outcome: 'refused',
    text: expect.stringMatching(/policy.* It said: I w$/),
  });
  await run(agent, 'something else');
  expect(requests[1]).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'user', content: [{ type: 'text', text: 'something else' }] },
  ]);
});

test('on a refusal, calls that have started are kept and the others are answered as dropped', async () => {
  const begun = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'Slow',
    description: 'Runs alone.',
    input: z.strictObject({}),
    async execute() {
      begun.resolve();
      await refused.promise;
      return 'done';
    },
    toModel: (words) => words,
  });
  const { model, requests } = modelOf(
    async function* () {
      yield* call('a', '{}', 'Slow');
      yield* call('b', '{}', 'Slow', 1);
      await begun.promise;
      yield end('refusal');
      refused.resolve();
    },
    [...say('ok'), end('end_turn')],
  );
  const agent = await agentWith(model, { tools: [slow], permissionMode: 'bypassPermissions' });
  expect((await run(agent)).result.outcome).toBe('refused');
  await run(agent, 'again');
  expect(lastUserText(requests[1]?.slice(0, 3))).toContain(
    '"content":"done"},{"type":"tool_result","tool_use_id":"b","content":"The answer was withdrawn',
  );
});

test('the result advises what to do if the conversation no longer fits and may not be compacted', async () => {
  const { model } = modelOf([...say('x'), end('context_overflow')]);
  expect((await run(await agentWith(model, { context: { compactAtPercent: 0 } }))).result).toMatchObject({
    outcome: 'context_overflow',
    text: expect.stringContaining('Start a new session'),
  });
});

test('ends on a stop sequence', async () => {
  const { model } = modelOf([...say('x'), end('stop_sequence')]);
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'completed', text: 'x' });
});

test('reminds a model once after an empty answer, then ends with an error', async () => {
  const { model, requests } = modelOf([end('end_turn')], [end('end_turn')]);
  expect((await run(await agentWith(model))).result).toMatchObject({
    outcome: 'empty_answer',
    text: expect.stringContaining('2 empty answers in a row'),
    turns: 2,
  });
  expect(lastUserText(requests[1])).toContain('Your answer was empty');
});

const think: ModelEvent[] = [
  { type: 'thinking_delta', text: 'hm' },
  { type: 'block', block: { type: 'thinking', thinking: 'hm', signature: 's' } },
];

test('emits a text that arrived complete, without deltas', async () => {
  const { model } = modelOf([{ type: 'block', block: { type: 'text', text: 'Hi' } }, end('end_turn')]);
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'completed', text: 'Hi' });
});

test.each<[string, ModelEvent[]]>([
  ['a thought', think],
  ['blanks', say(' \n\t\u00a0')],
  ['invisible characters', say('\u200b\ufeff\u2060')],
  ['a thought and blanks', [...think, ...say('\n')]],
])('an answer of only %s counts as empty', async (_, answer) => {
  const { model, requests } = modelOf([...answer, end('end_turn')], [...answer, end('end_turn')]);
  expect((await run(await agentWith(model))).result).toMatchObject({
    outcome: 'empty_answer',
    text: expect.stringContaining('2 answers in a row without any text'),
    turns: 2,
  });
  expect(lastUserText(requests[1])).toContain('Your answer had no text');
  // Providers reject a blank text.
  expect(JSON.stringify(requests[1])).not.toMatch(/"text":"\s*(?:\\n)*"/);
});

test('continues if an answer without text is followed by one with text', async () => {
  const { model } = modelOf([...think, ...say('\n'), end('end_turn')], [...say('done'), end('end_turn')]);
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'completed', text: 'done', turns: 2 });
});

test('gives up on a model that only sends malformed calls', async () => {
  const broken = [...call('a', '{"text":'), end('tool_use')];
  const { model } = modelOf(broken, broken, broken, broken, broken, broken);
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'malformed_calls', turns: 5 });
});

test('tells the model where and why JSON is malformed, and runs nothing', async () => {
  const { model, requests } = modelOf(
    [...call('a', '{"text": oops}'), end('tool_use')],
    [...say('done'), end('end_turn')],
  );
  await run(await agentWith(model));
  expect(executed).toEqual([]);
  expect(lastUserText(requests[1])).toMatch(/the input is not valid JSON.*line 1, column 10/);
});

test('says in the next request which call was malformed, unless that was cut off', async () => {
  const expected: unknown[] = [];
  const answering = (events: ModelEvent[]): Answer =>
    async function* (request) {
      expected.push(request.expectedCall);
      yield* events;
    };
  const { model } = modelOf(
    answering([...call('a', '{"text": oops}'), end('tool_use')]),
    answering([...call('b', '{"text": "x'), end('max_tokens')]),
    answering([...call('c', '{"text": "x"}'), end('tool_use')]),
    answering([...say('done'), end('end_turn')]),
  );
  await run(await agentWith(model));
  expect(expected).toEqual([undefined, 'Note', undefined, undefined]);
});

test('stops at the limit of turns with a valid history', async () => {
  const again = (id: string): ModelEvent[] => [...call(id, '{"text":"x"}'), end('tool_use')];
  const { model, requests } = modelOf(again('a'), again('b'), [...say('done'), end('end_turn')]);
  const agent = await agentWith(model, { maxTurns: 2 });
  expect((await run(agent)).result).toMatchObject({ outcome: 'max_turns', turns: 2 });
  await run(agent, 'go on');
  expect(requests[2]?.at(-2)).toEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'b', content: 'noted x' }],
  });
});

test('replaces repeated and blank ids of a provider', async () => {
  const { model, requests } = modelOf(
    [
      ...call('a', '{"text":"1"}'),
      ...call('a', '{"text":"2"}', 'Note', 1),
      ...call('', '{"text":"3"}', 'Note', 2),
      end('tool_use'),
    ],
    [...say('done'), end('end_turn')],
  );
  await run(await agentWith(model));
  const ids = requests[1]
    ?.at(-1)
    ?.content.map((block) => (block.type === 'tool_result' ? block.tool_use_id : block.type));
  expect(ids).toEqual(['a', 'a_2', 'call_2']);
});

test('continues after a broken stream with the complete blocks, and runs nothing twice', async () => {
  const { model, requests } = modelOf(
    async function* () {
      yield* say('Reading.');
      yield* call('a', '{"text":"x"}');
      yield { type: 'call_start', index: 1, id: 'b', name: 'Note' };
      yield { type: 'call_input', index: 1, json: '{"te' };
      throw new ModelFailure('broken_stream', 'The connection broke.');
    },
    [...say('done'), end('end_turn')],
  );
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'completed', text: 'done' });
  expect(executed).toEqual(['x']);
  expect(requests[1]?.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'a', name: 'Note', input: { text: 'x' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'noted x' }] },
  ]);
});

test('an answer that breaks off after a call is retried with a wait, as often as any other request', async () => {
  let count = 0;
  const { model, requests } = modelOf(
    ...Array.from(
      { length: 6 },
      () =>
        async function* (): AsyncGenerator<ModelEvent> {
          count += 1;
          yield* call(`call${count}`, `{"text":"${count}"}`);
          throw new ModelFailure('overloaded', 'It is overloaded.');
        },
    ),
    [...say('done'), end('end_turn')],
  );
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const { result, events } = await run(await agentWith(model, { retries: { wait, random: () => 0.5 } }));
  expect(result).toMatchObject({ outcome: 'completed', text: 'done' });
  expect(executed).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000]);
  expect(events.flatMap((event) => (event.type === 'model_retry' ? [event.attempt] : []))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(JSON.stringify(requests)).not.toContain('connection');
});

test('an answer that breaks off again and again keeps its last text, and no part of a call', async () => {
  const { model } = modelOf(
    ...Array.from(
      { length: 3 },
      () =>
        async function* (): AsyncGenerator<ModelEvent> {
          yield* say('I write the file.');
          yield { type: 'call_start', index: 1, id: 'b', name: 'Note' };
          yield { type: 'call_input', index: 1, json: '{"te' };
          throw new ModelFailure('overloaded', 'It is overloaded.');
        },
    ),
  );
  const agent = await agentWith(model, { retries: { wait: async () => {}, maxRetries: 2 } });
  const { result, events } = await run(agent);
  expect(result).toMatchObject({ outcome: 'model_error', text: 'It is overloaded. It was tried 3 times.' });
  expect(agent.session.transcript.messages.at(-1)).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'I write the file.' }],
  });
  expect(events.filter(({ type }) => type === 'answer_restart')).toHaveLength(2);
  expect(events.map(({ type }) => type)).not.toContain('tool_call');
});

test('tokens of an interrupted answer and of tries that failed are counted', async () => {
  const started = (input_tokens: number): ModelEvent => ({
    type: 'message_start',
    id: '',
    model: '',
    usage: { ...noUsage, input_tokens, output_tokens: 1 },
  });
  const { model } = modelOf(
    async function* () {
      yield started(100);
      throw new ModelFailure('overloaded', 'It is overloaded.');
    },
    async function* (_request, signal) {
      yield started(1000);
      yield { type: 'text_delta', text: 'x'.repeat(80) };
      agent.interrupt();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  );
  const agent: FullAgent = await agentWith(model, {
    retries: { wait: async () => {} },
    budget: { session: { tokens: 5000, turns: 9 } },
  });
  const { result, events } = await run(agent);
  const usage = { ...noUsage, input_tokens: 1100, output_tokens: 21 };
  expect(result).toMatchObject({ outcome: 'interrupted', usage, models: [{ usage }] });
  expect(result.budget).toMatchObject([
    { unit: 'tokens', spent: 1121 },
    { unit: 'turns', spent: 1 },
  ]);
  expect(events.find(({ type }) => type === 'turn_end')).toMatchObject({
    usage: { input_tokens: 1000, output_tokens: 20 },
  });
});

test('fails with the message of the model failure if nothing was answered', async () => {
  const { model } = modelOf(() => {
    throw new ModelFailure('auth', 'The key was refused. Set ANTHROPIC_API_KEY.');
  });
  expect((await run(await agentWith(model))).result).toMatchObject({
    outcome: 'model_error',
    text: 'The key was refused. Set ANTHROPIC_API_KEY.',
  });
});

test('an interrupt while a prompt hook runs ends the run with a result', async () => {
  const interrupting = new AbortController();
  const { model } = modelOf(async function* (_, signal) {
    yield* [];
    signal.throwIfAborted();
  });
  const hook = async () => {
    interrupting.abort();
    return {};
  };
  const agent = await agentWith(model, { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } });
  const events = await Array.fromAsync(agent.run('go', { signal: interrupting.signal }));
  expect(events.at(-1)).toMatchObject({ type: 'result', outcome: 'interrupted' });
  await agent.end();
});

test('an interrupt during a call ends it and leaves a history that the next prompt can continue', async () => {
  const started = Promise.withResolvers<void>();
  const waiting = defineTool({
    name: 'Wait',
    description: 'Waits.',
    input: z.strictObject({}),
    effects: () => [],
    async execute(_, { signal }) {
      started.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return '';
    },
    toModel: (words) => words,
  });
  const { model, requests } = modelOf(
    async function* (_request, signal) {
      yield* say('Waiting.');
      yield* call('a', '{}', 'Wait');
      yield { type: 'text_delta', text: 'and then I' };
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    [...say('done'), end('end_turn')],
  );
  const agent = await agentWith(model, { tools: [waiting] });
  void started.promise.then(() => agent.interrupt());
  expect((await run(agent)).result).toMatchObject({ outcome: 'interrupted' });
  expect((await run(agent, 'go on')).result.outcome).toBe('completed');
  expect(requests[1]?.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Waiting.' },
        { type: 'tool_use', id: 'a', name: 'Wait', input: {} },
        { type: 'text', text: 'and then I' },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: expect.stringContaining('interrupted Wait while it ran'),
          is_error: true,
        },
        { type: 'text', text: '[The user interrupted here.]' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'go on' }] },
  ]);
});

test('a run stops when its caller stops reading the events', async () => {
  const { model } = modelOf(async function* (_request, signal) {
    yield* say('one');
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const agent = await agentWith(model);
  for await (const event of agent.run('go')) if (event.type === 'text_delta') break;
  expect(agent.session.transcript.messages.at(-1)).toMatchObject({
    content: [{ text: '[The user interrupted here.]' }],
  });
});

test('two agents in one process do not affect each other', async () => {
  const [one, other] = [modelOf([...say('one'), end('end_turn')]), modelOf([...say('other'), end('end_turn')])];
  const [first, second] = [await agentWith(one.model), await agentWith(other.model)];
  const results = await Promise.all([run(first), run(second)]);
  expect(results.map(({ result }) => result.text)).toEqual(['one', 'other']);
  expect(first.session.id).not.toBe(second.session.id);
});

test('a tool found by ToolSearch is sent with its schema from the next request on', async () => {
  const later = defineTool({
    name: 'Sundial',
    description: 'Tells the time by the sun.',
    input: z.strictObject({ place: z.string() }),
    exposure: 'deferred',
    effects: () => [],
    execute: async () => 'noon',
    toModel: (words) => words,
  });
  const tools: string[][] = [];
  const watching = (events: ModelEvent[]): Answer =>
    async function* (request) {
      tools.push(request.tools.map(({ name }) => name).filter((name) => name === 'Sundial' || name === 'ToolSearch'));
      yield* events;
    };
  const { model, requests } = modelOf(
    watching([...call('a', '{"query":"time sun"}', 'ToolSearch'), end('tool_use')]),
    watching([...call('b', '{"place":"here"}', 'Sundial'), end('tool_use')]),
    watching([...say('noon'), end('end_turn')]),
  );
  await run(await agentWith(model, { tools: [later] }));
  expect(tools).toEqual([['ToolSearch'], ['ToolSearch', 'Sundial'], ['ToolSearch', 'Sundial']]);
  expect(lastUserText(requests[1])).toContain('Sundial: Tells the time by the sun.');
  expect(lastUserText(requests[2])).toContain('noon');
});

test('keeps completed work when the stream fails with an unexpected error', async () => {
  const { model, requests } = modelOf(
    async function* () {
      yield* call('a', '{"text":"x"}');
      throw new TypeError('x is not a function');
    },
    [...say('done'), end('end_turn')],
  );
  expect((await run(await agentWith(model))).result.outcome).toBe('completed');
  expect(executed).toEqual(['x']);
  expect(lastUserText(requests[1])).toContain('noted x');
});

test('rewrites an id that providers would reject', async () => {
  const { model, requests } = modelOf(
    [...call('functions.Note:0', '{"text":"1"}'), end('tool_use')],
    [...say('done'), end('end_turn')],
  );
  await run(await agentWith(model));
  expect(requests[1]?.at(-1)?.content).toMatchObject([{ tool_use_id: 'functions_Note_0', content: 'noted 1' }]);
});

test.each([[''], ['  \n'], [[]]])('refuses the empty prompt %j and leaves the history alone', async (prompt) => {
  const { model } = modelOf([...say('ok'), end('end_turn')]);
  const agent = await agentWith(model);
  await expect(Array.fromAsync(agent.run(prompt))).rejects.toThrow('The prompt is empty');
  expect(agent.session.transcript.messages).toEqual([]);
});

test('ends the run of a model that only pauses', async () => {
  const paused: ModelEvent[] = [...say('hm'), end('pause_turn')];
  const { model } = modelOf(...Array.from({ length: 20 }, () => paused));
  expect((await run(await agentWith(model))).result).toMatchObject({ outcome: 'pause_limit', turns: 11 });
});

test('a fallback model of the same name at another provider is not priced like the model it replaces', async () => {
  const facts = { prices: { input: 1, output: 1 } };
  const { model: first } = modelOf(() => {
    throw new ModelFailure('overloaded', 'Overloaded.', { status: 529 });
  });
  const { model: second } = modelOf([...say('Done.'), end('end_turn')]);
  const agent = await agentWith(
    { ...first, facts },
    { fallbackModels: [{ ...second, provider: 'other' }], retries: { maxRetries: 1, baseMs: 0 } },
  );
  expect((await Array.fromAsync(agent.run('go'))).at(-1)).toMatchObject({ outcome: 'completed', costUsd: null });
});

test('the time of calls does not count as waiting for the model', async () => {
  const answered = Promise.withResolvers<void>();
  let worked = 0;
  const slow = defineTool({
    name: 'Slow',
    description: 'Works after the answer is complete.',
    input: z.strictObject({}),
    effects: () => [],
    async execute() {
      await answered.promise;
      const began = monotonicMs();
      while (monotonicMs() - began < 20) await new Promise((resolve) => setImmediate(resolve));
      worked = monotonicMs() - began;
      return 'done';
    },
    toModel: (words) => words,
  });
  const { model } = modelOf(
    async function* () {
      yield* [...call('a', '{}', 'Slow'), end('tool_use')];
      setImmediate(answered.resolve); // once the loop has read the end of the answer
    },
    [...say('done'), end('end_turn')],
  );
  const { result } = await run(await agentWith(model, { tools: [slow] }));
  expect(worked).toBeGreaterThan(0);
  expect(result.modelMs).toBeLessThanOrEqual(result.totalMs - worked);
});
