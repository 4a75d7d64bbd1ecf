import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRepositoryFinder } from './find-repositories.js';
import { repositoryPaths } from './repository-paths.js';

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-repository-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}

async function found(files: Readonly<Record<string, string>>, find = createRepositoryFinder()): Promise<string[]> {
  const root = await project(files);
  const { repositories } = await find([root]);
  return repositories.flatMap(repositoryPaths).map((path) => relative(root, path));
}

test('lists files that git executes for submodules of any name, and files that point to them', async () => {
  const paths = await found({
    '.git/config': '',
    '.git/modules/libs/one/config': '[core]\n\tworktree = ../../../../vendor/one\n',
    '.git/modules/libs/one/hooks/pre-commit': '',
    '.git/modules/libs/one/modules/inner/config': '[core]\n\tworktree = ../../../../../../vendor/one/inner\n',
    'vendor/one/.git': 'gitdir: ../../.git/modules/libs/one\n',
    'vendor/one/inner/.git': 'gitdir: ../../../.git/modules/libs/one/modules/inner\n',
  });
  expect(paths).toEqual([
    '.git/config',
    '.git/modules/libs/one/config',
    '.git/modules/libs/one/hooks',
    '.git/modules/libs/one/modules/inner/config',
    'vendor/one/.git',
    '.git/modules/libs/one/config',
    '.git/modules/libs/one/hooks',
    'vendor/one/inner/.git',
    '.git/modules/libs/one/modules/inner/config',
  ]);
});

test('lists the files that link other worktrees to their repository', async () => {
  expect(await found({ '.git/worktrees/other/HEAD': '', '.git/worktrees/other/commondir': '../..' })).toEqual([
    '.git/worktrees/other/commondir',
  ]);
});

test('finds nested repositories, bare ones with any name, and .git files and symlinks that point anywhere', async () => {
  const root = await project({
    'a/b/.git/config': '',
    'fixtures/bare/HEAD': '',
    'fixtures/bare/objects/x': '',
    'fixtures/bare/refs/x': '',
    'fixtures/bare/config': '',
    'linked/.git': 'gitdir: /elsewhere/.git\n',
  });
  await mkdir(join(root, 'c'));
  await symlink('../a/b/.git', join(root, 'c/.git'));
  const { repositories } = await createRepositoryFinder()([root]);
  expect(repositories.map(({ gitFolder, link }) => [link && relative(root, link), relative(root, gitFolder)])).toEqual([
    ['c/.git', 'a/b/.git'],
    ['linked/.git', relative(root, '/elsewhere/.git')],
    [undefined, 'a/b/.git'],
    [undefined, 'fixtures/bare'],
  ]);
});

test('lists files of the project that a configuration includes or starts', async () => {
  const paths = await found({
    '.git/config':
      '[include]\n\tpath = ../.gitconfig\n\tpath = ~/own\n[core]\n\thooksPath = .githooks\n\tfsmonitor = "tools/watch"\n[core] fsmonitor = true\n',
    '.gitconfig': '',
    'tools/watch': '',
  });
  expect(paths).toEqual(['.git/config', '.gitconfig', '.githooks', 'tools/watch']);
});

test('detects repositories that were created or removed since the last scan', async () => {
  const root = await project({ 'a/b/c': '' });
  const find = createRepositoryFinder();
  expect((await find([root])).repositories).toEqual([]);
  await mkdir(join(root, 'a/b/.git'));
  expect((await find([root])).repositories).toEqual([{ gitFolder: join(root, 'a/b/.git') }]);
  await rm(join(root, 'a/b/.git'), { recursive: true });
  expect((await find([root])).repositories).toEqual([]);
});

test('reports which folders were not searched', async () => {
  const root = await project({ 'a/x': '', 'b/x': '', 'c/x': '' });
  const { notes } = await createRepositoryFinder({ maxFolders: 2 })([root]);
  expect(notes).toEqual([expect.stringMatching(/more than 2 folders.*were not searched for git repositories/)]);
});

test('finds nothing without a repository', async () => {
  expect(await found({ a: '' })).toEqual([]);
});
