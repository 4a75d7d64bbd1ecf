import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryIn, type TemporaryRepository, temporaryRepository } from '../../testing/git-repository.js';
import { finishWorktree } from './finish-worktree.js';
import type { WorktreeHooks } from './hooked-worktree.js';
import { type OpenedWorktree, openWorktree } from './open-worktree.js';
import { worktreesFolder } from './worktree-record.js';

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

interface Machine extends TemporaryRepository {
  elsewhere: string;
  dataFolder: string;
  /** With a hook that runs this. */
  open(create: (name: string) => string | Promise<string>): Promise<OpenedWorktree>;
  removed: string[];
  hooks: WorktreeHooks;
}

async function machine(): Promise<Machine> {
  const repository = await temporaryRepository();
  const folders = await Promise.all(['data', 'elsewhere'].map((name) => mkdtemp(join(tmpdir(), `helve-${name}-`))));
  const [dataFolder = '', elsewhere = ''] = await Promise.all(folders.map((folder) => realpath(folder)));
  onTestFinished(async () => {
    for (const folder of [repository.root, dataFolder, elsewhere]) await rm(folder, { recursive: true, force: true });
  });
  const removed: string[] = [];
  const hooks: WorktreeHooks = {
    create: () => Promise.reject(new Error('not given')),
    remove: async (folder) => void removed.push(folder),
  };
  const open: Machine['open'] = (create) =>
    openWorktree({
      ...{ project: repository.root, dataFolder, isTrusted: true, env, name: 'one' },
      hooks: { ...hooks, create: async (name) => await create(name) },
    });
  return { ...repository, elsewhere, dataFolder, open, removed, hooks };
}

const add = ({ git, elsewhere }: Machine, ...args: string[]): string => {
  git('worktree', 'add', '-q', ...args, join(elsewhere, 'made'));
  return join(elsewhere, 'made');
};

const records = ({ dataFolder }: Machine): string[] =>
  readdirSync(worktreesFolder(dataFolder)).flatMap((name) => readdirSync(join(worktreesFolder(dataFolder), name)));

test('a worktree that a hook made is merged like others, and its hook is called before it is removed', async () => {
  const here = await machine();
  const { record, git, place } = await here.open(() => add(here, '-b', 'hooked'));
  expect(place).toMatchObject({ name: 'one', branch: 'hooked', folder: join(here.elsewhere, 'made') });
  await writeFile(join(place.root, 'new.txt'), 'new\n');
  const finished = await finishWorktree(record, git, { end: 'merge', message: 'Work', hooks: here.hooks });
  expect(finished).toMatchObject({ outcome: 'merged', files: ['new.txt'] });
  expect(await readFile(join(here.root, 'new.txt'), 'utf8')).toBe('new\n');
  expect(here.removed).toEqual([place.folder]);
  expect([existsSync(place.folder), here.git('branch', '--list', 'hooked'), records(here)]).toEqual([false, '', []]);
});

test('one that is kept is opened again without its hook', async () => {
  const here = await machine();
  const { record, git, place } = await here.open(() => add(here, '-b', 'hooked'));
  await writeFile(join(place.root, 'new.txt'), 'new\n');
  await finishWorktree(record, git, { end: 'keep', message: 'Work', hooks: here.hooks });
  const again = await here.open(() => Promise.reject(new Error('called again')));
  expect(again).toMatchObject({ isReopened: true, place });
});

test('files that the hook has put there are not changes of the session', async () => {
  const here = await machine();
  const { record, git } = await here.open(async () => {
    const folder = add(here, '-b', 'hooked');
    await writeFile(join(folder, 'prepared.txt'), 'from the hook\n');
    return folder;
  });
  const finished = await finishWorktree(record, git, { end: 'keep', message: 'Work', hooks: here.hooks });
  expect(finished).toMatchObject({ outcome: 'removed', files: [] });
});

test.each<[string, (here: Machine) => string | Promise<string>, string]>([
  ['a relative path', () => 'made', 'that is not an absolute path'],
  ['a missing folder', ({ elsewhere }) => join(elsewhere, 'missing'), 'there is no folder of that name'],
  ['the project', ({ root }) => root, 'that is the project, or a folder around it'],
  ['the data folder', ({ dataFolder }) => dataFolder, 'that is in the data folder of Helve'],
  ['a folder without git', ({ elsewhere }) => elsewhere, 'that is not the top of a git worktree'],
  [
    'another repository',
    async ({ elsewhere }) => (await repositoryIn(join(elsewhere, 'other'))).root,
    'that belongs to another repository',
  ],
  ['a worktree on no branch', (here) => add(here, '--detach'), 'it is on no branch'],
  ['a worktree of a branch that existed', (here) => add(here, '-B', 'before'), 'its branch before existed before'],
])('a hook that names %s is refused, and what it has named stays', async (_, create, why) => {
  const here = await machine();
  here.git('branch', 'before');
  let named = '';
  const opening = here.open(async () => {
    named = await create(here);
    return named;
  });
  await expect(opening).rejects.toThrow(why);
  expect([here.removed, records(here)]).toEqual([[], []]);
  if (!named.endsWith('missing') && named !== 'made') expect(existsSync(named)).toBe(true);
});
