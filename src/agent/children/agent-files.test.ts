import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readAgentTypes } from './agent-files.js';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-agents-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const file = (...lines: string[]): string => ['---', ...lines, '---', 'You review.', ''].join('\n');

test('reads the fields of an agent type, and the text below them as its prompt', async () => {
  const folder = await folderWith({
    'review.md': file(
      'name: reviewer',
      'description: Reviews: all of it',
      'tools: Read, Grep',
      'disallowedTools: [Bash]',
      'model: haiku',
      'permissionMode: plan',
      'maxTurns: 5',
      'color: red',
    ),
  });
  expect(await readAgentTypes([folder])).toEqual({
    types: [
      {
        name: 'reviewer',
        description: 'Reviews: all of it',
        prompt: 'You review.',
        file: join(folder, 'review.md'),
        tools: ['Read', 'Grep'],
        disallowedTools: ['Bash'],
        model: 'haiku',
        mode: 'plan',
        maxTurns: 5,
      },
    ],
    problems: [],
  });
});

test('a type without a name is named after its file, and "inherit" means the model of the parent', async () => {
  const folder = await folderWith({ 'review.md': file('description: d', 'model: inherit') });
  const { types } = await readAgentTypes([folder]);
  expect(types).toEqual([{ name: 'review', description: 'd', prompt: 'You review.', file: join(folder, 'review.md') }]);
});

test('of two types with the same name, the one in the earlier folder is used', async () => {
  const [first, second] = [
    await folderWith({ 'a.md': file('name: one', 'description: first') }),
    await folderWith({ 'a.md': file('name: one', 'description: second'), 'b.md': file('description: b') }),
  ];
  const { types } = await readAgentTypes([join(first, 'nothing'), first, second]);
  expect(types.map(({ name, description }) => [name, description])).toEqual([
    ['one', 'first'],
    ['b', 'b'],
  ]);
});

test.each([
  [file('name: [', 'description: d'), /line 3: the front matter is not valid YAML/],
  [file('name: "a b"', 'description: d'), /line 2: "name" must have letters/],
  [file('name: a'), /line 1: "description" is missing/],
  ['---\ndescription: d\n---\n', /no text below the front matter/],
  [file('description: d', 'tools: 5'), /"tools" must be names/],
  [file('description: d', 'tools: Bash(git *)'), /"tools" holds "Bash\(git \*\)", which is not the name of a tool/],
  [file('description: d', 'permissionMode: free'), /"permissionMode" must be one of/],
  [file('description: d', 'maxTurns: 0'), /line 3: "maxTurns" must be a whole number above 0/],
  [file('description: d', 'model: 5'), /"model" must be the name of a model/],
  [
    file('description: d', 'permissionmode: plan'),
    /line 3: "permissionmode" is not a field of an agent. Write "permissionMode"/,
  ],
  [file('description: d', 'tool: Read'), /line 3: "tool" is not a field of an agent. Write "tools"/],
  [
    file('description: d', 'disallowed-tools: Bash'),
    /line 3: "disallowed-tools" is not a field .* Write "disallowedTools"/,
  ],
  [file('description: d', 'allowed-tools: Read'), /line 3: "allowed-tools" is not a field of an agent. Write "tools"/],
])('an invalid file is reported by name, and skipped: %j', async (text, why) => {
  const folder = await folderWith({ 'bad.md': text, 'good.md': file('description: d') });
  const { types, problems } = await readAgentTypes([folder]);
  expect(types.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([expect.stringMatching(why)]);
  expect(problems[0]).toMatch(new RegExp(`^${join(folder, 'bad.md')}: .* The agent is left out\\.$`));
});

test('an entry that is not a regular file, such as a pipe, is reported and skipped without waiting', async () => {
  const folder = await folderWith({});
  await mkdir(join(folder, 'odd.md'));
  expect((await readAgentTypes([folder])).problems).toEqual([
    `${join(folder, 'odd.md')}: it is not a file. The agent is left out.`,
  ]);
});

test('a field without effect is reported, and the type is still used', async () => {
  const folder = await folderWith({ 'a.md': file('description: d', 'memory: user') });
  const { types, problems } = await readAgentTypes([folder]);
  expect(types).toHaveLength(1);
  expect(problems).toEqual([`${join(folder, 'a.md')}: these fields have no effect here: memory.`]);
});

test('finds types in subfolders, except hidden ones', async () => {
  const folder = await folderWith({
    'a.md': file('description: d'),
    'team/review/b.md': file('description: d'),
    '.git/c.md': file('description: d'),
  });
  const { types, problems } = await readAgentTypes([folder]);
  expect(types.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(problems).toEqual([]);
});

test.each([
  ['tools: Read, Agent(helper, other), Grep', { tools: ['Read', 'Grep', 'Task'], agents: ['helper', 'other'] }],
  ['tools: [Read, "Agent(helper)", "Task(other)"]', { tools: ['Read', 'Task'], agents: ['helper', 'other'] }],
  ['tools: Agent', { tools: ['Agent'] }],
  ['disallowedTools: Agent(helper), Bash', { disallowedTools: ['Bash'], disallowedAgents: ['helper'] }],
])('reads the agents that it may start from %s', async (line, expected) => {
  const { types, problems } = await readAgentTypes([await folderWith({ 'a.md': file('description: d', line) })]);
  expect(problems).toEqual([]);
  const { name: _, description: __, prompt: ___, file: ____, ...rest } = types[0] ?? {};
  expect(rest).toEqual(expected);
});
