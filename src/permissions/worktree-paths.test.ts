import { expect, test } from 'vitest';
import { checkedEffects } from '../contract/check-effects.js';
import type { FileEffect } from '../contract/effect.js';
import type { PermissionMode } from '../contract/permission.js';
import { toolTable } from '../tools/index.js';
import { deniedReads } from './denied-reads.js';
import { decide, showing } from './engine.js';
import { parseRules } from './parse-rule.js';
import { unreadableInWorktrees } from './worktree-paths.js';

const data = '/home/u/.helve';
/** That of the session, and one of a child agent that was made from it. */
const worktrees = [
  { folder: `${data}/worktrees/p/one`, top: '/home/u/p' },
  { folder: `${data}/worktrees/p/agent-a`, top: `${data}/worktrees/p/one` },
];
const [one, inner] = worktrees.map(({ folder }) => folder);

function policyOf(lists: { allow?: string[]; deny?: string[]; ask?: string[] }, mode: PermissionMode = 'default') {
  const tools = toolTable();
  const project = ['/home/u/p'];
  const { rules } = parseRules(lists, {
    ...{ source: { file: 'settings' }, tools },
    anchors: { source: project, project, home: ['/home/u'] },
  });
  const places = {
    workspace: worktrees.map(({ folder }) => folder),
    resultsFolder: `${data}/results`,
    dataFolders: [data],
  };
  return { ...places, mode, tools, worktrees, rules: rules.map((rule) => ({ ...rule, trusted: true })) };
}

const file = (path: string, access: 'read' | 'write' = 'read', more: Partial<FileEffect> = {}): FileEffect => ({
  ...{ kind: 'file', access, path, real: path },
  ...more,
});
const behavior = (effect: FileEffect, lists: Parameters<typeof policyOf>[0], mode?: PermissionMode): string =>
  decide({ tool: effect.access === 'read' ? 'Read' : 'Edit', input: {}, effects: [effect] }, policyOf(lists, mode))
    .behavior;

test.each([
  'Read(/secret/**)',
  'Read(secret/**)',
  'Read(//home/u/p/secret/**)',
  'Read(~/p/secret/**)',
  'Read(//home/*/p/**/key)',
])('the deny rule %s holds in a worktree, and in one that was made from it', (rule) => {
  for (const top of ['/home/u/p', one, inner]) {
    expect(behavior(file(`${top}/secret/key`), { deny: [rule] })).toBe('deny');
    expect(behavior(file(`${top}/open/x`, 'write'), { deny: [rule] }, 'acceptEdits')).toBe(
      top === '/home/u/p' ? 'ask' : 'allow',
    );
    expect(showing(policyOf({ deny: [rule] }))(`${top}/secret/key`)).toBe(false);
  }
});

test('an allow rule of the project allows the same file in a worktree, and no link out of it', () => {
  const allow = ['Edit(/src/**)'];
  expect(behavior(file(`${inner}/src/x`, 'write'), { allow })).toBe('allow');
  expect(behavior(file(`${one}/other`, 'write'), { allow })).toBe('ask');
  expect(behavior(file(`${one}/src/x`, 'write', { real: '/etc/passwd' }), { allow })).toBe('ask');
});

test('the rest of the data folder stays denied, with the records beside the worktrees', () => {
  for (const path of [
    `${data}/trust.json`,
    `${data}/worktrees/p/one.json`,
    `${data}/worktrees/p/two/a`,
    `${data}/worktrees/p`,
  ]) {
    expect(behavior(file(path), {}, 'bypassPermissions')).toBe('deny');
    expect(showing(policyOf({}))(path)).toBe(false);
  }
  expect(behavior(file(`${one}/a`), {})).toBe('allow');
});

test('a tool can not declare names in the project', () => {
  const inProject = [{ path: '/home/u/p/src/x', real: '/home/u/p/src/x' }];
  const [effect] = checkedEffects([file('/etc/x', 'write', { inProject })], 'Tool');
  expect(effect).toEqual(file('/etc/x', 'write'));
});

test('files that commands may not read are found in worktrees', () => {
  const { rules } = policyOf({ deny: ['Read(/secret/**)', 'Read(//home/u/p/*.key)'] });
  const found = unreadableInWorktrees(deniedReads(rules), worktrees);
  expect(found?.starts).toEqual(expect.arrayContaining([`${one}/secret`, `${inner}/secret`, one, inner]));
  expect(found?.matches(`${inner}/secret/a`, { isFolder: false })).toBe(true);
  expect(found?.matches(`${one}/a.key`, { isFolder: false })).toBe(true);
  expect(found?.matches(`${one}/a.txt`, { isFolder: false })).toBe(false);
  expect(found?.mayMatchBelow(`${data}/worktrees`)).toBe(true);
});
