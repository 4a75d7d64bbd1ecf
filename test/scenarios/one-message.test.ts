import { expect, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import type { AgentEvent } from '../../src/contract/event.js';
import { anthropicModel } from '../../src/models/index.js';
import {
  anthropicSse,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
  temporaryProject,
} from '../../src/testing/index.js';

interface Story {
  events: AgentEvent[];
  server: FakeModelServer;
  text(name: string): Promise<string>;
}

/** Plays a conversation over real HTTP against real files. */
async function play(
  files: Record<string, string>,
  answers: FakeAnswers,
  onEvent?: (event: AgentEvent) => void,
): Promise<Story> {
  const server = await startFakeModelServer(answers);
  const project = await temporaryProject(files);
  const model = anthropicModel({ name: 'claude-test', apiKey: 'sk-test', baseUrl: server.url });
  const agent = createAgent({
    model,
    root: project.root,
    dataFolder: project.path('../data'),
    permissionMode: 'bypassPermissions',
  });
  const events: AgentEvent[] = [];
  try {
    for await (const event of agent.run('go')) {
      events.push(event);
      onEvent?.(event);
    }
  } finally {
    await agent.end();
    await server.close();
  }
  return { events, server, text: project.text };
}

/** When a call was at work, by the times of its events. */
function spanOf(events: readonly AgentEvent[], callId: string): { from: number; to: number } {
  const at = (type: AgentEvent['type']): number =>
    events.find((event) => event.type === type && 'callId' in event && event.callId === callId)?.at ?? Number.NaN;
  return { from: at('tool_start'), to: at('tool_result') };
}

const resultsOf = (server: FakeModelServer, request: number): unknown[] =>
  server.requests[request]?.body.messages.at(-1)?.content as unknown[];

test('Read(a), Edit(a), Read(b), Edit(b), Bash in one streamed message: right results, right order, overlap', async () => {
  const edit = (file_path: string) => ({ file_path, old_string: 'old', new_string: 'new' });
  const { events, server, text } = await play({ 'a.txt': 'old a\n', 'b.txt': 'old b\n' }, [
    {
      text: 'All at once.',
      calls: [
        { id: 'readA', name: 'Read', input: { file_path: 'a.txt' } },
        { id: 'editA', name: 'Edit', input: edit('a.txt') },
        { id: 'readB', name: 'Read', input: { file_path: 'b.txt' } },
        { id: 'editB', name: 'Edit', input: edit('b.txt') },
        { id: 'bash', name: 'Bash', input: { command: 'cat a.txt b.txt' } },
      ],
      chunkBytes: 100_000, // one piece, so that all five stand at the gate together
    },
    { text: 'Done.' },
  ]);
  expect(server.refused).toEqual([]);
  expect(resultsOf(server, 1)).toMatchObject([
    { tool_use_id: 'readA', content: '1\told a' },
    { tool_use_id: 'editA', content: expect.stringContaining('+new a') },
    { tool_use_id: 'readB', content: '1\told b' },
    { tool_use_id: 'editB', content: expect.stringContaining('+new b') },
    { tool_use_id: 'bash', content: 'new a\nnew b' },
  ]);
  expect(await text('a.txt')).toBe('new a\n');

  const [readA, editA, readB, editB, bash] = ['readA', 'editA', 'readB', 'editB', 'bash'].map((id) =>
    spanOf(events, id),
  );
  if (!readA || !editA || !readB || !editB || !bash) throw new Error('a call has no times');
  // What conflicts keeps its order…
  expect(editA.from).toBeGreaterThanOrEqual(readA.to);
  expect(editB.from).toBeGreaterThanOrEqual(readB.to);
  expect(bash.from).toBeGreaterThanOrEqual(Math.max(editA.to, editB.to));
  // …and what does not, overlaps: nothing of b waits for anything of a.
  expect(readB.from).toBeLessThan(editA.to);
  expect(editB.from).toBeLessThan(editA.to);
});

test('a call starts while the model still writes', async () => {
  const answered = Promise.withResolvers<void>();
  const answer = {
    blocks: [
      { type: 'tool_use', id: 'read', name: 'Read', input: { file_path: 'a.txt' } },
      { type: 'text', text: 'I go on writing.' },
    ],
    stopReason: 'tool_use',
  };
  const callIsComplete =
    anthropicSse(answer)
      .split('\n\n')
      .findIndex((event) => event.includes('content_block_stop')) + 1;
  const { events, server } = await play(
    { 'a.txt': 'hello\n' },
    // The rest of the answer waits for the call's result.
    [{ ...answer, holdAfter: { events: callIsComplete, until: answered.promise } }, { text: 'Done.' }],
    (event) => event.type === 'tool_result' && answered.resolve(),
  );
  const types = events.map(({ type }) => type);
  expect(types.indexOf('tool_result')).toBeLessThan(types.indexOf('text_delta'));
  expect(resultsOf(server, 1)).toMatchObject([{ tool_use_id: 'read', content: '1\thello' }]);
});

test('a relative Read uses the working directory that cd in the call before it has set', async () => {
  const { server } = await play({ 'sub/a.txt': 'inner\n', 'a.txt': 'outer\n' }, [
    {
      calls: [
        { id: '1', name: 'Read', input: { file_path: 'a.txt' } },
        { id: '2', name: 'Bash', input: { command: 'cd sub' } },
        { id: '3', name: 'Read', input: { file_path: 'a.txt' } },
      ],
    },
    { text: 'Done.' },
  ]);
  expect(resultsOf(server, 1)).toMatchObject([{ content: '1\touter' }, {}, { content: '1\tinner' }]);
});

test('the input of a call is shown as far as it has arrived', async () => {
  const titles: string[] = [];
  await play(
    {},
    [{ calls: [{ name: 'Bash', input: { command: 'echo a rather long command' } }] }, { text: 'Done.' }],
    (event) => {
      if (event.type === 'tool_input') titles.push(event.display().title);
    },
  );
  const whole = 'echo a rather long command';
  expect(titles.length).toBeGreaterThan(3);
  expect(titles.every((title) => whole.startsWith(title))).toBe(true);
  expect(titles.at(-1)).toBe(whole);
});

test('300 turns of one Read each: every id matched, every request accepted', async () => {
  const turns = 300;
  const { events, server } = await play({ 'a.txt': 'hello\n' }, (_, number) =>
    number < turns
      ? { text: `Turn ${number}.`, calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }
      : { text: 'Done.' },
  );
  expect(server.refused).toEqual([]);
  expect(server.requests).toHaveLength(turns + 1);
  expect(events.at(-1)).toMatchObject({ type: 'result', outcome: 'completed', turns: turns + 1 });
});
