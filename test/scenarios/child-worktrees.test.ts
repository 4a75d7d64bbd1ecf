import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../../src/contract/model.js';
import { type ScriptedTurn, scriptedModel } from '../../src/models/scripted.js';
import { findRecords } from '../../src/platform/worktrees/worktree-record.js';
import { watchSettings } from '../../src/settings/watch.js';
import { repositoryIn } from '../../src/testing/git-repository.js';
import { machine } from '../../src/testing/temporary-machine.js';

type Turn = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn);

/** Answers by conversation: an agent whose prompt is "NAME: …" gets the turns of that name, and that of step 1 of a plan "step1". */
function modelOf(scripts: Readonly<Record<string, readonly Turn[]>>, asked: ModelRequest[]): Model {
  const turns = new Map<string, number>();
  return {
    ...scriptedModel({ turns: [] }),
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      const texts = request.messages.flatMap(({ role, content }) =>
        role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
      );
      const [, step] = /You do step (\S+) of a plan/.exec(texts.join('\n')) ?? [];
      const name = texts.findLast((text) => /^\w+: /.test(text))?.split(':')[0] ?? 'main';
      const who = step === undefined ? name : `step${step}`;
      asked.push({ ...request, messages: structuredClone(request.messages) });
      const number = turns.get(who) ?? 0;
      turns.set(who, number + 1);
      const next = scripts[who]?.[number];
      if (!next) throw new ModelFailure('invalid_request', `${who} has no turn ${number + 1}.`, { transient: false });
      yield* scriptedModel({ turns: [typeof next === 'function' ? next(request) : next] }).stream(request, signal);
    },
  };
}

interface Options extends Partial<FullAgentOptions> {
  files?: Readonly<Record<string, string>>;
  settings?: never;
  projectSettings?: Readonly<Record<string, unknown>>;
}

async function family(scripts: Readonly<Record<string, readonly Turn[]>>, given: Options = {}) {
  const { files, projectSettings = {}, ...options } = given;
  const place = machine({ 'project/.helve/settings.json': projectSettings });
  const repository = await repositoryIn(place.root, { '.gitignore': '.helve\n', ...files });
  const asked: ModelRequest[] = [];
  const agent = createAgent({
    model: modelOf(scripts, asked),
    retries: false,
    root: place.root,
    home: place.home,
    dataFolder: place.dataFolder,
    permissionMode: 'bypassPermissions',
    settings: await watchSettings({ ...place, trust: true }),
    ...options,
  });
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= agent.end());
  onTestFinished(end);
  const run = async (): Promise<string[]> => {
    const results: string[] = [];
    for await (const event of agent.run('main: go'))
      if (event.type === 'tool_result') results.push(String(event.result.content));
    return results;
  };
  const branches = () => repository.git('branch', '--format=%(refname:short)').trim().split('\n');
  return {
    ...repository,
    agent,
    place,
    asked,
    run,
    end,
    branches,
    worktrees: () => findRecords(place.dataFolder).records,
  };
}

const task = (name: string, more: Record<string, unknown> = {}) => ({
  name: 'Task',
  input: { description: `work of ${name}`, prompt: `${name}: go`, isolation: 'worktree', ...more },
});
const edit = (file: string, from: string, to: string): ScriptedTurn[] => [
  { calls: [{ name: 'Read', input: { file_path: file } }] },
  { calls: [{ name: 'Edit', input: { file_path: file, old_string: from, new_string: to } }] },
];

test('ten children edit the same files side by side, each in a worktree; git merges what it can, and nothing is left behind', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
  const lines = names.map((name) => `line of ${name}\n\n\n\n`).join('');
  const scripts = Object.fromEntries(
    names.map((name, index): [string, Turn[]] => [
      name,
      [
        // Each its own part of one file; the last two also the same line of another.
        ...edit('shared.txt', `line of ${name}\n`, `done by ${name}\n`),
        ...(index >= 8 ? edit('a.txt', 'a\n', `${name}\n`) : []),
        { calls: [{ name: 'Bash', input: { command: 'pwd > where.txt && cat where.txt && rm where.txt' } }] },
        { text: `${name} is done` },
      ],
    ]),
  );
  const here = await family(
    { ...scripts, main: [{ calls: names.map((name) => task(name)) }, { text: 'all done' }] },
    { files: { 'shared.txt': lines }, projectSettings: { worktree: { end: 'merge' } } },
  );
  const results = await here.run();
  const merged = results.filter((text) => text.includes('was merged into'));
  const kept = results.filter((text) => text.includes('conflicts with the project in a.txt'));
  expect([merged.length, kept.length]).toEqual([9, 1]);
  expect((await readFile(join(here.root, 'shared.txt'), 'utf8')).match(/done by c\d/g)).toHaveLength(9);
  expect(here.git('status', '--porcelain')).toBe('');
  expect(here.worktrees()).toHaveLength(1);
  expect(here.branches()).toHaveLength(2);
  expect(here.git('worktree', 'list').trim().split('\n')).toHaveLength(2);
});

test('the parent learns the branch, the place and the changed files; its own changes of files wait for nobody', async () => {
  const here = await family({
    c: [...edit('a.txt', 'a\n', 'b\n'), { text: 'c is done' }],
    main: [{ calls: [task('c')] }, { text: 'done' }],
  });
  const [result = ''] = await here.run();
  const [record] = here.worktrees();
  expect(record).toMatchObject({ isOfAgent: true, state: 'ready' });
  expect(result).toContain(
    `Its work is on the branch ${record?.branch}, in the worktree ${record?.folder}; 1 changed file: a.txt.`,
  );
  expect(here.git('show', `${record?.branch}:a.txt`)).toBe('b\n');
  expect(await readFile(join(here.root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(here.asked.find(({ system }) => JSON.stringify(system).includes('git worktree of your own'))).toBeDefined();
});

test('each step of a plan has a worktree, which is merged before the steps that depend on it; a conflict fails its step', async () => {
  const plan = ['1. Change b', '2. Change it again, after step 1', '3. Change a', '4. Change a too'].join('\n');
  const exit = { name: 'ExitPlanMode', input: { plan, launchSwarm: true, teammateCount: 4, isolation: 'worktree' } };
  const here = await family(
    {
      main: [{ calls: [exit] }, { text: 'done' }],
      step1: [...edit('src/b.txt', 'b\n', 'one\n'), { text: 'ok' }],
      step2: [...edit('src/b.txt', 'one\n', 'two\n'), { text: 'ok' }],
      step3: [...edit('a.txt', 'a\n', 'three\n'), { text: 'ok' }],
      step4: [...edit('a.txt', 'a\n', 'four\n'), { text: 'ok' }],
    },
    { permissionMode: 'plan', askPermission: async () => ({ behavior: 'allow' }) },
  );
  const [result = ''] = await here.run();
  expect(await readFile(join(here.root, 'src/b.txt'), 'utf8')).toBe('two\n');
  expect(['three\n', 'four\n']).toContain(await readFile(join(here.root, 'a.txt'), 'utf8'));
  expect(result.match(/conflicts with the project in a\.txt/g)).not.toBeNull();
  expect(here.git('status', '--porcelain')).toBe('');
  expect(here.branches()).toHaveLength(2); // that of the conflict stays
  expect(here.worktrees()).toMatchObject([{ isOfAgent: true, state: 'ready' }]);
});

test('a child in a worktree that is interrupted leaves its changes on its branch', async () => {
  const stop = new AbortController();
  const here = await family({
    c: [
      ...edit('a.txt', 'a\n', 'b\n'),
      () => {
        stop.abort();
        return { calls: [{ name: 'Bash', input: { command: 'sleep 100' } }] };
      },
    ],
    main: [{ calls: [task('c')] }, { text: 'done' }],
  });
  await here.agent.run('main: go', { signal: stop.signal }).result;
  await here.end();
  const [record] = here.worktrees();
  expect(record).toMatchObject({ isOfAgent: true, state: 'ready' });
  expect(record?.owner).toBeUndefined();
  expect(here.git('show', `${record?.branch}:a.txt`)).toBe('b\n');
  expect(await readFile(join(here.root, 'a.txt'), 'utf8')).toBe('a\n');
});

test('a child in a worktree reads the project, and can change neither it nor the worktree of another', async () => {
  const inProject = (root: string) => ({ name: 'Write', input: { file_path: join(root, 'x.txt'), content: 'x' } });
  const place: { root: string } = { root: '' };
  const here = await family({
    c: [
      () => ({ calls: [inProject(place.root), { name: 'Bash', input: { command: `echo x > ${place.root}/y.txt` } }] }),
      () => ({ calls: [{ name: 'Read', input: { file_path: join(place.root, 'a.txt') } }] }),
      { text: 'c is done' },
    ],
    main: [{ calls: [task('c')] }, { text: 'done' }],
  });
  place.root = here.root;
  await here.run();
  const said = JSON.stringify(here.asked.map(({ messages }) => messages.at(-1)));
  expect(said).toMatch(/this agent works in the worktree .*outside of it.*the same file in its worktree is/);
  expect(['x.txt', 'y.txt'].filter((name) => existsSync(join(here.root, name)))).toEqual([]);
  expect(here.worktrees()).toEqual([]);
});

test('rules of the project hold for a child in a worktree, and a rule that was agreed to names the file of the project', async () => {
  const saved: string[] = [];
  const here = await family(
    {
      c: [
        { calls: [{ name: 'Read', input: { file_path: 'secret.txt' } }] },
        { calls: [{ name: 'Write', input: { file_path: 'made/x.txt', content: 'x' } }] },
        { text: 'c is done' },
      ],
      main: [{ calls: [task('c')] }, { text: 'done' }],
    },
    {
      files: { 'secret.txt': 'SECRET\n' },
      projectSettings: { permissions: { deny: ['Read(/secret.txt)'] } },
      permissionMode: 'default',
      saveRule: async (rule) => void saved.push(rule),
      askPermission: async ({ suggestions }) => ({
        behavior: 'allow',
        remember: { rules: suggestions, scope: 'always' },
      }),
    },
  );
  await here.run();
  expect(JSON.stringify(here.asked)).not.toContain('SECRET\\n');
  expect(saved.filter((rule) => rule.includes('worktrees'))).toEqual([]);
});

test('an agent type with isolation works in a worktree; a type with another value is left out', async () => {
  const type = (name: string, isolation: string) =>
    `---\nname: ${name}\ndescription: x\nisolation: ${isolation}\n---\nWork.\n`;
  const here = await family({
    c: [{ calls: [{ name: 'Write', input: { file_path: 'x.txt', content: 'x' } }] }, { text: 'c is done' }],
    main: [{ calls: [task('c', { isolation: undefined, subagent_type: 'alone' })] }, { text: 'done' }],
  });
  here.place.write('project/.claude/agents/alone.md', type('alone', 'worktree'));
  here.place.write('project/.claude/agents/odd.md', type('odd', 'container'));
  await here.run();
  expect(here.worktrees()).toHaveLength(1);
  expect(existsSync(join(here.root, 'x.txt'))).toBe(false);
});

test('without a repository no agent is started, rather than one in the project itself', async () => {
  const here = await family({ main: [{ calls: [task('c')] }, { text: 'done' }] });
  await rm(join(here.root, '.git'), { recursive: true });
  const [result] = await here.run();
  expect(result).toMatch(/is not in a git repository/);
  expect(here.asked).toHaveLength(2);
});

test('a resumed child goes back to its worktree', async () => {
  let id = '';
  const here = await family({
    c: [
      { calls: [{ name: 'Write', input: { file_path: 'x.txt', content: 'x' } }] },
      { text: 'first' },
      { calls: [{ name: 'Write', input: { file_path: 'y.txt', content: 'y' } }] },
      { text: 'second' },
    ],
    main: [
      { calls: [task('c')] },
      (request) => {
        id = /agentId: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? '';
        return { calls: [task('c', { resume: id, isolation: undefined })] };
      },
      { text: 'done' },
    ],
  });
  await here.run();
  const [record] = here.worktrees();
  expect(record?.name).toBe(`agent-${id}`);
  expect(readdirSync(record?.folder ?? '').filter((name) => /^[xy]\.txt$/.test(name))).toEqual(['x.txt', 'y.txt']);
  expect(existsSync(join(here.root, 'y.txt'))).toBe(false);
});

test('a child of a child in a worktree starts from the branch of its parent, and is merged into it', async () => {
  const here = await family(
    {
      inner: [
        { calls: [{ name: 'Write', input: { file_path: 'inner.txt', content: 'x' } }] },
        { text: 'inner is done' },
      ],
      outer: [{ calls: [task('inner')] }, { text: 'outer is done' }],
      main: [{ calls: [task('outer')] }, { text: 'done' }],
    },
    { projectSettings: { worktree: { end: 'merge' } } },
  );
  await here.run();
  expect(existsSync(join(here.root, 'inner.txt'))).toBe(true);
  expect(here.worktrees()).toEqual([]);
  expect(here.branches()).toEqual(['main']);
});
