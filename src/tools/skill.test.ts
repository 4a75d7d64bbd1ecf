import { expect, onTestFinished, test } from 'vitest';
import type { FullEngineOptions } from '../compose/options.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { skillTool } from './skill.js';
import { slashCommandTool } from './slash-command.js';

const files = {
  '.helve/skills/report/SKILL.md': '---\ndescription: Reports\n---\nReport on $1.',
  '.helve/commands/git/ship.md': '---\ndescription: Ships\n---\nShip $ARGUMENTS.',
};

async function project(options: Partial<FullEngineOptions> = {}) {
  const made = await temporaryProject(files, { home: '/nowhere', commands: true, ...options });
  onTestFinished(async () => await made.remove());
  return made;
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

test.each([
  [skillTool, { skill: 'report', args: 'costs' }, 'Report on costs.'],
  [skillTool, { skill: ' /report' }, 'Report on .'],
  [slashCommandTool, { command: '/git:ship it  all' }, 'Ship it  all.'],
  [slashCommandTool, { command: 'git:ship' }, 'Ship .'],
])('%o returns the text of the command for %j', async (tool, input, text) => {
  const { content, isError } = await (await project()).run(tool, input);
  expect([isError, textOf(content)]).toEqual([false, expect.stringContaining(text)]);
});

test.each([
  [skillTool, { skill: 'reprt' }, 'There is no skill reprt. Did you mean report?'],
  [skillTool, { skill: 'git:ship' }, 'There is no skill git:ship. There are: report.'],
  [slashCommandTool, { command: '/ship' }, 'There is no command /ship. Did you mean /git:ship?'],
  [slashCommandTool, { command: ' ' }, 'command is missing.'],
])('%o refuses %j', async (tool, input, sentence) => {
  const { content, isError } = await (await project()).run(tool, input);
  expect([isError, textOf(content)]).toEqual([true, expect.stringContaining(sentence)]);
});

test.each([
  ['Skill(report)', skillTool, { skill: '/report' }],
  ['Skill(report)', skillTool, { skill: ' report ', args: 'x' }],
  ['SlashCommand(/git:ship:*)', slashCommandTool, { command: 'git:ship' }],
  ['SlashCommand(/git:ship)', slashCommandTool, { command: ' /git:ship\tnow' }],
])('the rule %s cannot be evaded by another spelling', async (rule, tool, input) => {
  const { failure } = await (await project({ permissions: { deny: [rule] } })).run(tool, input);
  expect(failure).toBe('permission_denied');
});

test('skills and commands have no effects themselves, and are refused if commands are off', async () => {
  const without = await project({ commands: false });
  expect(await without.effects(skillTool, { skill: 'report' })).toEqual([]);
  expect(textOf((await without.run(skillTool, { skill: 'report' })).content)).toContain('not switched on');
  expect(textOf((await without.run(slashCommandTool, { command: '/git:ship' })).content)).toContain('not switched on');
});
