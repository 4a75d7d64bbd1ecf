import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryRepository } from '../../testing/git-repository.js';
import { until } from '../../testing/watch-processes.js';
import { thisProcess } from '../journal/process-identity.js';
import { openWorktree } from './open-worktree.js';
import { repairWorktrees } from './repair-worktrees.js';
import { findRecords, saveRecord } from './worktree-record.js';

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

/** A worktree whose branch adds, changes and removes files, and whose merge was recorded by a process that has ended. */
async function cutMerge() {
  const repository = await temporaryRepository({
    'kept.txt': 'kept\n',
    'gone/old.txt': 'old\n',
    'changed.txt': 'one\n',
  });
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'helve-data-')));
  onTestFinished(async () => {
    for (const folder of [repository.root, dataFolder]) await rm(folder, { recursive: true, force: true });
  });
  const { record } = await openWorktree({ project: repository.root, dataFolder, isTrusted: true, env, name: 'one' });
  const { folder } = record;
  await writeFile(join(folder, 'changed.txt'), 'two\n');
  await mkdir(join(folder, 'new'));
  await writeFile(join(folder, 'new/added.txt'), 'added\n');
  await symlink('kept.txt', join(folder, 'link'));
  await rm(join(folder, 'gone'), { recursive: true });
  repository.git('-C', folder, 'add', '--all');
  repository.git('-C', folder, 'commit', '--quiet', '-m', 'work');
  const from = repository.git('rev-parse', 'HEAD').trim();
  const to = repository.git('rev-parse', 'worktree-one').trim();
  const owner = { ...(await thisProcess()), pid: 2 ** 22 - 1, started: 1 };
  await saveRecord({ ...record, owner, state: 'merging', merging: { from, to } });
  const repair = async (): Promise<string> => (await repairWorktrees(dataFolder, env)).join('\n');
  const isMerged = async (): Promise<void> => {
    expect(repository.git('rev-parse', 'HEAD').trim()).toBe(to);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(await readFile(join(repository.root, 'changed.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(join(repository.root, 'gone'))).toBe(false);
    expect(findRecords(dataFolder).records).toEqual([]);
    expect(repository.git('branch').trim()).toBe('* main');
  };
  return { ...repository, from, to, folder, dataFolder, repair, isMerged };
}

test.each<[string, (here: Awaited<ReturnType<typeof cutMerge>>) => Promise<void>]>([
  ['before it began', async () => {}],
  [
    'in the middle of the files',
    async ({ root }) => {
      await writeFile(join(root, 'changed.txt'), 'tw'); // cut off
      await mkdir(join(root, 'new'));
      await writeFile(join(root, 'new/added.txt'), '');
      await rm(join(root, 'gone'), { recursive: true });
      await writeFile(join(root, '.git/index.lock'), '');
    },
  ],
  ['before the branch was moved', async ({ git, to }) => void git('read-tree', '-m', '-u', 'HEAD', to)],
  ['after the branch was moved', async ({ git, to }) => void git('merge', '--quiet', '--ff-only', to)],
])('a merge that was cut off %s is completed by the next start, and its worktree removed', async (_, cut) => {
  const here = await cutMerge();
  await cut(here);
  expect(await here.repair()).toMatch(/^The merge of worktree-one .* was completed\. The worktree one was removed\.$/);
  await here.isMerged();
  expect(await here.repair()).toBe('');
});

test('a merge whose git is killed while it writes files is completed', async () => {
  const here = await cutMerge();
  const gate = join(here.root, '.git/gate');
  await writeFile(join(here.root, '.git/info/attributes'), '*.txt filter=slow\n');
  // Each file waits for the gate, so that git is in the middle when it is killed.
  here.git('config', 'filter.slow.smudge', `touch .git/busy; while [ ! -e '${gate}' ]; do sleep 0.02; done; cat`);
  const child = spawn('git', ['-C', here.root, 'merge', '--quiet', '--ff-only', here.to], { env, detached: true });
  await until(() => existsSync(join(here.root, '.git/busy')));
  const ended = new Promise((done) => child.once('exit', done));
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await ended;
  await writeFile(gate, '');
  expect(existsSync(join(here.root, '.git/index.lock'))).toBe(true);
  expect(await here.repair()).toContain('was completed');
  await here.isMerged();
});

test('a file that was changed since is left as it is, and named; nothing else is touched', async () => {
  const here = await cutMerge();
  await writeFile(join(here.root, 'changed.txt'), 'mine\n');
  expect(await here.repair()).toMatch(
    /could not be completed: changed since: changed\.txt\..*helve worktree merge one/,
  );
  expect(await readFile(join(here.root, 'changed.txt'), 'utf8')).toBe('mine\n');
  expect(here.git('rev-parse', 'HEAD').trim()).toBe(here.from);
  expect(existsSync(join(here.root, 'gone/old.txt'))).toBe(true);
  expect(findRecords(here.dataFolder).records).toMatchObject([{ state: 'ready' }]);
});

test('a lock with content that is not the merge stays, and the next start tries again', async () => {
  const here = await cutMerge();
  await writeFile(join(here.root, '.git/index.lock'), 'of another git');
  expect(await here.repair()).toMatch(/index\.lock is there\..*The next start tries again/);
  await rm(join(here.root, '.git/index.lock'));
  expect(await here.repair()).toContain('was completed');
  await here.isMerged();
});
