import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent, type FullAgent } from '../../compose/create-agent.js';
import type { FullAgentOptions } from '../../compose/options.js';
import type { AgentEvent, CompactionEvent, RunResult } from '../../contract/event.js';
import type { Message } from '../../contract/message.js';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest, type StopReason } from '../../contract/model.js';
import { defineTool } from '../../contract/tool.js';
import { protocolViolations } from '../../testing/protocol-violations.js';
import { type TestProject, temporaryProject } from '../../testing/temporary-project.js';
import { readSession } from '../store/read-session.js';
import { restoreSession } from '../store/restore-session.js';
import { resumeSession } from '../store/resume-session.js';
import { sessionFolder } from '../store/session-folder.js';
import { noUsage } from '../usage.js';

const WINDOW = 20_000; // the built-in tools use a third of it
const SUMMARY = 'The summary: everything went well so far, and the next step is clear.';

/** Returns as many characters as requested. */
const showTool = defineTool({
  name: 'Show',
  description: 'Shows.',
  input: z.strictObject({ length: z.number() }),
  effects: () => [],
  execute: async ({ length }) => 'x'.repeat(length),
  toModel: (text) => text,
  maxResultChars: 1_000_000,
});

type Answer =
  | { say?: string; show?: readonly number[]; calls?: ReadonlyArray<[name: string, input: unknown]>; stop?: StopReason }
  | Error;

const isForSummary = (request: Pick<ModelRequest, 'messages'>): boolean =>
  JSON.stringify(request.messages.at(-1)).includes('will be replaced by a summary');

/** A model with answers from the function, and the messages of all requests, with summary requests kept separately. */
function modelOf(
  answer: (number: number, request: ModelRequest) => Answer,
  summary: (number: number) => Answer = () => ({ say: SUMMARY }),
) {
  const requests: Array<readonly Message[]> = [];
  const summaries: Array<readonly Message[]> = [];
  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1_000,
    facts: { contextTokens: WINDOW },
    async *stream(request) {
      const list = isForSummary(request) ? summaries : requests;
      const number = list.push([...request.messages]);
      const answered = list === summaries ? summary(number) : answer(number, request);
      if (answered instanceof Error) throw answered;
      yield* eventsOf(answered, `${list === summaries ? 's' : 'r'}${number}`);
    },
  };
  return { model, requests, summaries };
}

function* eventsOf({ say, show = [], calls = [], stop }: Exclude<Answer, Error>, id: string): Generator<ModelEvent> {
  yield { type: 'message_start', id, model: 'test' };
  if (say !== undefined) {
    yield { type: 'text_delta', text: say };
    yield { type: 'block', block: { type: 'text', text: say } };
  }
  const all = [...show.map((length) => ['Show', { length }] as const), ...calls];
  for (const [index, [name, input]] of all.entries()) {
    yield { type: 'call_start', index, id: `${id}_${index}`, name };
    yield { type: 'call_input', index, json: JSON.stringify(input) };
    yield { type: 'call_end', index };
  }
  yield { type: 'message_end', stopReason: stop ?? (all.length > 0 ? 'tool_use' : 'end_turn'), usage: noUsage };
}

const tooLong = new ModelFailure('context_overflow', 'The conversation is too long for test.', { status: 400 });

async function agentWith(
  model: Model,
  options: Partial<FullAgentOptions> = {},
): Promise<{ agent: FullAgent; project: TestProject }> {
  const project = await temporaryProject();
  const agent = createAgent({
    model,
    root: project.root,
    dataFolder: project.path('../helve'),
    tools: [showTool],
    retries: false,
    permissionMode: 'bypassPermissions',
    ...options,
  });
  return { agent, project };
}

async function run(
  agent: FullAgent,
  prompt = 'Do the work.',
): Promise<{ result: RunResult; events: AgentEvent[]; rooms: CompactionEvent[] }> {
  const events = await Array.fromAsync(agent.run(prompt));
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The last event is not a result.');
  return { result, events, rooms: events.filter((event) => event.type === 'compaction') };
}

const violations = (messages: readonly Message[]): string[] =>
  protocolViolations({ model: 'm', max_tokens: 1, messages });
const textOf = (messages: readonly Message[] | undefined): string => JSON.stringify(messages);

test('near the limit, many old results are cleared at once, and everything else stays identical', async () => {
  const { model, requests, summaries } = modelOf((number) => (number < 12 ? { show: [6_000] } : { say: 'done' }));
  const { agent, project } = await agentWith(model, { keepSession: true });
  const { result, rooms } = await run(agent);
  expect(result.outcome).toBe('completed');
  expect(summaries).toEqual([]);
  expect(rooms).toMatchObject([{ trigger: 'auto', summarisedMessages: 0 }]);
  const [room] = rooms;
  expect(room?.clearedResults).toBeGreaterThan(3);
  expect(room?.tokensAfter).toBeLessThan((room?.tokensBefore ?? 0) * 0.75);
  const [before, after] = [requests.at(-3), requests.at(-1)];
  expect(textOf(after)).toContain(
    '[The result of Show ({\\"length\\":6000}), 6,000 characters, was cleared to make room.',
  );
  const same = after?.filter((message, index) => message === before?.[index]) ?? [];
  expect(same.filter(({ role }) => role === 'assistant').length).toBeGreaterThan(5);
  const onDisk = restoreSession(readSession(sessionFolder(project.path('../helve'), agent.session.id)));
  expect(onDisk.messages).toEqual(agent.session.transcript.forRequest());
  expect(requests.flatMap(violations)).toEqual([]);
});

test('if clearing is not enough, the model summarises, with the same prefix, and the work continues', async () => {
  const words = 'word '.repeat(400);
  const { model, requests, summaries } = modelOf((number) =>
    number < 30 ? { say: words, calls: [['Think', { thought: words }]] } : { say: 'done' },
  );
  const { agent } = await agentWith(model);
  const { result, rooms } = await run(agent, 'Count to thirty, please.');
  expect(result).toMatchObject({ outcome: 'completed', text: 'done', turns: 30 });
  expect(rooms.length).toBeGreaterThan(1);
  for (const room of rooms) {
    expect(room.summarisedMessages).toBeGreaterThan(0);
    expect(room.tokensAfter).toBeLessThan(room.tokensBefore * 0.8);
  }
  // The summary request begins with the same objects as the request before it, so that the prompt cache is used.
  const [summary = []] = summaries;
  const before = requests.find((messages) => messages.length === summary.length - 2) ?? [];
  expect(before.length).toBeGreaterThan(5);
  expect(before.every((message, index) => message === summary[index])).toBe(true);
  expect([...requests, ...summaries].flatMap(violations)).toEqual([]);
  const last = requests.at(-1);
  expect(textOf(last)).toContain(SUMMARY);
  expect(textOf(last)).toContain('Count to thirty, please.');
  expect(last?.length).toBeGreaterThan(3);
});

test('after an overflow that the provider reports, the conversation is compacted and continues', async () => {
  const { model, requests, summaries } = modelOf((number) => {
    if (number === 3) return tooLong;
    return number < 3 ? { show: [2_000] } : { say: 'done' };
  });
  const { agent } = await agentWith(model);
  const { result, rooms } = await run(agent);
  expect(result).toMatchObject({ outcome: 'completed', text: 'done' });
  expect(rooms).toHaveLength(1);
  expect(summaries).toHaveLength(1);
  expect(requests.flatMap(violations)).toEqual([]);
  expect(textOf(requests.at(-1))).toContain('Do the work.');
});

test('an answer that fills the window is kept, and the model continues from the summary', async () => {
  const { model, requests } = modelOf((number) =>
    number === 1 ? { say: 'A long ans', stop: 'context_overflow' } : { say: 'wer.' },
  );
  const { agent } = await agentWith(model);
  const { result, rooms } = await run(agent);
  expect(result).toMatchObject({ outcome: 'completed', text: 'wer.' });
  expect(rooms).toHaveLength(1);
  expect(requests.flatMap(violations)).toEqual([]);
});

test('ends with a message if the window is full again right after each compaction', async () => {
  const { model, requests, summaries } = modelOf(() => tooLong);
  const { agent } = await agentWith(model, { context: { windowTokens: 100_000 } });
  const { result } = await run(agent, 'long '.repeat(60_000));
  expect(result.outcome).toBe('context_overflow');
  expect(result.text).toMatch(
    /^The context window is full.*, so the run ends here\. A request may have about [\d,]+ tokens, and the system prompt and the tools alone have [\d,]+\./,
  );
  expect(requests.length).toBeLessThanOrEqual(4);
  expect(summaries.length).toBeLessThanOrEqual(3);
});

test('a refusal that does not fit the known window ends the run at most, and the next prompt tries again', async () => {
  const { model, requests } = modelOf((number) => (number === 1 ? tooLong : { say: 'done' }));
  const { agent } = await agentWith(model, { context: { windowTokens: 1_000_000 } });
  const { result } = await run(agent);
  expect(result.outcome).toBe('context_overflow');
  expect(result.text).toMatch(
    /^The provider refused the request as too long, although it has about [\d,]+ tokens and the window 1,000,000\. The next prompt tries again\./,
  );
  expect((await run(agent, 'Again.')).result).toMatchObject({ outcome: 'completed', text: 'done' });
  expect(requests).toHaveLength(2);
});

test('one odd refusal in the middle of the work compacts once and does not shrink the window', async () => {
  const { model } = modelOf((number) => {
    if (number === 3) return tooLong;
    return number < 8 ? { show: [20_000] } : { say: 'done' };
  });
  const { agent } = await agentWith(model, { context: { windowTokens: 1_000_000 } });
  const { result, rooms } = await run(agent);
  expect(result).toMatchObject({ outcome: 'completed', text: 'done' });
  expect(rooms).toHaveLength(1);
  expect(agent.contextUsage().free).toBeGreaterThan(700_000);
});

test('stops after three compactions in a row, however the model fills the window', async () => {
  const { model } = modelOf((number) => (number % 2 === 0 ? tooLong : { show: [100] }));
  const { agent } = await agentWith(model);
  const { result, rooms } = await run(agent);
  expect(result.outcome).toBe('context_overflow');
  expect(result.text).toContain('right after it was compacted, 3 times in a row');
  expect(rooms).toHaveLength(3);
});

test.each<[string, Answer]>([
  ['it fails', new ModelFailure('server_error', 'The server is on fire.')],
  ['it refuses', { say: 'I will not do that, sorry about that.', stop: 'refusal' }],
  ['it calls a tool instead', { show: [5] }],
])(
  'lists the prompts and calls itself if the model does not summarise because %s, and reports that',
  async (_why, answer) => {
    const { model, requests } = modelOf(
      (number) => (number === 3 ? tooLong : number < 3 ? { say: `step ${number}`, show: [2_000] } : { say: 'done' }),
      () => answer,
    );
    const { agent } = await agentWith(model);
    const { result, events, rooms } = await run(agent, 'Build the house.');
    expect(result.outcome).toBe('completed');
    expect(rooms).toMatchObject([{ listedBecause: expect.any(String) }]);
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices.join()).toContain('The model could not summarise the conversation');
    // The reasons come before what they led to.
    const order = events.flatMap((event) =>
      event.type === 'compaction' ? ['compaction'] : event.type === 'notice' ? [event.text.slice(0, 30)] : [],
    );
    expect(order).toEqual(['The provider refused the reque', 'The model could not summarise ', 'compaction']);
    const last = textOf(requests.at(-1));
    expect(last).toContain('Build the house.');
    expect(last).toContain('step 1');
  },
);

test('makes the summary request smaller until the provider accepts it', async () => {
  const { model, summaries, requests } = modelOf(
    (number) => (number === 4 ? tooLong : number < 4 ? { show: [12_000] } : { say: 'done' }),
    (number) => (number < 3 ? tooLong : { say: SUMMARY }),
  );
  const { agent } = await agentWith(model);
  expect((await run(agent)).result.outcome).toBe('completed');
  const lengths = summaries.map((messages) => textOf(messages).length);
  expect(lengths).toHaveLength(3);
  expect(lengths[1]).toBeLessThan(lengths[0] ?? 0);
  expect(lengths[2]).toBeLessThan(lengths[1] ?? 0);
  expect(textOf(requests.at(-1))).toContain(SUMMARY);
  expect(summaries.flatMap(violations)).toEqual([]);
});

test('a prompt that is longer than the window is shortened and saved, and the request names the file', async () => {
  const { model, requests, summaries } = modelOf(() => ({ say: 'done' }));
  const { agent } = await agentWith(model);
  const { result } = await run(agent, `${'Read all of this. '.repeat(20_000)}What does it say?`);
  expect(result.outcome).toBe('completed');
  expect(summaries).toEqual([]);
  expect(requests).toHaveLength(1);
  expect(textOf(requests[0]).length).toBeLessThan(60_000);
  expect(textOf(requests[0])).toContain('What does it say?');
  expect(textOf(requests[0])).toMatch(/All of it is in \S+prompt\.txt: read it in parts/);
});

test('a prompt that just fits is sent unchanged', async () => {
  const { model, requests } = modelOf(() => ({ say: 'done' }));
  const { agent } = await agentWith(model);
  const { tools, system } = agent.contextUsage();
  const prompt = 'word '.repeat(Math.floor(((WINDOW - 1_000) * 0.96 - tools - system) / 1.25));
  const { result, rooms } = await run(agent, prompt);
  expect(result.outcome).toBe('completed');
  expect(rooms).toEqual([]);
  expect(textOf(requests[0])).toContain(prompt);
});

test('the results of one turn never fill the window: large ones are shortened and saved', async () => {
  const { model, requests } = modelOf((number) => (number === 1 ? { show: [200, 90_000, 90_000] } : { say: 'done' }));
  const { agent } = await agentWith(model);
  const { result, rooms } = await run(agent);
  expect(result.outcome).toBe('completed');
  expect(rooms).toEqual([]);
  const sent = requests[1]?.at(-1);
  expect(sent?.content).toMatchObject([
    { content: 'x'.repeat(200) },
    { content: expect.stringContaining('The result has 90,000 characters, more than the context window has room for') },
    { content: expect.stringMatching(/All of it is in \S+r1_2\.txt/) },
  ]);
  expect(textOf(requests[1]).length).toBeLessThan(30_000);
});

test('with automatic compaction off, the run ends at the limit, and nothing is removed', async () => {
  const { model } = modelOf((number) => (number < 3 ? { show: [2_000] } : tooLong));
  const { agent } = await agentWith(model, { context: { compactAtPercent: 0 } });
  const { result, rooms } = await run(agent);
  expect(result.outcome).toBe('context_overflow');
  expect(rooms).toEqual([]);
});

test("compacts on request with the person's instructions, and reports the size before and after", async () => {
  const { model, requests, summaries } = modelOf((number) => (number < 4 ? { show: [20_000] } : { say: 'done' }));
  const { agent } = await agentWith(model, { context: { windowTokens: 200_000 } });
  expect(await agent.compact()).toMatchObject({ type: 'refused', why: 'There is nothing to summarise yet.' });
  await run(agent);
  const before = agent.contextUsage();
  const done = await agent.compact('Keep the names of the files.');
  expect(done).toMatchObject({ type: 'compaction', trigger: 'manual', tokensBefore: before.total });
  expect(textOf(summaries[0])).toContain('Mind above all:\\nKeep the names of the files.');
  const after = agent.contextUsage();
  expect(done).toMatchObject({ tokensAfter: after.total });
  expect(after.free).toBeGreaterThan(before.free);
  await run(agent, 'And now?');
  expect(requests.flatMap(violations)).toEqual([]);
  await expect(Promise.all([agent.compact(), agent.compact()])).rejects.toThrow('already running');
});

test('reports what fills the window', async () => {
  const { model } = modelOf((number) => (number === 1 ? { show: [8_000] } : { say: 'done' }));
  const { agent } = await agentWith(model);
  await run(agent);
  const { system, tools, messages, results, total, window, free } = agent.contextUsage();
  expect(total).toBe(system + tools + messages + results);
  expect(results).toBeGreaterThan(1_900);
  expect(tools).toBeGreaterThan(1_000);
  expect(window).toBe(WINDOW);
  expect(free).toBe(WINDOW - 1_000 - total);
});

test('a hook sees each compaction, adds instructions, and can block a manual one but not an automatic one', async () => {
  const seen: unknown[] = [];
  const { model, summaries } = modelOf((number) =>
    number === 2 ? tooLong : number < 2 ? { show: [2_000] } : { say: 'done' },
  );
  const { agent } = await agentWith(model, {
    hooks: {
      PreCompact: [
        {
          hooks: [
            async (input) => {
              seen.push({ ...input });
              return { decision: 'block', reason: 'not now' };
            },
          ],
        },
      ],
      PostCompact: [{ hooks: [(input) => void seen.push({ ...input })] }],
    },
  });
  const { result, events } = await run(agent);
  expect(result.outcome).toBe('completed');
  expect(summaries).toHaveLength(1);
  expect(textOf([]).concat(...events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])))).toContain(
    'A hook objects to compacting (not now)',
  );
  expect(await agent.compact('x')).toEqual({ type: 'refused', why: 'not now', stop: false });
  expect(summaries).toHaveLength(1);
  expect(seen).toMatchObject([
    { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: '' },
    { hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: expect.stringMatching(/./) },
    { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'x' },
  ]);
});

test('an interrupt while the summary is written ends the run and changes nothing', async () => {
  const { model } = modelOf((number) => (number === 2 ? tooLong : { show: [2_000] }));
  const { agent } = await agentWith({
    ...model,
    async *stream(request, signal) {
      if (isForSummary(request)) {
        agent.interrupt();
        signal.throwIfAborted();
      }
      yield* model.stream(request, signal);
    },
  });
  const { result, rooms } = await run(agent);
  expect(result).toMatchObject({ outcome: 'interrupted' });
  expect(rooms).toEqual([]);
  expect(textOf(agent.session.transcript.forRequest())).toContain('xxxx');
});

/** Reads a file, fills the window in two more turns, and then does this. */
const afterCompaction =
  (...answers: Answer[]) =>
  (number: number): Answer => {
    if (number === 1) return { calls: [['Read', { file_path: 'a.txt' }]] };
    if (number < 4) return { show: [12_000] };
    return number === 4 ? tooLong : (answers[number - 5] ?? { say: 'done' });
  };
const edit: Answer = {
  calls: [['Edit', { file_path: 'a.txt', old_string: 'line 7 of', new_string: 'line seven of' }]],
};
const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1} of the file`).join('\n');

test('a file whose text has left the conversation cannot be changed before it is read again', async () => {
  const { model, requests } = modelOf(afterCompaction(edit));
  const { agent, project } = await agentWith(model);
  await project.write('a.txt', lines);
  await run(agent);
  expect(textOf(requests[4])).toMatch(/Files that were shown before.*a\.txt \(all of it\)/);
  expect(textOf(requests[5]?.slice(-1))).toContain('has not been read in this session');
  expect(await project.text('a.txt')).toBe(lines);
});

test('a file whose text has left the conversation is shown again, and can be changed then', async () => {
  const { model, requests } = modelOf(afterCompaction({ calls: [['Read', { file_path: 'a.txt' }]] }, edit));
  const { agent, project } = await agentWith(model);
  await project.write('a.txt', lines);
  await run(agent);
  expect(textOf(requests[5]?.slice(-1))).toContain('line 199 of the file');
  expect(await project.text('a.txt')).toContain('line seven of');
});

test('a file that was read in what stays can be changed right away', async () => {
  const { model } = modelOf((number) => {
    if (number < 3) return { show: [12_000] };
    if (number === 3) return { calls: [['Read', { file_path: 'a.txt' }]] };
    return number === 4 ? tooLong : number === 5 ? edit : { say: 'done' };
  });
  const { agent, project } = await agentWith(model);
  await project.write('a.txt', lines);
  const { rooms } = await run(agent);
  expect(rooms).toHaveLength(1);
  expect(await project.text('a.txt')).toContain('line seven of');
});

test('forgotten files stay forgotten when the session is resumed', async () => {
  const { model, requests } = modelOf(afterCompaction({ say: 'done' }, edit));
  const { agent, project } = await agentWith(model, { keepSession: true });
  await project.write('a.txt', lines);
  await run(agent);
  await agent.end();
  const dataFolder = project.path('../helve');
  const resumed = await resumeSession({ dataFolder, id: agent.session.id, root: project.root, model: 'test' });
  const permissionMode = 'bypassPermissions';
  const next = createAgent({ model, resumed, dataFolder, retries: false, permissionMode });
  await run(next, 'Change it.');
  await next.end();
  expect(textOf(requests.at(-1)?.slice(-1))).toContain('has not been read in this session');
});

test('compacting a resumed session forgets the files that were shown before', async () => {
  const { model, requests } = modelOf((number) => {
    if (number === 1) return { calls: [['Read', { file_path: 'a.txt' }]] };
    if (number === 2) return { say: 'I have read it.' };
    return number === 3 ? edit : { say: 'done' };
  });
  const { agent, project } = await agentWith(model, { keepSession: true });
  await project.write('a.txt', lines);
  await run(agent);
  await agent.end();
  const dataFolder = project.path('../helve');
  const resumed = await resumeSession({ dataFolder, id: agent.session.id, root: project.root, model: 'test' });
  const next = createAgent({ model, resumed, dataFolder, retries: false, permissionMode: 'bypassPermissions' });
  expect(await next.compact()).toMatchObject({ type: 'compaction' });
  await run(next, 'Change it.');
  await next.end();
  expect(textOf(requests.at(-1)?.slice(-1))).toContain('has not been read in this session');
});

// Random conversations: messages, results, refusals by the provider, and outcomes of the summary.
const someTurn: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.nat(30_000), { minLength: 1, maxLength: 3 }).map((show) => ({ say: 'so', show })),
  },
  { weight: 3, arbitrary: fc.nat(3_000).map((length) => ({ say: 's'.repeat(length + 1), show: [10] })) },
  { weight: 1, arbitrary: fc.constant(tooLong) },
  { weight: 1, arbitrary: fc.constant({ say: 'cut', stop: 'context_overflow' as const }) },
  { weight: 1, arbitrary: fc.constant({ say: 'That is it.' }) },
);

test('with any clearing and compaction, every request is valid, the last prompt is kept, and a resumed session is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(someTurn, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom<Answer>({ say: SUMMARY }, tooLong, { say: 's'.repeat(60_000) }),
      fc.boolean(),
      async (prompts, summary, isManual) => {
        let turns: Answer[] = [];
        const { model, requests, summaries } = modelOf(
          () => turns.shift() ?? { say: 'done' },
          () => summary,
        );
        const { agent, project } = await agentWith(model, { keepSession: true });
        for (const [index, planned] of prompts.entries()) {
          turns = [...planned];
          const before = requests.length;
          await run(agent, `This is prompt ${index}.`);
          for (const request of requests.slice(before)) expect(textOf(request)).toContain(`This is prompt ${index}.`);
          if (isManual) await agent.compact();
        }
        expect([...requests, ...summaries].flatMap(violations)).toEqual([]);
        const inMemory = agent.session.transcript.forRequest();
        expect(violations(inMemory)).toEqual([]);
        await agent.end();
        const dataFolder = project.path('../helve');
        const onDisk = restoreSession(readSession(sessionFolder(dataFolder, agent.session.id)));
        expect(onDisk.messages).toEqual(inMemory);

        const resumed = await resumeSession({ dataFolder, id: agent.session.id, root: project.root, model: 'test' });
        const next = createAgent({ model, resumed, dataFolder, root: project.root, tools: [showTool], retries: false });
        turns = [{ show: [30_000, 30_000] }, { show: [30_000] }, tooLong];
        await run(next, 'Go on.');
        const goneOn = next.session.transcript.forRequest();
        await next.end();
        expect(restoreSession(readSession(sessionFolder(dataFolder, agent.session.id))).messages).toEqual(goneOn);
        await project.remove();
      },
    ),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 25, endOnFailure: true }, // shrinking a failing case takes minutes,
  );
});
