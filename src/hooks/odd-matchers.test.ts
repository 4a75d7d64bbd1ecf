import { expect, test } from 'vitest';
import { toolTable } from '../tools/index.js';
import { meantEvent, oddMatcher } from './odd-matchers.js';

const toolNames = ['Bash', 'Edit', 'Write', 'Read', 'Task', 'KillShell', 'apply_patch', 'deploy'];

test.each([
  ['bash', '"bash"', 'Bash'],
  ['Bash|edit', '"edit"', 'Edit'],
  ['EDIT, Write', '"EDIT"', 'Edit'],
  ['Bsah', '"Bsah"', 'Bash'],
  ['^bash$', '"^bash$"', 'Bash'],
  ['bash.*', '"bash.*"', 'Bash'],
])('%s matches nothing, and the nearest name is suggested', (matcher, named, meant) => {
  const said = oddMatcher('PreToolUse', matcher, { toolNames, tools: toolTable() });
  expect(said).toContain(named);
  expect(said).toContain(`Did you mean "${meant}"?`);
});

test.each([
  ['Bash(git *)', 'write "matcher": "Bash", and "if": "Bash(git *)"'],
  ['/Bash/', 'write "Bash"'],
  ['/^Bash$/i', 'write "^Bash$"'],
  ['BashTool', 'Did you mean "Bash"?'],
  ['Shell', 'Did you mean "Bash"?'],
  ['Write|run_command', 'Did you mean "Bash"?'],
  ['mcp__gh', 'Write "mcp__gh__.*" for all tools of that server.'],
  ['Bash;Edit', 'Write "Bash|Edit".'],
  ['Edit; write', 'Write "Edit|Write".'],
  ['Bash Edit', 'Write "Bash|Edit".'],
  ['Read|Bash Edit', '"Bash Edit" matches no tool. Write "Bash|Edit".'],
  ['"Bash"', '"\\"Bash\\"" matches no tool. Write "Bash".'],
  ['Bash\n', '"Bash\\n" matches no tool. Write "Bash".'],
  ['tool:Bash', 'Write "Bash".'],
  ['Foo;Bar', 'Separate names by "|".'],
  [' ', 'Write "*" for all tools.'],
  ['|', 'Write "*" for all tools.'],
  ['\\*', 'Write "*" for all tools.'],
  ['all', 'Write "*" for all tools.'],
  ['any_tool', 'Write "*" for all tools.'],
])('%s matches nothing, and a correction is suggested', (matcher, next) => {
  expect(oddMatcher('PreToolUse', matcher, { toolNames, tools: toolTable() })).toContain(next);
});

test.each([
  '',
  '*',
  'Bash',
  'Edit|Write',
  'Agent',
  'KillBash',
  '.*',
  'mcp__github__x',
  'mcp__.*',
  'PowerShell',
  'LSP',
  'deploy',
  '^Notebook',
  'mcp__my server__x y',
  'mcp__my.server__.* y',
  'Bash;Edit|Bash',
])('%j is not reported', (matcher) => {
  expect(oddMatcher('PreToolUse', matcher, { toolNames, tools: toolTable() })).toBeUndefined();
});

test('matchers of events without a tool are not reported', () => {
  expect(oddMatcher('SessionStart', 'bash', { toolNames, tools: toolTable() })).toBeUndefined();
});

test('suggests the nearest event, except for events of other systems', () => {
  expect(['PretoolUse', 'pre_tool_use', 'PreToolUses', 'before_tool'].map(meantEvent)).toEqual(
    Array(4).fill('PreToolUse'),
  );
  expect(['TaskCompleted', 'TeammateIdle', 'FileChanged'].map(meantEvent)).toEqual([undefined, undefined, undefined]);
});
