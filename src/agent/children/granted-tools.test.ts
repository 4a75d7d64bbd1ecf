import { expect, test } from 'vitest';
import type { AgentType } from './agent-types.js';
import { grantedTools, slipsIn } from './granted-tools.js';

const available = ['Bash', 'Read', 'Task', 'AskUserQuestion', 'mcp__git__log', 'mcp__git__push', 'mcp__gitlab__log'];
const type = (fields: Partial<AgentType>): AgentType => ({ name: 't', description: 'd', prompt: 'p', ...fields });

test.each<[Partial<AgentType>, string[]]>([
  [{}, ['Bash', 'Read', 'Task', 'mcp__git__log', 'mcp__git__push', 'mcp__gitlab__log']],
  [{ tools: ['Read', 'Agent'] }, ['Read', 'Task']],
  [{ tools: ['mcp__git'] }, ['mcp__git__log', 'mcp__git__push']],
  [{ tools: ['mcp__git__*'] }, ['mcp__git__log', 'mcp__git__push']],
  [{ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] }, ['Read']],
  [{ disallowedTools: ['mcp__*', 'Task', 'Bash'] }, ['Read']],
  [{ tools: ['mcp__*'], disallowedTools: ['mcp__GitLab'] }, ['mcp__git__log', 'mcp__git__push']],
  [{ tools: [] }, []],
  [{ tools: ['AskUserQuestion'] }, []],
  [{ disallowedTools: ['*'] }, []],
])('a type with %j gets %j', (fields, names) => {
  expect(grantedTools(type(fields), available).names).toEqual(names);
});

test('reports tools that a type names but that do not exist', () => {
  expect(grantedTools(type({ tools: ['Read', 'Weave'] }), available).missing).toEqual(['Weave']);
});

// With backtracking this would exceed the test's time limit by far.
test('a name with many stars is matched in bounded time', () => {
  const name = `mcp__x__${'a'.repeat(56)}`;
  expect(grantedTools(type({ tools: [`${'*a'.repeat(25)}*b`] }), [name]).names).toEqual([]);
  expect(grantedTools(type({ tools: [`${'*a'.repeat(25)}*`] }), [name]).names).toEqual([name]);
});

test('a probably misspelled tool name is reported, and other unknown names are not', () => {
  const type = { name: 'a', description: 'd', prompt: 'p', file: '/a.md', tools: ['Grepp', 'Bash', 'mcp__x', 'Agent'] };
  expect(slipsIn({ ...type, disallowedTools: ['Wrte', 'Zzz', 'Ex*'] }, ['Bash', 'Grep', 'Task', 'Write'])).toEqual([
    '/a.md: there is no tool Grepp. Did you mean Grep?',
    '/a.md: there is no tool Wrte. Did you mean Write?',
  ]);
});
