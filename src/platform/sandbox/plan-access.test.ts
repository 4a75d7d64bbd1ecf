import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type AccessPlan, planAccess } from './plan-access.js';
import type { SandboxPolicy } from './sandbox.js';

const nowhere = { privatePlaces: [], placeholders: new Set<string>() };

function project(files: readonly string[]): { root: string; plan(policy: Partial<SandboxPolicy>): AccessPlan } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'helve-plan-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const none = { workspace: [], writable: [], hidden: [], readOnly: [], network: 'off', home: '/nowhere' } as const;
  const plan = (policy: Partial<SandboxPolicy>) =>
    planAccess({ ...none, temp: join(root, 'no-temp'), ...policy }, nowhere);
  return { root, plan };
}

test('the deeper entry wins, and folders above protected paths are pinned', () => {
  const { root, plan } = project(['a/b/key', 'a/b/c/open']);
  const { rules, pinned } = plan({
    workspace: [root],
    hidden: [join(root, 'a/b/key')],
    readOnly: [join(root, 'a/b/c')],
    writable: [join(root, 'a/b/c/open')],
  });
  expect(rules).toEqual([
    { path: root, access: 'write', folder: true },
    { path: join(root, 'a/b/c'), access: 'read', folder: true },
    { path: join(root, 'a/b/key'), access: 'none', folder: false },
    { path: join(root, 'a/b/c/open'), access: 'write', folder: false },
  ]);
  expect(pinned).toEqual([join(root, 'a'), join(root, 'a/b')]);
});

test('at the same path, an approval wins over hiding, and hiding over reading', () => {
  const { root, plan } = project(['a', 'b']);
  const [a, b] = [join(root, 'a'), join(root, 'b')];
  expect(plan({ hidden: [a, b], readOnly: [a, b], writable: [a] }).rules).toEqual([
    { path: a, access: 'write', folder: false },
    { path: b, access: 'none', folder: false },
  ]);
});

test('a denied path stays denied, even if it or a path below it was approved', () => {
  const { root, plan } = project(['.env', 'keys/a', 'open/b']);
  const { rules, pinned } = plan({
    workspace: [root],
    unreadable: [join(root, '.env'), join(root, 'keys'), join(root, 'missing')],
    writable: [join(root, '.env'), join(root, 'keys/a'), join(root, 'keys/new'), join(root, 'open/b')],
    readOnly: [join(root, 'keys/a')],
  });
  expect(rules).toEqual([
    { path: root, access: 'write', folder: true },
    { path: join(root, '.env'), access: 'none', folder: false },
    { path: join(root, 'keys'), access: 'none', folder: true },
  ]);
  expect(pinned).toEqual([]);
});

test('protects the first missing component of a missing path, and both target and link of a symlink', () => {
  const { root, plan } = project(['elsewhere/x']);
  symlinkSync('elsewhere', join(root, '.claude'));
  symlinkSync('nowhere', join(root, '.vscode'));
  const { missing, links, rules } = plan({
    workspace: [root],
    readOnly: ['.git/hooks', '.git/config', '.claude', '.vscode'].map((name) => join(root, name)),
  });
  expect(missing).toEqual([join(root, '.git')]);
  expect(links).toEqual([join(root, '.claude'), join(root, '.vscode')]);
  expect(rules.at(-1)).toEqual({ path: join(root, 'elsewhere'), access: 'read', folder: true });
});

test('the .git file of a worktree is protected', () => {
  const { root, plan } = project(['.git']);
  const { rules, missing } = plan({ workspace: [root], readOnly: [join(root, '.git/hooks')] });
  expect(rules.at(-1)).toEqual({ path: join(root, '.git'), access: 'read', folder: false });
  expect(missing).toEqual([]);
});

test('a path that is not writable anyway needs no rule', () => {
  const { root, plan } = project(['.git/config']);
  expect(plan({ readOnly: [join(root, '.git/config'), join(root, '.mcp.json')] })).toEqual({
    rules: [],
    pinned: [],
    missing: [],
    links: [],
    notes: [],
  });
});

test('a home folder does not become writable for a new file in it', () => {
  const { root, plan } = project(['home/x']);
  const { rules, notes } = plan({ home: join(root, 'home'), writable: [join(root, 'home/.bashrc')] });
  expect(rules).toEqual([]);
  expect(notes[0]).toContain(`would have to open all of ${join(root, 'home')}`);
});

test('for any policy, a protected path is never below a writable folder that could be moved away', () => {
  const { root, plan } = project(['a/a/a', 'a/b/a', 'b/a/a', 'b/b/b']);
  const path = fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }).map((names) => join(root, ...names));
  const paths = fc.array(path, { maxLength: 4 });
  void fc.assert(
    fc.property(paths, paths, paths, paths, (workspace, writable, hidden, readOnly) => {
      const { rules, pinned, missing } = plan({ workspace, writable, hidden, readOnly });
      const accessAt = (at: string): string =>
        rules.find((rule) => rule.path === at)?.access ?? (at === dirname(at) ? 'read' : accessAt(dirname(at)));
      const mounts = new Set([...rules.map((rule) => rule.path), ...pinned]);
      const held = [...rules.filter((rule) => rule.access !== 'write').map((rule) => rule.path), ...missing];
      for (const one of held)
        for (let at = dirname(one); at.startsWith(root) && accessAt(at) === 'write'; at = dirname(at))
          if (!mounts.has(at)) throw new Error(`${at} can be moved away with ${one} in it`);
      for (const one of hidden.filter((one) => !writable.includes(one))) {
        const opened = writable.some((open) => open.startsWith(`${one}/`));
        if (rules.length > 0 && !opened && accessAt(one) !== 'none' && realOrNone(one))
          throw new Error(`${one} is not hidden`);
      }
    }),
  );
});

function realOrNone(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}

test('a new file in a private folder makes nothing of the host writable', () => {
  const { root } = project(['kept']);
  const policy = { workspace: [], hidden: [], readOnly: [], home: '/nowhere', writable: [join(root, 'new')] };
  const { rules } = planAccess(policy, { privatePlaces: [root], placeholders: new Set<string>() });
  expect(rules).toEqual([]);
});
