import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandEffect, Effect } from '../contract/effect.js';
import {
  type Behavior,
  type Confinement,
  type DecisionRequest,
  type PermissionMode,
  permissionModes,
  type Walls,
} from '../contract/permission.js';
import { toolTable } from '../tools/index.js';
import { decide } from './engine.js';
import { parseRules } from './parse-rule.js';
import type { Policy } from './policy.js';
import type { RuleLists } from './rule.js';

const tools = toolTable();

const P = '/work/project';
const anchors = { source: [P], project: [P], home: ['/home/me'] };

const policy = (walls: Walls, { mode = 'default', lists = {} }: Setting = {}): Policy => ({
  mode,
  walls,
  workspace: [P],
  dataFolders: ['/home/me/.helve'],
  resultsFolder: '/home/me/.helve/sessions/1/results',
  home: ['/home/me'],
  style: { foldsCase: false, windows: false },
  tools,
  rules: parseRules(lists, { source: { file: 'settings.json' }, anchors, tools }).rules,
});

interface Setting {
  mode?: PermissionMode;
  lists?: RuleLists;
}

const command = (text: string, more: Partial<CommandEffect> = {}): CommandEffect => ({
  kind: 'command',
  text,
  argv: text.split(' '),
  harmless: true,
  ...more,
});
const request = (effects: readonly Effect[], hooks: DecisionRequest['hooks'] = []): DecisionRequest => ({
  tool: 'Bash',
  input: {},
  effects,
  hooks,
});
const file = (access: 'read' | 'write', path: string, by = 0): Effect => ({
  kind: 'file',
  access,
  path,
  real: path,
  by: { command: by, as: 'operand' },
});

const cat = command('cat a');
const awk = command('awk 1 a', { needsWalls: true });
const ps = command('ps', { observes: 'processes' });
const df = command('df', { observes: 'machine' });
const csvlook = command('csvlook a', { harmless: false, needsWalls: true });
const npm = command('npm test', { harmless: false });
const mkdir = command('mkdir x', { harmless: false });

test.each<[string, Effect[], Setting, Behavior, Confinement, Behavior, Confinement]>([
  // name, effects, setting, with walls, without
  ['a plain harmless command', [cat], {}, 'allow', 'reads', 'allow', 'none'],
  ['an intricate harmless command', [awk], {}, 'allow', 'reads', 'ask', 'approved'],
  ['both in one call', [cat, awk], {}, 'allow', 'reads', 'ask', 'approved'],
  ['a program that no table knows', [csvlook], {}, 'allow', 'reads', 'ask', 'approved'],
  ['the same in plan mode', [csvlook], { mode: 'plan' }, 'deny', 'approved', 'deny', 'approved'],
  ['an intricate command in plan mode', [awk], { mode: 'plan' }, 'allow', 'reads', 'ask', 'approved'],
  ['processes', [ps], {}, 'allow', 'reads', 'allow', 'none'],
  ['mounts', [df], {}, 'allow', 'none', 'allow', 'none'],
  ['mounts, filtered by what needs walls', [df, awk], {}, 'ask', 'approved', 'ask', 'approved'],
  [
    'a command that a rule allows',
    [npm],
    { lists: { allow: ['Bash(npm test:*)'] } },
    'allow',
    'approved',
    'allow',
    'approved',
  ],
  [
    'the same with a plain filter',
    [npm, cat],
    { lists: { allow: ['Bash(npm test:*)'] } },
    'allow',
    'approved',
    'allow',
    'approved',
  ],
  [
    'the same with what needs walls',
    [npm, awk],
    { lists: { allow: ['Bash(npm test:*)'] } },
    'ask',
    'approved',
    'ask',
    'approved',
  ],
  [
    'a rule on the harmless part only',
    [cat, awk],
    { lists: { allow: ['Bash(cat:*)'] } },
    'allow',
    'reads',
    'ask',
    'approved',
  ],
  ['a rule on all of it', [awk], { lists: { allow: ['Bash(awk:*)'] } }, 'allow', 'approved', 'allow', 'approved'],
  [
    'a rule on every command',
    [cat, awk, npm],
    { lists: { allow: ['Bash'] } },
    'allow',
    'approved',
    'allow',
    'approved',
  ],
  [
    'an edit that the mode covers',
    [mkdir, file('write', `${P}/x`)],
    { mode: 'acceptEdits' },
    'allow',
    'edits',
    'allow',
    'none',
  ],
  ['an edit that nothing covers', [mkdir, file('write', `${P}/x`)], {}, 'ask', 'approved', 'ask', 'approved'],
  [
    'a write that a rule on files allows',
    [cat, file('write', `${P}/out`)],
    { lists: { allow: ['Edit(out)'] } },
    'allow',
    'edits',
    'allow',
    'none',
  ],
  ['a deny rule', [awk], { lists: { deny: ['Bash(awk:*)'] } }, 'deny', 'approved', 'deny', 'approved'],
  ['an ask rule', [awk], { lists: { ask: ['Bash(awk:*)'] } }, 'ask', 'approved', 'ask', 'approved'],
  ['the mode that allows all', [awk, npm], { mode: 'bypassPermissions' }, 'allow', 'approved', 'allow', 'approved'],
  ['dontAsk', [awk], { mode: 'dontAsk' }, 'allow', 'reads', 'deny', 'approved'],
])('%s', (_name, effects, setting, full, heldFull, none, heldNone) => {
  expect(decide(request(effects), policy('full', setting))).toMatchObject({ behavior: full, confinement: heldFull });
  expect(decide(request(effects), policy('none', setting))).toMatchObject({ behavior: none, confinement: heldNone });
});

test('a call without commands has no confinement', () => {
  expect(decide({ tool: 'Read', input: {}, effects: [] }, policy('full'))).not.toHaveProperty('confinement');
});

test('a call that a hook allows counts as approved', () => {
  const hooks = [{ behavior: 'allow' as const }];
  expect(decide(request([npm], hooks), policy('full'))).toMatchObject({ behavior: 'allow', confinement: 'approved' });
});

const strictness: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

test('confinement loosens an answer only for harmless commands that need it, and never beyond allow', () => {
  const effect = fc.constantFrom<Effect>(
    cat,
    awk,
    ps,
    df,
    csvlook,
    npm,
    mkdir,
    file('read', `${P}/a`),
    file('write', `${P}/x`),
    file('read', '/etc/x'),
    { kind: 'unknown', why: 'x' },
    { kind: 'network', url: 'https://x.test' },
  );
  const rule = fc.constantFrom('Bash(npm test:*)', 'Bash(awk:*)', 'Bash', 'Edit(x)', 'Read(//etc/x)', 'Bash(cat:*)');
  const lists = fc.record({ allow: fc.array(rule), ask: fc.array(rule), deny: fc.array(rule) });
  fc.assert(
    fc.property(
      fc.array(effect, { minLength: 1, maxLength: 4 }),
      lists,
      fc.constantFrom(...permissionModes),
      (effects, given, mode) => {
        const full = decide(request(effects), policy('full', { mode, lists: given }));
        const none = decide(request(effects), policy('none', { mode, lists: given }));
        expect(strictness[full.behavior]).toBeLessThanOrEqual(strictness[none.behavior]);
        const needing = effects.some((one) => one.kind === 'command' && one.needsWalls);
        if (!needing) expect(full.behavior).toBe(none.behavior);
        if (full.behavior !== none.behavior) expect(['reads', 'edits']).toContain(full.confinement);
      },
    ),
  );
});
