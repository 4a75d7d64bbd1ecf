import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { matchedNames } from '../hooks/match-hook.js';
import { decide } from '../permissions/engine.js';
import { parseRule, parseRules } from '../permissions/parse-rule.js';
import type { RuleLists } from '../permissions/rule.js';
import { changeEffects } from './file-effect.js';
import { builtInTools, toolTable } from './index.js';
import { tableOf } from './tool-table.js';

// A tool that exists only here: rules and hooks know only what it declares.
const stampTool = defineTool({
  name: 'Stamp',
  traits: {
    family: 'edit',
    subject: ['stamped_path'],
    fields: ['stamped_path', 'ink'],
    olderNames: ['StampTool'],
    worksAs: ['Edit'],
  },
  description: 'Puts a stamp on a file.',
  input: z.object({ stamped_path: z.string(), ink: z.string() }),
  effects: ({ stamped_path }, context) => changeEffects(stamped_path, context),
  execute: async () => 'stamped',
  toModel: (text) => text,
});

const tools = tableOf([...builtInTools(), stampTool]);
const anchors = { source: ['/p'], project: ['/p'], home: ['/home/me'] };
const source = { file: 'settings.json' };

const decided = (lists: RuleLists, input: unknown = {}) =>
  decide(
    { tool: 'Stamp', input, effects: [{ kind: 'file', access: 'write', path: '/p/src/a', real: '/p/src/a' }] },
    {
      mode: 'default',
      workspace: ['/p'],
      resultsFolder: '/r',
      dataFolders: [],
      tools,
      rules: parseRules(lists, { source, anchors, tools }).rules,
      style: { foldsCase: false, windows: false },
    },
  ).behavior;

test.each<[RuleLists, string]>([
  [{}, 'ask'],
  [{ allow: ['Edit'] }, 'allow'],
  [{ allow: ['Stamp(src/**)'] }, 'allow'],
  [{ allow: ['StampTool'] }, 'allow'],
  [{ allow: ['Read'] }, 'ask'],
  [{ deny: ['Stamp(./src/a)'], allow: ['Edit'] }, 'deny'],
  [{ deny: ['stamp(src/**)'], allow: ['Edit'] }, 'deny'],
  [{ deny: ['Stamp(ink:red)'], allow: ['Edit'] }, 'deny'],
  [{ deny: ['Stamp(ink:blue)'], allow: ['Edit'] }, 'allow'],
])('rules know a new tool by its traits: %j, %s', (lists, expected) => {
  expect(decided(lists, { stamped_path: 'src/a', ink: 'red' })).toBe(expected);
});

test('a rule that names the field of its specifier gets a warning', () => {
  const { problem } = parseRule('Stamp(stamped_path:src/a)', { list: 'deny', source, anchors, tools });
  expect(problem).toMatchObject({
    severity: 'warning',
    reason: expect.stringContaining('names the field "stamped_path", which is what Stamp rules are about anyway'),
  });
});

test('hooks match a new tool by its older names, and by the names of tools that it replaces', () => {
  const names = matchedNames('PreToolUse', { tool_name: 'Stamp', tool_input: {}, tool_use_id: '1' }, tools);
  expect(names).toEqual(['Stamp', 'StampTool', 'Edit']);
});

test('every name in worksAs is an older name of a tool, or a familiar one', () => {
  const { traits, familiarNames } = toolTable();
  const others = [...traits.values()].flatMap(({ worksAs = [] }) => worksAs);
  const older = [...traits.values()].flatMap(({ olderNames = [] }) => olderNames);
  expect(others.filter((name) => !familiarNames.has(name) && !older.includes(name))).toEqual([]);
  expect(older.filter((name, index) => older.indexOf(name) !== index || traits.get(name)?.family)).toEqual([]);
});

test("fields named in traits exist in the tool's schema", () => {
  const accepted = new Set(['name', 'domain']); // another name of a skill; the prefix of a host in a rule
  const unknown = builtInTools().flatMap((tool) => {
    const { subject = [], fields = [] } = toolTable().traits.get(tool.name) ?? {};
    const known = Object.keys(tool.inputSchema['properties'] ?? {});
    return [...subject, ...fields].filter((field) => !known.includes(field) && !accepted.has(field));
  });
  expect(unknown).toEqual([]);
});
