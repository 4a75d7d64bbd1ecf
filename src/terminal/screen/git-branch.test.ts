import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gitBranch } from './git-branch.js';

async function folderWith(head: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-branch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.git'));
  await mkdir(join(folder, 'deep', 'er'), { recursive: true });
  await writeFile(join(folder, '.git', 'HEAD'), head);
  return folder;
}

test('names the branch, also from a folder below', async () => {
  const folder = await folderWith('ref: refs/heads/feature/x\n');
  expect(gitBranch(folder)).toBe('feature/x');
  expect(gitBranch(join(folder, 'deep', 'er'))).toBe('feature/x');
});

test('returns the abbreviated commit if no branch is checked out', async () => {
  expect(gitBranch(await folderWith(`${'a1b2c3d4'.repeat(5)}\n`))).toBe('a1b2c3d4');
});

test('finds the branch of a worktree', async () => {
  const folder = await folderWith('ref: refs/heads/main\n');
  const tree = join(folder, 'tree');
  await mkdir(join(folder, '.git', 'worktrees', 'tree'), { recursive: true });
  await mkdir(tree);
  await writeFile(join(folder, '.git', 'worktrees', 'tree', 'HEAD'), 'ref: refs/heads/other\n');
  await writeFile(join(tree, '.git'), 'gitdir: ../.git/worktrees/tree\n');
  expect(gitBranch(tree)).toBe('other');
});

test('returns nothing outside of a repository', async () => {
  expect(gitBranch(await folderWith('rubbish'))).toBeUndefined();
  expect(gitBranch(join(tmpdir(), 'there-is-no-such-folder'))).toBeUndefined();
});
