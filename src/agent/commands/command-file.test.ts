import { expect, test } from 'vitest';
import { type Command, type CommandOrigin, readCommand } from './command-file.js';
import { listedCommands } from './list-commands.js';

const origin: CommandOrigin = { name: 'fix', kind: 'command', source: 'user', shown: '~/fix.md', folder: '/home/me' };

test('reads all fields of a command file', async () => {
  const text = `---
description: Fix an issue
when_to_use: When there is one
argument-hint: [issue]
arguments: issue branch
allowed-tools: Bash(git add:*), Bash(git commit -m "a, b"), Read
disallowed-tools: [Write]
model: haiku
---

Fix $issue.
`;
  expect(await readCommand(origin, text)).toEqual({
    ...origin,
    description: 'Fix an issue When there is one',
    isDescribed: true,
    argumentHint: '[issue]',
    argumentNames: ['issue', 'branch'],
    allowedTools: ['Bash(git add:*)', 'Bash(git commit -m "a, b")', 'Read'],
    disallowedTools: ['Write'],
    model: 'haiku',
    forModel: true,
    forPerson: true,
    body: 'Fix $issue.',
  });
});

test('uses the first line if there is no description, but does not list it for the model', async () => {
  expect(await readCommand(origin, '\n# Tidy up\n\nAll of it.')).toMatchObject({
    description: 'Tidy up',
    isDescribed: false,
  });
});

test.each([
  ['disable-model-invocation: true', { forModel: false, forPerson: true }],
  ['disable-model-invocation: maybe', { forModel: false, forPerson: true }],
  ['disable-model-invocation: false', { forModel: true, forPerson: true }],
  ['user-invocable: false', { forModel: true, forPerson: false }],
  ['user-invocable: maybe', { forModel: true, forPerson: false }],
])('reads %s', async (line, expected) => {
  expect(await readCommand(origin, `---\n${line}\n---\nx`)).toMatchObject(expected);
});

test('a command with invalid front matter cannot be used, and the problem names the line', async () => {
  const command = await readCommand(origin, '---\nallowed-tools: a: b\n---\nx');
  expect(command).toMatchObject({ forModel: false, body: '' });
  expect(command.problem).toMatch(/^~\/fix\.md: line 2: the front matter is not valid YAML/);
});

test.each([
  ['disallowedTools: Bash', 'disallowed-tools'],
  ['disallowed-tool: Bash', 'disallowed-tools'],
  ['disable_model_invocation: true', 'disable-model-invocation'],
])('a command with the misspelled restriction "%s" cannot be used', async (line, meant) => {
  const [field] = line.split(':');
  const { problem, forModel } = await readCommand(origin, `---\n${line}\n---\nx`);
  expect(problem).toBe(`~/fix.md: there is no field "${field}". Write "${meant}".`);
  expect(forModel).toBe(false);
});

test('a command with a misspelled permission field can be used, with a warning', async () => {
  const command = await readCommand(origin, '---\nallowedTools: Bash\nversion: 1\n---\nx');
  expect(command).toMatchObject({ body: 'x', allowedTools: [] });
  expect(command.warning).toBe('~/fix.md: there is no field "allowedTools". Write "allowed-tools".');
});

const listed = async (count: number, description: string): Promise<Command[]> =>
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      readCommand({ ...origin, kind: 'skill', name: `skill-${number}` }, `---\ndescription: ${description}\n---\n`),
    ),
  );

test('the list has one line for each command, and long descriptions are shortened', async () => {
  expect(listedCommands(await listed(2, 'Does <it>'))).toEqual(['- skill-0: Does &lt;it>', '- skill-1: Does &lt;it>']);
  const [line] = listedCommands(await listed(1, 'x'.repeat(1_000)));
  expect(line).toHaveLength(301);
});

test.each([100, 3_000])('a list of %i stays within its budget, and names before it describes', async (count) => {
  const lines = listedCommands(await listed(count, 'x'.repeat(250)));
  expect(lines.join('\n').length).toBeLessThan(8_100);
  expect(lines.length).toBeGreaterThanOrEqual(Math.min(count, 500));
  if (count > 500) expect(lines.at(-1)).toBe(`(${count - lines.length + 1} more, each to be called by its name)`);
});
