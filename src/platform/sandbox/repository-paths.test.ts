import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryPaths } from './repository-paths.js';

async function found(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'helve-repository-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return repositoryPaths(root).map((path) => relative(root, path));
}

test('names what git executes for submodules, by whatever name, and what leads to them', async () => {
  const paths = await found({
    '.git/modules/libs/one/config': '[core]\n\tbare = false\n\tworktree = ../../../../vendor/one\n',
    '.git/modules/libs/one/modules/inner/config': '[core]\n\tworktree = ../../../../../../vendor/one/inner\n',
  });
  expect(paths).toEqual([
    '.git/modules/libs/one/config',
    '.git/modules/libs/one/config.worktree',
    '.git/modules/libs/one/commondir',
    '.git/modules/libs/one/hooks',
    'vendor/one/.git',
    '.git/modules/libs/one/modules/inner/config',
    '.git/modules/libs/one/modules/inner/config.worktree',
    '.git/modules/libs/one/modules/inner/commondir',
    '.git/modules/libs/one/modules/inner/hooks',
    'vendor/one/inner/.git',
  ]);
});

test('names what leads further work trees to their repository', async () => {
  expect(await found({ '.git/worktrees/other/HEAD': '' })).toEqual([
    '.git/worktrees/other/commondir',
    '.git/worktrees/other/config.worktree',
  ]);
});

test('finds nothing where there is no repository, or one in a file', async () => {
  expect(await found({ a: '' })).toEqual([]);
  expect(await found({ '.git': 'gitdir: elsewhere' })).toEqual([]);
});
