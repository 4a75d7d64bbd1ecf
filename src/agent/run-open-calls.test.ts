import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent, type FullAgent } from '../compose/create-agent.js';
import type { AgentEvent } from '../contract/event.js';
import type { Message } from '../contract/message.js';
import type { Model, ModelEvent } from '../contract/model.js';
import type { PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import { protocolViolations } from '../testing/protocol-violations.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { resumeSession } from './store/resume-session.js';
import { noUsage } from './usage.js';

const call = (index: number, id: string, name: string, input: unknown): ModelEvent[] => [
  { type: 'call_start', index, id, name },
  { type: 'call_input', index, json: JSON.stringify(input) },
  { type: 'call_end', index },
];

/** Reads a file, and writes another, which is asked about. */
const twoCalls: ModelEvent[] = [
  { type: 'block', block: { type: 'text', text: 'I look and write.' } },
  ...call(0, 'read', 'Read', { file_path: 'there.txt' }),
  ...call(1, 'write', 'Write', { file_path: 'new.txt', content: 'new\n' }),
  { type: 'message_end', stopReason: 'tool_use', usage: noUsage },
];

const done: ModelEvent[] = [
  { type: 'block', block: { type: 'text', text: 'Done.' } },
  { type: 'message_end', stopReason: 'end_turn', usage: noUsage },
];

const isOver = (message: Message | undefined): boolean =>
  message?.role === 'user' && JSON.stringify(message).includes('new.txt');

interface Place {
  root: string;
  dataFolder: string;
  requests: Message[][];
}

function agentIn(
  { root, dataFolder, requests }: Place,
  options: Partial<Parameters<typeof createAgent>[0]>,
  isCut = false,
): FullAgent {
  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1000,
    async *stream({ messages }, signal) {
      requests.push(structuredClone([...messages]));
      if (requests.length > 1 || isOver(messages.at(-1))) {
        yield* done;
        return;
      }
      yield* isCut ? twoCalls.slice(0, -1) : twoCalls;
      if (isCut) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  return createAgent({ model, root, dataFolder, retries: false, keepSession: true, sessionId: 'abc', ...options });
}

/** The data folder as a kill of the process would leave it while the question is open. */
async function killedWhileAsking(place: Place, isCut: boolean): Promise<string> {
  const asked = Promise.withResolvers<void>();
  const agent = agentIn(
    place,
    {
      askPermission: async (_, signal) => {
        asked.resolve();
        return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    },
    isCut,
  );
  agent.session.promptId = 'prompt-1';
  const stop = new AbortController();
  const running = agent.run('write it', { signal: stop.signal }).result;
  await asked.promise;
  const copy = `${place.dataFolder}-${place.requests.length}`;
  await cp(place.dataFolder, copy, { recursive: true });
  await rm(join(copy, 'sessions/abc/lock'));
  stop.abort();
  await running;
  await agent.end();
  return copy;
}

test.each([
  ['complete', false],
  ['cut off', true],
])(
  'a call whose question was open when the process was killed is asked about again and run: answer %s',
  async (_, isCut) => {
    const project = await temporaryProject({ 'there.txt': 'there\n' });
    onTestFinished(() => project.remove());
    const place: Place = { root: project.root, dataFolder: project.path('../data'), requests: [] };
    const dataFolder = await killedWhileAsking(place, isCut);

    // Once more: a kill while the question is open for the second time.
    const resumeIn = async (folder: string) =>
      await resumeSession({ dataFolder: folder, id: 'abc', model: 'test', root: project.root, reopen: true });
    const first = await resumeIn(dataFolder);
    expect(first.restored).toMatchObject({ promptIds: ['prompt-1'], isUnfinished: true, interrupted: [], notes: [] });
    await first.store.close();

    const questions: PermissionQuestion[] = [];
    const requests: Message[][] = [];
    const agent = agentIn(
      { root: project.root, dataFolder, requests },
      {
        resumed: await resumeIn(dataFolder),
        askPermission: async (question): Promise<PermissionAnswer> => {
          questions.push(question);
          return { behavior: 'allow' };
        },
      },
    );
    const events: AgentEvent[] = await Array.fromAsync(agent.runUnfinished({}));
    await agent.end();
    expect(questions.map(({ callId }) => callId)).toEqual(['write']);
    expect(await readFile(project.path('new.txt'), 'utf8')).toBe('new\n');
    expect(events.at(-1)).toMatchObject({ type: 'result', outcome: 'completed', text: 'Done.' });
    expect(requests).toHaveLength(1);
    const [messages = []] = requests;
    expect(protocolViolations({ model: 'test', max_tokens: 1, messages })).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(messages.at(-1))).not.toMatch(/interrupted|most likely did not run/);

    const after = await resumeIn(dataFolder);
    expect(after.restored).toMatchObject({ isUnfinished: false, openCalls: undefined });
    expect(
      protocolViolations({ model: 'test', max_tokens: 1, messages: after.restored.messages.slice(0, -1) }),
    ).toEqual([]);
    expect(after.restored.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await after.store.close();
  },
);

test('a question of the model that was open when the process was killed is asked again', async () => {
  const project = await temporaryProject({});
  onTestFinished(() => project.remove());
  const questions = [
    {
      question: 'Which one?',
      header: 'One',
      options: [
        { label: 'A', description: 'a' },
        { label: 'B', description: 'b' },
      ],
    },
  ];
  const requests: Message[][] = [];
  const model: Model = {
    provider: 'test',
    name: 'test',
    maxOutputTokens: 1000,
    async *stream({ messages }) {
      requests.push(structuredClone([...messages]));
      if (messages.length > 1) yield* done;
      else {
        yield* call(0, 'ask', 'AskUserQuestion', { questions });
        yield { type: 'message_end', stopReason: 'tool_use', usage: noUsage };
      }
    },
  };
  const dataFolder = project.path('../data');
  const common = { model, root: project.root, retries: false, keepSession: true, sessionId: 'abc' } as const;
  const asked = Promise.withResolvers<void>();
  const agent = createAgent({
    ...common,
    dataFolder,
    askUser: async (_, signal) => {
      asked.resolve();
      return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const stop = new AbortController();
  const running = agent.run('ask me', { signal: stop.signal }).result;
  await asked.promise;
  const copy = `${dataFolder}-copy`;
  await cp(dataFolder, copy, { recursive: true });
  await rm(join(copy, 'sessions/abc/lock'));
  stop.abort();
  await running;
  await agent.end();

  const resumed = await resumeSession({ dataFolder: copy, id: 'abc', model: 'test', root: project.root, reopen: true });
  const next = createAgent({
    ...common,
    dataFolder: copy,
    resumed,
    askUser: async (again) => again.map(() => ({ chosen: ['B'] })),
  });
  await next.runUnfinished({}).result;
  await next.end();
  expect(JSON.stringify(requests.at(-1)?.at(-1))).toMatch(/"tool_use_id":"ask".*B/);
});
