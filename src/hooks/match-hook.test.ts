import { expect, test } from 'vitest';
import { toolTable } from '../tools/index.js';
import { matchedNames, readMatcher } from './match-hook.js';

const tools = toolTable();

function matches(text: string, tool: string): boolean {
  const names = matchedNames('PreToolUse', { tool_name: tool, tool_input: {}, tool_use_id: '1' }, tools) ?? [];
  const matcher = readMatcher(text);
  return typeof matcher === 'function' && names.some(matcher);
}

test.each([
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['bash', 'Bash', false],
  ['Edit|Write', 'Write', true],
  ['Edit | Write', 'Write', true],
  ['Edit, Write', 'Write', true],
  ['Edit|Write', 'Read', false],
  ['Edit|Write|MultiEdit', 'MultiEdit', true],
  ['Edit|', 'Read', false],
  // Names separated by bars are whole names; any other pattern matches anywhere.
  ['mcp__memory', 'mcp__memory__store', false],
  ['mcp__memory__.*', 'mcp__memory__store', true],
  ['mcp__.*__write.*', 'mcp__files__write_file', true],
  ['mcp__.*__write.*', 'mcp__files__read_file', false],
  ['Edit.*', 'NotebookEdit', true],
  ['^Edit', 'NotebookEdit', false],
  ['^(Read|Glob)$', 'Glob', true],
  ['.*', 'Bash', true],
  // Tools that were added or removed after the hook was written.
  ['Edit|Write', 'MultiEdit', true],
  ['Edit|Write', 'apply_patch', true],
  ['Edit', 'NotebookEdit', false],
  ['Task', 'Task', true],
  ['Agent', 'Task', true],
  ['Task', 'Agent', true],
  ['KillBash', 'KillShell', true],
  ['constructor', 'constructor', true],
])('the matcher "%s" on %s: %s', (matcher, tool, expected) => {
  expect(matches(matcher, tool)).toBe(expected);
});

test('tests the field that the event is about, and ignores the matcher if the event has none', () => {
  expect(matchedNames('SessionStart', { source: 'resume' }, tools)).toEqual(['resume']);
  expect(matchedNames('SessionEnd', { reason: 'other' }, tools)).toEqual(['other']);
  expect(matchedNames('Notification', { message: '', notification_type: 'idle_prompt' }, tools)).toEqual([
    'idle_prompt',
  ]);
  expect(matchedNames('PreCompact', { trigger: 'auto', custom_instructions: '' }, tools)).toEqual(['auto']);
  expect(matchedNames('UserPromptSubmit', { prompt: 'hello' }, tools)).toBeNull();
  expect(matchedNames('Stop', { stop_hook_active: false }, tools)).toBeNull();
});

test('reports an invalid pattern, and how to write it', () => {
  expect(readMatcher('*Edit')).toEqual({
    problem: expect.stringMatching(/^"\*Edit" is not a regular expression .* Write "\.\*" where any text may stand\.$/),
  });
  expect(readMatcher('(')).toEqual({ problem: expect.stringContaining('"(" is not a regular expression') });
});

test('a pattern that would run forever is stopped, and counts as a match', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(60)}!`)).toBe(true);
});

test.each([
  ['mcp__my server__delete.file', 'mcp__my_server__delete_file'],
  ['mcp__my server__delete', 'mcp__my_server__delete'],
  ['mcp__gh__repo/.*', 'mcp__gh__repo_delete'],
  ['mcp__GH__repo', 'mcp__gh__repo'],
  ['Bash|mcp__gh__repo', 'mcp__gh__repo'],
])('the matcher %s, in the spelling of the server, matches %s', (written, name) => {
  const matches = readMatcher(written);
  if ('problem' in matches) throw new Error(matches.problem);
  expect([matches(name), matches('mcp__other__repo'), matches('mcp__ghost__repo')]).toEqual([true, false, false]);
});
