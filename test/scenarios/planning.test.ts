import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resumeSession } from '../../src/agent/store/resume-session.js';
import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent, RunResult } from '../../src/contract/event.js';
import type { Question } from '../../src/contract/question.js';
import { anthropicModel } from '../../src/models/index.js';
import {
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
  temporaryProject,
} from '../../src/testing/index.js';
import { startHost } from '../cli/stream-json-host.js';

const todos = [
  { content: 'Find the bug', status: 'completed', activeForm: 'Finding the bug' },
  { content: 'Fix the bug', status: 'in_progress', activeForm: 'Fixing the bug' },
];
const plan = '1. Fix the bug in `a.txt`\n2. Test it, after step 1';

const call = (name: string, input: unknown, id = `${name}-${JSON.stringify(input).length}`) => ({
  calls: [{ id, name, input }],
});

interface Story {
  agent: FullAgent;
  server: FakeModelServer;
  root: string;
  dataFolder: string;
  run(prompt?: string): Promise<{ events: AgentEvent[]; result: RunResult }>;
}

/** A conversation over real HTTP in a project of real files. */
async function story(answers: FakeAnswers, options: Partial<FullAgentOptions> = {}): Promise<Story> {
  const server = await startFakeModelServer(answers);
  const project = await temporaryProject({ 'a.txt': 'bug\n' });
  const dataFolder = project.path('../data');
  const { root } = project;
  const model = anthropicModel({ name: 'claude-test', apiKey: 'sk-test', baseUrl: server.url });
  const agent = createAgent({ model, root, dataFolder, ...options });
  onTestFinished(async () => {
    await agent.end();
    await server.close();
    await project.remove();
  });
  return { agent, server, root, dataFolder, run: (prompt) => runOf(agent, prompt) };
}

async function runOf(agent: FullAgent, prompt = 'go'): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(prompt)) events.push(event);
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The run ended without a result.');
  return { events, result };
}

/** All that the model was sent with a request, as text. */
const sentIn = ({ requests }: FakeModelServer, number: number): string =>
  JSON.stringify(requests[number]?.body.messages ?? []);

const toolsOf = ({ requests }: FakeModelServer): string[] => (requests[0]?.body.tools ?? []).map(({ name }) => name);

test('the todo list and the plan are restored when a session is resumed, and go into its summary', async () => {
  const first = await story(
    [
      call('TodoWrite', { todos }),
      call('EnterPlanMode', {}),
      call('ExitPlanMode', { plan }),
      { text: 'Agreed.' },
      { text: 'The summary.' },
      { text: 'On with it.' },
    ],
    { keepSession: true, askPermission: async () => ({ behavior: 'allow' }) },
  );
  await first.run();
  await first.agent.end();
  const { id } = first.agent.session;
  expect(await readFile(join(first.dataFolder, 'sessions', id, 'plan.md'), 'utf8')).toBe(`${plan}\n`);

  const { dataFolder, root, server } = first;
  const resumed = await resumeSession({ dataFolder, id, root, model: 'claude-test' });
  const model = anthropicModel({ name: 'claude-test', apiKey: 'sk-test', baseUrl: server.url });
  const again = createAgent({ model, root, dataFolder, resumed });
  onTestFinished(() => again.end());
  expect(again.session.todos).toEqual(todos);
  expect(again.session.plan).toBe(plan);
  expect(again.session.mode).toBe('default');

  expect(await again.compact()).toMatchObject({ type: 'compaction' });
  await runOf(again, 'go on');
  const sent = sentIn(server, 5);
  expect(sent).toContain('The todo list as it stands:\\n- [completed] Find the bug\\n- [in_progress] Fix the bug');
  expect(sent).toContain('The plan:\\n1. Fix the bug in `a.txt`');
  expect(server.refused).toEqual([]);
});

test('plans, gets the plan back with a comment, plans again, and then may work', async () => {
  const answers = ['Use the other parser.', undefined];
  const { run, agent, server, root } = await story(
    [
      call('EnterPlanMode', {}),
      call('Write', { file_path: 'b.txt', content: 'too early' }, 'early'),
      call('ExitPlanMode', { plan: '1. Guess' }, 'first'),
      call('ExitPlanMode', { plan }, 'second'),
      call('Write', { file_path: 'b.txt', content: 'now' }, 'late'),
      { text: 'Done.' },
    ],
    {
      askPermission: async ({ tool }) => {
        const reason = tool === 'ExitPlanMode' ? answers.shift() : undefined;
        return reason === undefined ? { behavior: 'allow', mode: 'acceptEdits' } : { behavior: 'deny', reason };
      },
    },
  );
  const { events } = await run();
  const failures = events.flatMap((event) =>
    event.type === 'tool_result' ? [[event.callId, event.failure ?? 'fine']] : [],
  );
  expect(failures.slice(1)).toEqual([
    ['early', 'permission_denied'],
    ['first', 'permission_denied'],
    ['second', 'fine'],
    ['late', 'fine'],
  ]);
  expect(sentIn(server, 3)).toContain('Use the other parser.');
  expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('now');
  expect(agent.session.mode).toBe('acceptEdits');
});

test('a session that begins in plan mode tells the model so, once', async () => {
  const { run, server } = await story([call('Read', { file_path: 'a.txt' }), { text: 'The plan.' }, { text: 'Yes.' }], {
    permissionMode: 'plan',
  });
  await run();
  await run('more');
  expect(sentIn(server, 0)).toContain('Plan mode is on');
  expect(sentIn(server, 2).split('Plan mode is on')).toHaveLength(2);
});

test('asks the person what the model wants to know', async () => {
  const options = [
    { label: 'Fast', description: 'First' },
    { label: 'Safe', description: 'Second' },
  ];
  const question = { question: 'Fast or safe?', header: 'Way', options, multiSelect: false };
  const asked: Question[] = [];
  const { run, server } = await story([call('AskUserQuestion', { questions: [question] }), { text: 'Safe it is.' }], {
    askUser: async (questions) => {
      asked.push(...questions);
      return [{ chosen: ['Safe'], text: 'please' }];
    },
  });
  await run();
  expect(asked).toEqual([question]);
  expect(sentIn(server, 1)).toContain('\\"Fast or safe?\\"=\\"Safe, please\\"');
});

test('when no one can answer, tools that ask are not offered, and a call of one says why', async () => {
  const { run, server } = await story([call('AskUserQuestion', { questions: [] }), { text: 'Well.' }]);
  await run();
  expect(toolsOf(server)).toContain('TodoWrite');
  for (const name of ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']) expect(toolsOf(server)).not.toContain(name);
  expect(sentIn(server, 1)).toContain(
    'The tool AskUserQuestion is off here: no person can answer here. Go on without it.',
  );
});

test('a loop of equal calls is reported to the model, then to the user, and nothing is stopped', async () => {
  const turns = Array.from({ length: 5 }, (_, index) => call('Read', { file_path: 'missing.txt' }, `read-${index}`));
  const { run, server } = await story([...turns, { text: 'I give up.' }]);
  const { events, result } = await run();
  expect(result).toMatchObject({ outcome: 'completed', text: 'I give up.' });
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices).toEqual([expect.stringContaining('Read 5 times with the same input')]);
  expect(sentIn(server, 2)).not.toContain('will not change that');
  expect(sentIn(server, 3)).toContain('Read was called 3 times with the same input and failed in the same way');
});

test('an architect that is switched on reads the code in a conversation of its own, and returns a plan', async () => {
  const { run, server } = await story(
    [
      call('Architect', { prompt: 'Fix the bug.', context: 'It is in a.txt.' }, 'architect'),
      call('Read', { file_path: 'a.txt' }, 'look'),
      { text: '1. Replace the word in `a.txt`.' },
      { text: 'A good plan.' },
    ],
    { toolSwitches: { Architect: true } },
  );
  const { result } = await run();
  expect(result).toMatchObject({ outcome: 'completed', text: 'A good plan.' });
  expect(server.refused).toEqual([]);
  const child = server.requests[1]?.body;
  expect(JSON.stringify(child?.messages[0])).toContain('Fix the bug.');
  expect(JSON.stringify(child?.messages[0])).toContain('It is in a.txt.');
  for (const name of ['Write', 'Edit', 'Architect']) expect(child?.tools?.map((tool) => tool.name)).not.toContain(name);
  expect(sentIn(server, 3)).toContain('1. Replace the word in `a.txt`.');
});

test('a host answers the questions of the model, and agrees to its plan with a mode', async () => {
  const options = [
    { label: 'A', description: '' },
    { label: 'B', description: '' },
  ];
  const question = { question: 'A or B?', header: 'Choice', options, multiSelect: false };
  const host = await startHost(
    [
      call('AskUserQuestion', { questions: [question] }, 'toolu_ask'),
      call('EnterPlanMode', {}, 'toolu_enter'),
      call('ExitPlanMode', { plan }, 'toolu_exit'),
      call('Write', { file_path: 'b.txt', content: 'now' }, 'toolu_write'),
      { text: 'Done.' },
    ],
    { args: ['--permission-prompt-tool', 'stdio'] },
  );
  host.prompt('go');
  const asked = await host.next('can_use_tool');
  expect(asked['request']).toMatchObject({
    tool_name: 'AskUserQuestion',
    tool_use_id: 'toolu_ask',
    input: { questions: [question] },
  });
  host.answer(asked, {
    behavior: 'allow',
    updatedInput: { questions: [question], answers: { 'A or B?': 'B' } },
  });
  const planned = await host.next('can_use_tool');
  expect(planned['request']).toMatchObject({ tool_name: 'ExitPlanMode', tool_use_id: 'toolu_exit', input: { plan } });
  host.answer(planned, {
    behavior: 'allow',
    updatedInput: { plan },
    updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  });
  expect(await host.next('success')).toMatchObject({ type: 'result', result: 'Done.' });
  expect(sentIn(host.server, 1)).toContain('\\"A or B?\\"=\\"B\\"');
  expect(await readFile(join(host.cwd, 'b.txt'), 'utf8')).toBe('now');
});
