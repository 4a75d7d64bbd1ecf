import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readAudit } from '../../src/agent/observe/read-audit.js';
import { resumeSession } from '../../src/agent/store/resume-session.js';
import { listUndoable } from '../../src/agent/undo/undo-calls.js';
import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent, ChildEvent, RunResult } from '../../src/contract/event.js';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../../src/contract/model.js';
import type { PermissionQuestion } from '../../src/contract/permission.js';
import { timelinePage } from '../../src/host/session-timeline.js';
import { type ScriptedTurn, scriptedModel } from '../../src/models/scripted.js';
import { watchSettings } from '../../src/settings/watch.js';
import { protocolViolations } from '../../src/testing/protocol-violations.js';
import { machine } from '../../src/testing/temporary-machine.js';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';

/** Answers by conversation: an agent whose prompt is "NAME: …" gets the script of that name, turn by turn. */
type Scripts = Readonly<Record<string, ReadonlyArray<ScriptedTurn | (() => Promise<ScriptedTurn>) | ModelFailure>>>;

interface Asked extends ModelRequest {
  who: string;
}

function modelOf(scripts: Scripts, asked: Asked[]): Model {
  const turns = new Map<string, number>();
  return {
    ...scriptedModel({ turns: [] }),
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      const who =
        promptsIn(request)
          .findLast((text) => /^\w+: /.test(text))
          ?.split(':')[0] ?? 'main';
      asked.push({ ...request, who, messages: structuredClone(request.messages) });
      const number = turns.get(who) ?? 0;
      turns.set(who, number + 1);
      const next = scripts[who]?.[number];
      if (next instanceof ModelFailure) throw next;
      const turn = typeof next === 'function' ? await next() : next;
      if (!turn) throw new ModelFailure('invalid_request', `${who} has no turn ${number + 1}.`, { transient: false });
      yield* scriptedModel({ turns: [turn] }).stream(request, signal);
    },
  };
}

const promptsIn = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );

interface Options extends Partial<FullAgentOptions> {
  files?: Readonly<Record<string, unknown>>;
  isTrusted?: boolean;
}

async function family(scripts: Scripts, { files = {}, isTrusted = true, ...options }: Options = {}) {
  const place = machine(files);
  const asked: Asked[] = [];
  const agent = createAgent({
    model: modelOf(scripts, asked),
    retries: false,
    root: place.root,
    home: place.home,
    dataFolder: place.dataFolder,
    permissionMode: 'bypassPermissions',
    settings: await watchSettings({ ...place, ...(isTrusted && { trust: true }) }),
    ...options,
  });
  const end = agent.end.bind(agent);
  let ended: Promise<void> | undefined;
  agent.end = () => (ended ??= end());
  onTestFinished(() => agent.end());
  for (const name of ['a.txt', 'b.txt'])
    if (!existsSync(place.path(`project/${name}`))) place.write(`project/${name}`, 'one\n');
  return {
    agent,
    place,
    asked,
    path: (name: string) => join(place.root, name),
    run: (prompt?: string) => runOf(agent, prompt),
  };
}

interface Run {
  events: AgentEvent[];
  result: RunResult;
  /** Of the calls of the first agent, in the order in which they ended. */
  results: Array<{ text: string; isError: boolean }>;
  children: ChildEvent[];
}

async function runOf(agent: FullAgent, prompt = 'main: go', signal?: AbortSignal): Promise<Run> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(prompt, { ...(signal && { signal }) })) events.push(event);
  const result = events.at(-1);
  if (result?.type !== 'result') throw new Error('The run ended without a result.');
  return {
    events,
    result,
    results: events.flatMap((event) =>
      event.type === 'tool_result'
        ? [{ text: String(event.result.content), isError: event.result.is_error === true }]
        : [],
    ),
    children: events.filter((event) => event.type === 'agent_event'),
  };
}

const task = (prompt: string, more: Record<string, unknown> = {}) => ({
  name: 'Task',
  input: { description: `do ${prompt.split(':')[0]}`, prompt, ...more },
});
const calls = (...given: Array<{ name: string; input: unknown }>): ScriptedTurn => ({ calls: given });
const says = (text: string): ScriptedTurn => ({ text });
const idIn = (text: string | undefined): string => /\b(a[0-9a-f]{8})\b/.exec(text ?? '')?.[1] ?? '';
const resultsOf = (events: readonly ChildEvent[]): string[] =>
  events.flatMap(({ event }) => (event.type === 'tool_result' ? [String(event.result.content)] : []));

test('a child reads and edits in a context of its own, and its parent gets its last message', async () => {
  const it = await family(
    {
      main: [calls(task('child: change it')), says('All done.')],
      child: [
        calls({ name: 'Read', input: { file_path: 'a.txt' } }),
        calls({ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }),
        says('I changed a.txt.'),
      ],
    },
    { keepSession: true },
  );
  const { results, result, children } = await it.run();
  expect(await readFile(it.path('a.txt'), 'utf8')).toBe('two\n');
  expect(result).toMatchObject({ outcome: 'completed', text: 'All done.', turns: 2 });
  expect(results).toEqual([
    { text: expect.stringMatching(/^I changed a\.txt\.\n\n\[agentId: a\w{8} .*3 turns, 2 calls/), isError: false },
  ]);
  expect(children.map(({ parentCallId }) => parentCallId)).toEqual(children.map(() => 'toolu_script_1_1'));
  expect(
    it.asked
      .filter(({ who }) => who === 'child')
      .every(({ messages }) => !JSON.stringify(messages).includes('main: go')),
  ).toBe(true);
  expect(
    it.asked.filter(({ who }) => who === 'main').every(({ messages }) => !JSON.stringify(messages).includes('Read')),
  ).toBe(true);
  expect(
    it.asked.flatMap(({ messages }) => protocolViolations({ model: 'm', max_tokens: 1, stream: true, messages })),
  ).toEqual([]);
  // Undo and the audit log belong to the root session.
  const undoable = await listUndoable(it.place.dataFolder, it.agent.session.id);
  expect(undoable.map(({ files }) => files)).toEqual([[it.path('a.txt')]]);
  await it.agent.end();
  const audit = readAudit(join(it.place.dataFolder, 'sessions', it.agent.session.id));
  expect(audit?.lines.filter((line) => line.includes('"type":"start"')).map((line) => JSON.parse(line).tool)).toEqual([
    'Task',
    'Read',
    'Edit',
  ]);
  const { calls: timeline } = timelinePage(it.place.dataFolder, it.agent.session.id, {
    from: 0,
    limit: 10,
    feed: undefined,
  });
  const ofChild = { agent: 'general-purpose', parentCallId: 'toolu_script_1_1', outcome: 'completed' };
  expect(timeline).toMatchObject([{ tool: 'Task' }, { tool: 'Read', ...ofChild }, { tool: 'Edit', ...ofChild }]);
  expect(timeline[0]).not.toHaveProperty('agent');
});

test('a file that a child has read does not count as read by its parent', async () => {
  const it = await family({
    main: [
      calls(task('child: read it')),
      calls({ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }),
      says('No.'),
    ],
    child: [calls({ name: 'Read', input: { file_path: 'a.txt' } }), says('It says one.')],
  });
  const { results } = await it.run();
  expect(results[1]).toEqual({ text: expect.stringContaining('has not been read'), isError: true });
});

test('two children of one message edit one file one after the other, and no edit is lost', async () => {
  const edits = (from: string, to: string): ScriptedTurn[] => [
    calls({ name: 'Read', input: { file_path: 'a.txt' } }),
    calls({ name: 'Edit', input: { file_path: 'a.txt', old_string: from, new_string: to } }),
    says('done'),
  ];
  const it = await family(
    {
      main: [calls(task('first: a'), task('second: b')), says('Both.')],
      first: edits('one', 'ONE'),
      second: edits('two', 'TWO'),
    },
    { files: { 'project/a.txt': 'one\n\n\n\n\n\ntwo\n' } },
  );
  const { results } = await it.run();
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  expect(await readFile(it.path('a.txt'), 'utf8')).toBe('ONE\n\n\n\n\n\nTWO\n');
});

test('a child is denied calls that its parent is denied, and questions name the child', async () => {
  const questions: PermissionQuestion[] = [];
  const it = await family(
    {
      main: [calls(task('child: go')), says('No luck.')],
      child: [
        calls(
          { name: 'Read', input: { file_path: 'secret.txt' } },
          { name: 'Write', input: { file_path: 'new.txt', content: 'x' } },
        ),
        says('Denied.'),
      ],
    },
    {
      files: { 'project/secret.txt': 'hush' },
      permissionMode: 'default',
      permissions: { deny: ['Read(secret.txt)'] },
      askPermission: async (question) => {
        questions.push(question);
        return { behavior: 'deny', reason: 'not now' };
      },
    },
  );
  const { result, children } = await it.run();
  const [read, write] = resultsOf(children);
  expect([read, write].toSorted()).toEqual([
    expect.stringContaining('Read was not run'),
    expect.stringContaining('The user refused this Write call and said: not now'),
  ]);
  expect(questions).toMatchObject([
    {
      tool: 'Write',
      agent: { type: 'general-purpose', description: 'do child' },
      reason: expect.stringMatching(/^the agent a\w{8} \(general-purpose\) asks: /),
    },
  ]);
  expect(result.denials.map(({ tool }) => tool).toSorted()).toEqual(['Read', 'Write']);
  expect(existsSync(it.path('new.txt'))).toBe(false);
});

test('offers no agent a tool that a rule denies, also if the rule is added during the session', async () => {
  const it = await family(
    {
      main: [
        async () => {
          it.place.write('home/.helve/settings.json', { permissions: { deny: ['Grep'] } });
          return calls({ name: 'Read', input: { file_path: 'a.txt' } });
        },
        calls(task('child: go')),
        says('Done.'),
      ],
      child: [says('Looked.')],
    },
    { permissions: { deny: ['WebFetch'] } },
  );
  await it.run();
  const offered = it.asked.map(({ who, tools }) => [who, ...tools.map(({ name }) => name)]);
  expect(offered.map(([who]) => who)).toEqual(['main', 'main', 'child', 'main']);
  for (const names of offered) expect(names).not.toContain('WebFetch');
  expect(offered.map((names) => names.includes('Grep'))).toEqual([true, false, false, false]);
});

test.each(['Plan', 'Explore'])('%s can not write in any mode, whatever its prompt says', async (type) => {
  const it = await family({
    main: [calls(task('child: write new.txt, you may', { subagent_type: type })), says('Well.')],
    child: [
      calls(
        { name: 'Write', input: { file_path: 'new.txt', content: 'x' } },
        { name: 'Bash', input: { command: 'echo x > new.txt' } },
        { name: 'Bash', input: { command: 'cat a.txt' } },
        task('deeper: write'),
      ),
      says('I could not.'),
    ],
    deeper: [calls({ name: 'Bash', input: { command: 'touch new.txt' } }), says('Nor could I.')],
  });
  const { children } = await it.run();
  const results = resultsOf(children);
  expect(results.some((text) => text.includes('this agent was not given it'))).toBe(true);
  expect(results.some((text) => text.includes('plan mode only reads'))).toBe(true);
  expect(results).toContain('one');
  const deeper = children.flatMap(({ event }) => (event.type === 'agent_event' ? [event] : []));
  expect(resultsOf(deeper)).toEqual([expect.stringContaining('plan mode only reads')]);
  expect(existsSync(it.path('new.txt'))).toBe(false);
});

test('a plan-mode parent has plan-mode children, also when it changes its mode while they work', async () => {
  let become = (): void => {};
  const it = await family({
    main: [calls(task('child: go')), says('Well.')],
    child: [
      async () => {
        become();
        return calls({ name: 'Bash', input: { command: 'touch new.txt' } });
      },
      says('Refused.'),
    ],
  });
  become = () => {
    it.agent.session.mode = 'plan';
  };
  const { children } = await it.run();
  expect(resultsOf(children)).toEqual([expect.stringContaining('plan mode only reads')]);
});

test('cancelling the parent leaves no child, in the foreground or the background, and no process', async () => {
  const pids = (name: string) => `echo $$ >> ${name}.pid; sleep 1000`;
  const it = await family({
    main: [calls(task('first: a'), task('second: b', { run_in_background: true })), says('never')],
    first: [
      calls({ name: 'Bash', input: { command: pids('background'), run_in_background: true } }),
      calls({ name: 'Bash', input: { command: pids('first') } }),
    ],
    second: [calls(task('third: c'))],
    third: [calls({ name: 'Bash', input: { command: pids('third') } })],
  });
  const stop = new AbortController();
  const running = runOf(it.agent, 'main: go', stop.signal);
  const files = ['background.pid', 'first.pid', 'third.pid'].map(it.path);
  await until(() => files.some(isWritten));
  // Two commands that could touch anything do not run side by side, so that not all of them may have begun.
  await until(() => isWritten(it.path('background.pid')));
  stop.abort();
  const { result } = await running;
  expect(result.outcome).toBe('interrupted');
  await until(() => it.agent.session.agents?.all.every(({ report }) => report?.isInterrupted) ?? false);
  const started = files.filter((file) => existsSync(file)).flatMap(pidsIn);
  expect(started.length).toBeGreaterThan(0);
  await until(() => started.every((pid) => !isRunning(pid)));
  expect(it.agent.session.stillRunning).toEqual([]);
});

test("a child's model failure is a clear result, and its parent continues", async () => {
  const it = await family({
    main: [calls(task('child: go')), says('It failed.')],
    child: [says('Looking. '), new ModelFailure('auth', 'The key was refused.', { transient: false })],
  });
  // An answer that ends the work would end it: the first turn has a call.
  const broken = await family({
    main: [calls(task('child: go')), says('It failed.')],
    child: [
      { text: 'I begin.', calls: [{ name: 'LS', input: { path: '.' } }] },
      new ModelFailure('auth', 'The key was refused.', { transient: false }),
    ],
  });
  expect((await it.run()).results[0]?.isError).toBe(false);
  const { results, result } = await broken.run();
  expect(results).toEqual([
    {
      text: expect.stringMatching(
        /^The agent a\w{8} stopped before it was done: The key was refused\..*Its last words:\nI begin\./s,
      ),
      isError: true,
    },
  ]);
  expect(result).toMatchObject({ outcome: 'completed', text: 'It failed.' });
});

test('the end of a child in the background is reported, and AgentOutput gives its answer', async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let id = '';
  const it = await family({
    main: [
      calls(task('child: go', { run_in_background: true })),
      async () => {
        id = idIn(JSON.stringify(it.asked.at(-1)?.messages));
        return calls({ name: 'AgentOutput', input: { agentId: id, block: false } });
      },
      async () => {
        letGo();
        return says('I wait.');
      },
      async () => calls({ name: 'AgentOutput', input: { agentId: id } }),
      says('It found 42.'),
    ],
    child: [
      async () => {
        await held;
        return says('42');
      },
    ],
  });
  const { results, result } = await it.run();
  expect(result).toMatchObject({ outcome: 'completed', text: 'It found 42.' });
  expect(results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^The agent a\w{8} \(do child\) works in the background\./),
    expect.stringMatching(/is still at work/),
    expect.stringMatching(/^42\n\n\[agentId: /),
  ]);
  const told = it.asked.filter(({ who }) => who === 'main')[3]?.messages.at(-1);
  expect(JSON.stringify(told)).toMatch(
    /The background agent a\w{8} \(do child\) has ended: it is done\. AgentOutput gives its answer\./,
  );
});

test('agents that run in the background when a session ends are named and ended', async () => {
  const it = await family(
    {
      main: [calls(task('child: go', { run_in_background: true })), says('It works.')],
      child: [calls({ name: 'Bash', input: { command: 'echo $$ > pid; sleep 1000' } })],
    },
    { interactive: true },
  );
  const { result } = await it.run();
  expect(result.text).toBe('It works.'); // in interactive use the result does not wait for the child
  await until(() => isWritten(it.path('pid')));
  expect(it.agent.session.stillRunning).toContainEqual(expect.stringMatching(/^the agent a\w{8} \(do child\)$/));
  const [pid = 0] = pidsIn(it.path('pid'));
  await it.agent.end();
  expect(isRunning(pid)).toBe(false);
  expect(it.agent.session.stillRunning).toEqual([]);
});

test.each([{ keepSession: true }, { keepSession: false }])(
  'a child is resumed by its id in the same process, with %j',
  async (options) => {
    let id = '';
    const it = await family(
      {
        main: [
          calls(task('child: read a.txt')),
          async () => {
            id = idIn(JSON.stringify(it.asked.at(-1)?.messages));
            return calls(task('child: now change it', { resume: id }));
          },
          says('Done.'),
        ],
        child: [
          calls({ name: 'Read', input: { file_path: 'a.txt' } }),
          says('It says one.'),
          calls({ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }),
          says('Now two.'),
        ],
      },
      options,
    );
    const { results } = await it.run();
    expect(results[1]).toEqual({
      text: expect.stringMatching(new RegExp(`^Now two\\.\\n\\n\\[agentId: ${id} `)),
      isError: false,
    });
    expect(await readFile(it.path('a.txt'), 'utf8')).toBe('two\n');
    const last = it.asked.filter(({ who }) => who === 'child').at(-1);
    expect(promptsIn(last ?? { system: [], tools: [], messages: [] })).toEqual([
      'child: read a.txt',
      'child: now change it',
    ]);
  },
);

test('a child continues by its id after another process has resumed its session', async () => {
  const first = await family(
    {
      main: [calls(task('child: read a.txt', { subagent_type: 'Explore' })), says('Read.')],
      child: [calls({ name: 'Read', input: { file_path: 'a.txt' } }), says('It says one.')],
    },
    { keepSession: true },
  );
  const { results } = await first.run();
  const id = idIn(results[0]?.text);
  await first.agent.end();
  const { dataFolder, root } = first.place;
  const options = { dataFolder, id: first.agent.session.id, root, model: 'scripted' };
  const asked: Asked[] = [];
  const scripts: Scripts = {
    again: [calls(task('child: and now?', { resume: id })), says('Done.')],
    child: [calls({ name: 'Bash', input: { command: 'touch new.txt' } }), says('Still one.')],
  };
  const agent = createAgent({
    model: modelOf(scripts, asked),
    retries: false,
    dataFolder,
    permissionMode: 'bypassPermissions',
    resumed: await resumeSession({ ...options, mode: 'bypassPermissions' }),
  });
  onTestFinished(() => agent.end());
  const run = await runOf(agent, 'again: go on');
  expect(run.results).toEqual([{ text: expect.stringMatching(/^Still one\./), isError: false }]);
  expect(promptsIn(asked.find(({ who }) => who === 'child') ?? { system: [], tools: [], messages: [] })).toEqual([
    'child: read a.txt',
    'child: and now?',
  ]);
  expect(resultsOf(run.children)).toEqual([expect.stringContaining('plan mode only reads')]); // its type is as it was
});

test('agents can be nested three levels deep and no deeper', async () => {
  const it = await family({
    main: [calls(task('one: go')), says('top')],
    one: [calls(task('two: go')), says('first')],
    two: [calls(task('three: go')), says('second')],
    three: [calls(task('four: go')), says('third')],
  });
  const { events } = await it.run();
  const all = (list: readonly AgentEvent[]): AgentEvent[] =>
    list.flatMap((event) => (event.type === 'agent_event' ? all([event.event]) : [event]));
  const results = all(events).flatMap((event) => (event.type === 'tool_result' ? [String(event.result.content)] : []));
  expect(results[0]).toBe(
    'No agent was started: this one is 3 levels below the first, and agents go no deeper. Do the task yourself, with the other tools.',
  );
  expect(results.slice(1).map((text) => text.split('\n')[0])).toEqual(['third', 'second', 'first']);
  expect(it.asked.some(({ who }) => who === 'four')).toBe(false);
});

test('more than ten children at once wait for their turn, and all of them finish', async () => {
  let atWork = 0;
  let most = 0;
  const one = async (): Promise<ScriptedTurn> => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise(setImmediate);
    atWork -= 1;
    return says('done');
  };
  const names = Array.from({ length: 13 }, (_, index) => `child${index}`);
  const it = await family({
    main: [calls(...names.map((name) => task(`${name}: go`))), says('All.')],
    ...Object.fromEntries(names.map((name) => [name, [one]])),
  });
  const { results } = await it.run();
  expect(results.map(({ isError }) => isError)).toEqual(names.map(() => false));
  expect(most).toBeLessThanOrEqual(10);
});

const reviewer = `---
name: reviewer
description: Reviews a change
tools: Read, Grep
maxTurns: 1
---
You review.
`;

test("a person's own type has its prompt and its tools, within its limits, and is announced", async () => {
  const it = await family(
    {
      main: [calls(task('child: go', { subagent_type: 'reviewer' })), says('Well.')],
      child: [calls({ name: 'Bash', input: { command: 'ls' } }), says('never')],
    },
    {
      files: {
        'project/.claude/agents/reviewer.md': reviewer,
        'home/.claude/agents/broken.md': '---\nname: [\n---\nx',
      },
    },
  );
  const { results, children, events } = await it.run();
  const [main, child] = it.asked;
  expect(promptsIn(main ?? child ?? { system: [], tools: [], messages: [] }).join()).toContain(
    '- reviewer: Reviews a change',
  );
  expect(child?.tools.map(({ name }) => name)).toEqual(['Grep', 'Read']);
  expect(promptsIn(child ?? { system: [], tools: [], messages: [] }).join()).not.toContain('Reviews a change'); // it can start none
  expect(child?.system[0]).toMatch(/^You review\.\n\nYou are a child agent/);
  expect(resultsOf(children)).toEqual([expect.stringContaining('this agent was not given it')]);
  expect(results).toEqual([
    { text: expect.stringContaining('Stopped after one turn, the limit set for this run'), isError: true },
  ]);
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices).toContainEqual(expect.stringMatching(/agents\/broken\.md: line \d+: .* The agent is left out\.$/));
});

test('agents of an untrusted project are not used, and those of the user are', async () => {
  const it = await family(
    {
      main: [
        calls(task('child: go', { subagent_type: 'reviewer' }), task('own: go', { subagent_type: 'mine' })),
        says('Well.'),
      ],
      own: [says('I am yours.')],
    },
    {
      isTrusted: false,
      files: {
        'project/.claude/agents/reviewer.md': reviewer,
        'home/.helve/agents/mine.md': reviewer.replaceAll('reviewer', 'mine'),
      },
    },
  );
  const { results, events } = await it.run();
  expect(events.find(({ type }) => type === 'session_start')).toMatchObject({
    agents: ['mine', 'general-purpose', 'Explore', 'Plan', 'helve-guide', 'statusline-setup'],
  });
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices).toEqual([
    'Agents of this folder are not used, because it is not trusted: .claude/agents. To look at it and trust it: helve config trust; for one run: --trust.',
  ]);
  expect(results.map(({ text }) => text).toSorted()).toEqual(
    [
      expect.stringMatching(/^I am yours\./),
      expect.stringMatching(
        /^There is no agent type "reviewer"\. .*There are: mine, general-purpose, Explore, Plan.*Those in \.claude\/agents are not used, because this folder is not trusted\. Nothing was started\.$/,
      ),
    ].toSorted((a, b) => Number(String(a) > String(b))),
  );
});

test.each([
  ['Agent(Explore)', { subagent_type: 'Explore' }],
  ['Task(Explore)', { subagent_type: 'explore' }],
  ['Task(general-purpose)', {}],
  ['Task(helve-guide)', { subagent_type: 'claude-code-guide' }],
  ['Agent(claude-code-guide)', { subagent_type: 'helve-guide' }],
  ['Agent', {}],
])('the rule that denies %s stops an agent with %j', async (rule, input) => {
  const it = await family(
    {
      main: [calls({ name: 'Agent', input: { description: 'do it', prompt: 'child: go', ...input } }), says('No.')],
      child: [says('hello')],
    },
    { permissions: { deny: [rule] } },
  );
  const { results } = await it.run();
  expect(results).toEqual([{ text: expect.stringContaining(`the rule "${rule}"`), isError: true }]);
  expect(it.asked.some(({ who }) => who === 'child')).toBe(false);
});

test('one agent cannot be resumed twice at the same time', async () => {
  const it = await family({
    main: [
      calls(task('child: go')),
      async () => {
        const id = idIn(JSON.stringify(it.asked.at(-1)?.messages));
        return calls(task('child: more', { resume: id }), task('child: more', { resume: id }));
      },
      says('Well.'),
    ],
    child: [says('first'), says('second'), says('third')],
  });
  const { results } = await it.run();
  expect(
    results
      .slice(1)
      .map(({ isError }) => isError)
      .toSorted(),
  ).toEqual([false, true]);
  expect(results.find(({ isError }) => isError)?.text).toMatch(/^The agent a\w{8} is still at work/);
});

test('a rule about a type applies whichever tool starts an agent of it', async () => {
  const it = await family(
    { main: [calls({ name: 'Architect', input: { prompt: 'child: plan it' } }), says('No.')], child: [says('a plan')] },
    { permissions: { deny: ['Agent(Plan)'] }, toolSwitches: { Architect: true } },
  );
  const { results } = await it.run();
  expect(results).toEqual([{ text: expect.stringContaining('the rule "Agent(Plan)"'), isError: true }]);
});

test('a rule about a type also applies to an agent of that type that is resumed by id', async () => {
  const it = await family(
    {
      main: [
        calls(task('child: go', { subagent_type: 'Explore' })),
        async () => {
          it.place.write('home/.helve/settings.json', { permissions: { deny: ['Agent(Explore)'] } });
          const id = idIn(JSON.stringify(it.asked.at(-1)?.messages));
          return calls(task('child: more', { resume: id }));
        },
        async () => calls(task('child: more', { resume: idIn(JSON.stringify(it.asked.at(-1)?.messages)) })),
        says('No.'),
      ],
      child: [says('first'), says('second'), says('third')],
    },
    { keepSession: true },
  );
  const { results } = await it.run();
  expect(results.at(-1)).toEqual({ text: expect.stringContaining('the rule "Agent(Explore)"'), isError: true });
});

test('a program that returns the unchanged input with its approval is asked once', async () => {
  let asked = 0;
  const it = await family(
    { main: [calls(task('child: go', { subagent_type: 'explore' })), says('Well.')], child: [says('hello')] },
    {
      permissions: { ask: ['Agent(Explore)'] },
      askPermission: async ({ input }) => {
        asked += 1;
        if (asked > 3) return { behavior: 'deny' };
        return { behavior: 'allow', updatedInput: JSON.parse(JSON.stringify(input)) };
      },
    },
  );
  const { results } = await it.run();
  expect(results).toEqual([{ text: expect.stringMatching(/^hello/), isError: false }]);
  expect(asked).toBe(1);
});

test.each([{ subagent_type: 'Explore' }, { subagent_type: 'explore' }])(
  'a rule that asks about a type asks with %j',
  async (input) => {
    const questions: PermissionQuestion[] = [];
    const it = await family(
      { main: [calls(task('child: go', input)), says('Well.')], child: [says('hello')] },
      {
        permissions: { ask: ['Agent(Explore)'] },
        askPermission: async (question) => {
          questions.push(question);
          return { behavior: 'allow' };
        },
      },
    );
    const { results } = await it.run();
    expect(questions).toMatchObject([{ tool: 'Task', reason: expect.stringContaining('the rule "Agent(Explore)"') }]);
    expect(results).toEqual([{ text: expect.stringMatching(/^hello/), isError: false }]);
  },
);

test('hooks get the type of the agent, can add to its prompt, and can make it continue once', async () => {
  const seen: Array<Record<string, unknown>> = [];
  let blocks = 1;
  const it = await family(
    {
      main: [calls(task('child: go')), says('Done.')],
      child: [calls({ name: 'LS', input: { path: '.' } }), says('I am done.'), says('Now with tests.')],
    },
    {
      keepSession: true,
      hooks: {
        SubagentStart: [
          {
            matcher: 'general-purpose',
            hooks: [
              async (input) => {
                seen.push({ ...input });
                return { hookSpecificOutput: { additionalContext: 'Mind the tests.' } };
              },
            ],
          },
        ],
        SubagentStop: [
          {
            hooks: [
              async (input) => {
                seen.push({ ...input });
                blocks -= 1;
                return blocks >= 0 ? { decision: 'block', reason: 'The tests are missing.' } : {};
              },
            ],
          },
        ],
        PreToolUse: [{ matcher: 'LS', hooks: [async (input) => void seen.push({ ...input })] }],
        Stop: [{ hooks: [async (input) => void seen.push({ ...input })] }],
        UserPromptSubmit: [{ hooks: [async (input) => void seen.push({ ...input })] }],
      },
    },
  );
  const { results } = await it.run();
  expect(results[0]?.text).toMatch(/^Now with tests\./);
  const id = idIn(results[0]?.text);
  const agent = { agent_id: id, agent_type: 'general-purpose' };
  const agent_transcript_path = join(
    it.place.dataFolder,
    'sessions',
    it.agent.session.id,
    'agents',
    id,
    'transcript.jsonl',
  );
  expect(seen).toEqual([
    expect.objectContaining({ hook_event_name: 'UserPromptSubmit' }),
    expect.objectContaining({ hook_event_name: 'SubagentStart', ...agent }),
    expect.objectContaining({ hook_event_name: 'PreToolUse', ...agent }),
    expect.objectContaining({
      hook_event_name: 'SubagentStop',
      ...agent,
      agent_transcript_path,
      stop_hook_active: false,
      last_assistant_message: 'I am done.',
    }),
    expect.objectContaining({ hook_event_name: 'SubagentStop', stop_hook_active: true }),
    expect.objectContaining({ hook_event_name: 'Stop' }),
  ]);
  expect(seen.at(-1)).not.toHaveProperty('agent_id');
  const [first] = it.asked.filter(({ who }) => who === 'child');
  expect(JSON.stringify(first?.messages)).toContain('Mind the tests.');
  expect(JSON.stringify(it.asked.filter(({ who }) => who === 'child').at(-1)?.messages)).toContain(
    'The tests are missing.',
  );
});

test('the guide answers from the documentation that comes with Helve', async () => {
  const it = await family(
    {
      main: [calls(task('child: how do hooks work?', { subagent_type: 'claude-code-guide' })), says('So.')],
      child: [
        calls(
          { name: 'HelveDocs', input: {} },
          { name: 'HelveDocs', input: { page: 'hooks' } },
          { name: 'HelveDocs', input: { page: 'guides/write-a-hook' } },
        ),
        says('By hooks.md.'),
      ],
    },
    { permissionMode: 'default' },
  );
  const { children } = await it.run();
  const results = resultsOf(children);
  expect(results).toContainEqual(expect.stringMatching(/^guides\/write-a-hook: Write a hook\. .*^hooks: Hooks\. /ms));
  expect(results).toContainEqual(expect.stringMatching(/^# Write a hook\n/));
  expect(results).toContainEqual(expect.stringMatching(/^# Hooks\n.*PreToolUse/s));
});

test('an agent can be started with a model by name, and an unknown model is reported', async () => {
  const names: Array<string | undefined> = [];
  const asked: Asked[] = [];
  const other = modelOf({ child: [says('small')], again: [says('same')] }, asked);
  const it = await family(
    {
      main: [
        calls(
          task('child: go', { model: 'haiku' }),
          task('again: go', { model: 'opus' }),
          task('third: go', { model: 'none/such' }),
        ),
        says('Well.'),
      ],
    },
    {
      childModel: async (name) => {
        names.push(name);
        if (name === 'opus' || name === 'none/such') throw new ModelFailure('unknown_model', `There is no ${name}.`);
        return { ...other, name: name ?? 'usual' };
      },
    },
  );
  const { results } = await it.run();
  const texts = results.map(({ text }) => text).join('\n');
  expect(texts).toMatch(/small\n\n\[agentId: a\w{8} \(to go on with it, use resume\); haiku, 1 turn, 0 calls/);
  expect(texts).toMatch(/same\n\n\[There is no model "opus" here, so usual was asked\.\]\n\[agentId: a\w{8} .*; usual/);
  expect(texts).toContain('No agent was started: There is no none/such.');
});

test('an agent without tools is not started', async () => {
  const it = await family(
    { main: [calls(task('child: go', { subagent_type: 'odd' })), says('Well.')] },
    { files: { 'home/.claude/agents/odd.md': '---\nname: odd\ndescription: x\ntools: NoSuch\n---\nx' } },
  );
  const { results } = await it.run();
  expect(results).toEqual([
    {
      text: 'The agent type odd would have no tools, so nothing was started: there is no NoSuch here. Use another type.',
      isError: true,
    },
  ]);
});

test('the cost of children is in the result of the run, and their usage in the list of models', async () => {
  const usage = { input_tokens: 1_000_000, output_tokens: 0 };
  const asked: Asked[] = [];
  const model = modelOf(
    {
      main: [
        { ...calls(task('child: go')), usage },
        { ...says('Well.'), usage },
      ],
      child: [
        { ...calls(task('deeper: go')), usage },
        { ...says('hello'), usage },
      ],
      deeper: [{ ...says('hello'), usage }],
    },
    asked,
  );
  const it = await family({}, { model: { ...model, facts: { prices: { input: 2, output: 1 } } } });
  const { result } = await it.run();
  expect(result.usage.input_tokens).toBe(2_000_000); // of its own requests
  expect(result.costUsd).toBe(10);
  expect(result.models.map(({ usage }) => usage.input_tokens)).toEqual([5_000_000]);
});

test('a fork of a session can resume its children too', async () => {
  const it = await family(
    { main: [calls(task('child: go')), says('Well.')], child: [says('first')] },
    { keepSession: true },
  );
  const id = idIn((await it.run()).results[0]?.text);
  const { dataFolder, root } = it.place;
  const resumed = await resumeSession({ dataFolder, root, id: it.agent.session.id, model: 'scripted', fork: true });
  const scripts: Scripts = {
    again: [calls(task('child: more', { resume: id })), says('Done.')],
    child: [says('second')],
  };
  const agent = createAgent({ model: modelOf(scripts, []), retries: false, dataFolder, resumed });
  onTestFinished(() => agent.end());
  const { results } = await runOf(agent, 'again: go on');
  expect(results).toEqual([{ text: expect.stringMatching(/^second/), isError: false }]);
});

test('settings limit a child, and define short names of models', async () => {
  const names: Array<string | undefined> = [];
  const it = await family(
    { main: [calls(task('child: go', { model: 'haiku' })), says('Well.')] },
    {
      files: { 'home/.helve/settings.json': { agents: { maxTurns: 1 }, agentModels: { haiku: 'local/small' } } },
      childModel: async (name) => {
        names.push(name);
        return modelOf({ child: [calls({ name: 'LS', input: { path: '.' } }), says('never')] }, []);
      },
    },
  );
  const { results } = await it.run();
  expect(names).toEqual(['local/small']);
  expect(results).toEqual([{ text: expect.stringContaining('Stopped after one turn'), isError: true }]);
});

test('a child of a child asks the model of its parent', async () => {
  const names: Array<string | undefined> = [];
  const asked: Asked[] = [];
  const small = modelOf({ child: [calls(task('deeper: go')), says('up')], deeper: [says('deep')] }, asked);
  const it = await family(
    { main: [calls(task('child: go', { model: 'haiku' })), says('Well.')] },
    {
      childModel: async (name) => {
        names.push(name);
        return small;
      },
    },
  );
  const { results } = await it.run();
  expect(results).toEqual([{ text: expect.stringMatching(/^up/), isError: false }]);
  expect(names).toEqual(['haiku']);
  expect(asked.map(({ who }) => who)).toEqual(['child', 'deeper', 'child']);
});

test('an agent whose file says Agent(x) may start x and no other, nor may those below it', async () => {
  const written = (name: string, tools: string): string =>
    `---\nname: ${name}\ndescription: does things\ntools: ${tools}\n---\nDo it.`;
  const it = await family(
    {
      main: [calls(task('lead: go', { subagent_type: 'lead' })), says('Well.')],
      lead: [
        calls(task('no: go', { subagent_type: 'Explore' })),
        calls(task('helper: go', { subagent_type: 'helper' })),
        says('Led.'),
      ],
      helper: [calls(task('no: go', { subagent_type: 'general-purpose' })), says('Helped.')],
    },
    {
      files: {
        'project/.claude/agents/team/lead.md': written('lead', 'Read, Agent(helper)'),
        'project/.helve/agents/team/helper.md': written('helper', 'Read, Task'),
      },
    },
  );
  await it.run();
  expect(it.asked.map(({ who }) => who)).toEqual(['main', 'lead', 'lead', 'helper', 'helper', 'lead', 'main']);
  const refused = it.asked
    .flatMap(({ messages }) => JSON.stringify(messages.at(-1)))
    .filter((text) => text.includes('was not started'));
  expect(refused).toEqual([
    expect.stringMatching(
      /agent type Explore was not started: .*lead\.md does not let the agent lead.*It may start: helper\./,
    ),
    expect.stringContaining('agent type general-purpose was not started'),
  ]);
});
