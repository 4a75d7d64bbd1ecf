import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../testing/git-repository.js';
import { thisProcess } from '../journal/process-identity.js';
import { finishWorktree, mergeWorktree } from './finish-worktree.js';
import { type OpenedWorktree, openWorktree, type WorktreeRequest } from './open-worktree.js';
import { OwnGit } from './own-git.js';
import { repairWorktrees } from './repair-worktrees.js';
import { changesIn } from './worktree-changes.js';
import { claimRecord, findRecords, recordPath, saveRecord, worktreesFolder } from './worktree-record.js';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const dead = { ...(await thisProcess()), pid: 2 ** 22 - 1, started: 1 };

interface Machine extends TemporaryRepository {
  dataFolder: string;
  open(request?: Partial<WorktreeRequest>): Promise<OpenedWorktree>;
}

async function machine(files: Record<string, string> = {}): Promise<Machine> {
  const repository = await temporaryRepository(files);
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'helve-data-')));
  folders.push(repository.root, dataFolder);
  const open: Machine['open'] = (request) =>
    openWorktree({ project: repository.root, dataFolder, isTrusted: true, env, ...request });
  return { ...repository, dataFolder, open };
}

const finish = ({ record, git }: OpenedWorktree, end: 'keep' | 'merge' = 'keep') =>
  finishWorktree(record, git, { end, message: 'Work of a session' });

const branchesOf = ({ git }: Machine): string[] => git('branch', '--format=%(refname:short)').trim().split('\n');

/** Names in the data folder, apart from lock files that are gone by the next look. */
const left = ({ dataFolder }: Machine): string[] => {
  const top = worktreesFolder(dataFolder);
  return existsSync(top) ? readdirSync(top).flatMap((name) => readdirSync(join(top, name))) : [];
};

test('a worktree has the last commit on a branch of its own, and goes with its branch if nothing changed', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  expect(opened.record).toMatchObject({ branch: 'worktree-one', state: 'ready' });
  expect(await readFile(join(opened.place.root, 'src/b.txt'), 'utf8')).toBe('b\n');
  expect(branchesOf(here)).toEqual(['main', 'worktree-one']);
  expect(await finish(opened)).toEqual({ outcome: 'removed', files: [], holds: [] });
  expect(branchesOf(here)).toEqual(['main']);
  expect(here.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(left(here)).toEqual([]);
});

test('a project in a folder of the repository is the same folder in the worktree', async () => {
  const here = await machine();
  const opened = await here.open({ project: join(here.root, 'src') });
  expect(opened.place.root).toBe(join(opened.record.folder, 'src'));
});

test('files outside of a sparse checkout are committed and merged, too', async () => {
  const here = await machine({ 'outside/old.txt': 'old\n' });
  here.git('sparse-checkout', 'set', '--cone', 'src');
  const opened = await here.open();
  const outside = join(opened.place.root, 'outside');
  expect(existsSync(outside)).toBe(false);
  await mkdir(outside);
  for (const name of ['old.txt', 'new.txt']) await writeFile(join(outside, name), 'changed\n');
  const files = ['outside/new.txt', 'outside/old.txt'];
  expect(await finish(opened, 'merge')).toEqual({ outcome: 'merged', files, holds: [] });
  for (const file of files) expect(here.git('show', `HEAD:${file}`)).toBe('changed\n');
});

test('changes are committed on the branch, and the worktree is kept', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'a.txt'), 'changed\n');
  await writeFile(join(opened.place.root, 'new.txt'), 'new\n');
  const finished = await finish(opened);
  expect(finished).toEqual({ outcome: 'kept', files: ['a.txt', 'new.txt'], holds: [] });
  expect(here.git('show', 'worktree-one:new.txt')).toBe('new\n');
  expect(here.git('log', '-1', '--format=%s %an', 'worktree-one').trim()).toBe('Work of a session Helve');
  expect(await readFile(join(here.root, 'a.txt'), 'utf8')).toBe('a\n');
  const again = await here.open({ name: 'one' });
  expect(again.isReopened).toBe(true);
  expect((await changesIn(again.git, again.record)).commits).toBe(1);
});

test('a clean merge moves the branch of the project forward, and removes the worktree', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'a.txt'), 'changed\n');
  await here.write('other.txt', 'other\n');
  here.git('add', '-A');
  here.git('commit', '-qm', 'two');
  expect(await finish(opened, 'merge')).toEqual({ outcome: 'merged', files: ['a.txt'], holds: [] });
  expect(await readFile(join(here.root, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(here.git('log', '--format=%s').trim().split('\n').toSorted()).toEqual([
    "Merge branch 'worktree-one'",
    'Work of a session',
    'one',
    'two',
  ]);
  expect(here.git('status', '--porcelain')).toBe('');
  expect(branchesOf(here)).toEqual(['main']);
  expect(left(here)).toEqual([]);
});

test('a conflict changes nothing in the project, and the worktree is kept', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'a.txt'), 'mine\n');
  await here.write('a.txt', 'theirs\n');
  here.git('commit', '-qam', 'two');
  const head = here.git('rev-parse', 'HEAD');
  expect(await finish(opened, 'merge')).toMatchObject({
    outcome: 'kept',
    whyNotMerged: 'it conflicts with the project in a.txt',
  });
  expect(here.git('rev-parse', 'HEAD')).toBe(head);
  expect(here.git('status', '--porcelain')).toBe('');
  expect(existsSync(opened.place.root)).toBe(true);
});

test('nothing is merged over changes of the project that are not committed, or over an untracked file', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'new.txt'), 'mine\n');
  await here.write('a.txt', 'uncommitted\n');
  expect(await finish(opened, 'merge')).toMatchObject({
    outcome: 'kept',
    whyNotMerged: `${here.root} has changes that are not committed`,
  });
  here.git('checkout', '-q', 'a.txt');
  await here.write('new.txt', 'untracked\n');
  const { tip } = await changesIn(opened.git, opened.record);
  const second = await mergeWorktree(opened.record, opened.git, { tip });
  expect(second).toMatchObject({ isMerged: false, why: 'files in no commit are in its way: new.txt' });
  expect(await readFile(join(here.root, 'new.txt'), 'utf8')).toBe('untracked\n');
  expect(here.git('log', '--format=%s').trim()).toBe('one');
});

test.each([
  ['a folder without a repository', 'is not in a git repository'],
  ['a repository without a commit', 'has no commit yet'],
  ['a branch of that name', 'The branch worktree-one exists already'],
  ['a name that leads out', '"../x" can\'t be the name of a worktree'],
  ['a name in use', 'in use by process'],
])('is refused, and leaves nothing: %s', async (what, message) => {
  const here = await machine();
  let request: Partial<WorktreeRequest> = { name: 'one' };
  if (what.startsWith('a folder')) await rm(join(here.root, '.git'), { recursive: true });
  if (what.startsWith('a repository')) here.git('checkout', '-q', '--orphan', 'empty');
  if (what.startsWith('a branch')) here.git('branch', 'worktree-one');
  if (what.endsWith('leads out')) request = { name: '../x' };
  if (what.endsWith('in use')) await here.open({ name: 'one' });
  const before = left(here);
  await expect(here.open(request)).rejects.toThrow(message);
  expect(left(here)).toEqual(before);
});

test('no hook and no filter of the repository runs before trust', async () => {
  const here = await machine({ '.gitattributes': '*.txt filter=evil\n' });
  const proof = join(here.root, '..', `${here.root.split('/').at(-1)}-ran`);
  await writeFile(join(here.root, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${proof}\n`);
  await chmod(join(here.root, '.git/hooks/post-checkout'), 0o755);
  await (await here.open({ isTrusted: false })).git.ask(here.root, ['status']);
  expect(existsSync(proof)).toBe(false);
  here.git('config', 'filter.evil.smudge', `touch ${proof}; cat`);
  await expect(here.open({ isTrusted: false })).rejects.toThrow(/filter\.evil\.smudge.*not trusted/);
  expect(existsSync(proof)).toBe(false);
});

test('.worktreeinclude copies ignored files alone, and no link that leads out', async () => {
  const here = await machine({
    '.gitignore': '.env*\n*.key\nlink\n',
    '.worktreeinclude': '.env*\nlink\na.txt\nloose.txt\n',
  });
  await here.write('.env', 'SECRET=1\n');
  await here.write('sub/.env.local', 'LOCAL=1\n');
  await here.write('x.key', 'not included\n');
  await here.write('loose.txt', 'untracked, not ignored\n');
  await symlink('/etc/passwd', join(here.root, 'link'));
  const opened = await here.open();
  expect(await readFile(join(opened.place.root, '.env'), 'utf8')).toBe('SECRET=1\n');
  expect(await readFile(join(opened.place.root, 'sub/.env.local'), 'utf8')).toBe('LOCAL=1\n');
  expect(['x.key', 'loose.txt', 'link'].filter((name) => existsSync(join(opened.place.root, name)))).toEqual([]);
  expect(opened.notes.join('\n')).toMatch(/2 files copied[\s\S]*link \(it is a link to \/etc\/passwd/);
  expect(await finish(opened)).toMatchObject({ outcome: 'removed' });
});

test('a changed copy of an ignored file, and a new ignored file, keep the worktree; neither is committed', async () => {
  const here = await machine({ '.gitignore': '.env\nnotes.md\nbuild/\n', '.worktreeinclude': '.env\n' });
  await here.write('.env', 'SECRET=1\n');
  const opened = await here.open({ name: 'one' });
  await mkdir(join(opened.place.root, 'build'));
  await writeFile(join(opened.place.root, 'build/out.o'), 'made again by a build');
  expect((await changesIn(opened.git, opened.record)).hasWork).toBe(false);
  await writeFile(join(opened.place.root, '.env'), 'SECRET=2\n');
  await writeFile(join(opened.place.root, 'notes.md'), 'thoughts\n');
  await writeFile(join(opened.place.root, '.gitignore'), 'notes.md\n'); // .env and build are not ignored any more
  const finished = await finish(opened, 'merge');
  expect(finished.outcome).toBe('merged');
  expect(finished.holds.join('; ')).toMatch(/\.env, a copy of an ignored file, was changed; .*notes\.md/);
  expect(here.git('ls-files')).not.toContain('.env');
  expect(await readFile(join(opened.place.root, '.env'), 'utf8')).toBe('SECRET=2\n');
});

test('changes are committed beside copies of ignored files, which stay out', async () => {
  const here = await machine({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n' });
  await here.write('.env', 'SECRET=1\n');
  await here.write('src/.env', 'SECRET=2\n');
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'new.txt'), 'new\n');
  expect(await finish(opened, 'merge')).toEqual({ outcome: 'merged', files: ['new.txt'], holds: [] });
  expect(here.git('ls-files')).not.toContain('.env');
});

test('of several sessions that open a kept worktree at once, one gets it', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await writeFile(join(opened.place.root, 'new.txt'), 'new\n');
  await finish(opened);
  const opening = await Promise.allSettled(Array.from({ length: 4 }, () => here.open({ name: 'one' })));
  expect(opening.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refused = opening.find((one) => one.status === 'rejected');
  expect(String(refused?.reason)).toContain(`The worktree one is in use by process ${process.pid}.`);
});

test('commits on no branch, a merge in progress and a repository inside keep the worktree', async () => {
  const here = await machine();
  const detached = await here.open({ name: 'detached' });
  await detached.git.must(detached.place.root, ['checkout', '-q', '--detach']);
  await writeFile(join(detached.place.root, 'a.txt'), 'x\n');
  here.git('-C', detached.place.root, 'commit', '-qam', 'on no branch');
  expect(await finish(detached, 'merge')).toMatchObject({
    outcome: 'kept',
    holds: [expect.stringContaining('not on its branch')],
  });
  const inner = await here.open({ name: 'inner' });
  here.git('init', '-q', join(inner.place.root, 'vendored'));
  await writeFile(join(inner.place.root, 'vendored/file'), 'x');
  expect(await finish(inner)).toMatchObject({ outcome: 'kept', holds: ['vendored/ is a repository of its own'] });
  expect(existsSync(join(inner.place.root, 'vendored/file'))).toBe(true);
});

test('the set-up command runs in the worktree after trust; a failure shows its output and leaves nothing', async () => {
  const here = await machine();
  const setUp = { command: 'echo ready > set-up.txt', timeoutMs: 10_000 };
  const trusted = await here.open({ setUp });
  expect(await readFile(join(trusted.place.root, 'set-up.txt'), 'utf8')).toBe('ready\n');
  expect((await changesIn(trusted.git, trusted.record)).hasWork).toBe(false);
  await writeFile(join(trusted.place.root, 'own.txt'), 'own\n');
  expect(await finish(trusted, 'merge')).toEqual({ outcome: 'merged', files: ['own.txt'], holds: [] });
  expect(here.git('ls-files')).not.toContain('set-up.txt');
  const untrusted = await here.open({ setUp, isTrusted: false });
  expect(existsSync(join(untrusted.place.root, 'set-up.txt'))).toBe(false);
  expect(untrusted.notes.join()).toContain('not run, because this folder is not trusted');
  const failing = here.open({ name: 'fails', setUp: { ...setUp, command: 'echo no network >&2; exit 3' } });
  await expect(failing).rejects.toThrow(/ended with status 3[\s\S]*no network/);
  expect(branchesOf(here)).not.toContain('worktree-fails');
  const slow = here.open({ name: 'slow', setUp: { command: 'sleep 100', timeoutMs: 50 } });
  await expect(slow).rejects.toThrow('took longer than 0.05 s');
});

test('what a killed process has left is cleared away, completed or kept at the next start', async () => {
  const here = await machine();
  const git = new OwnGit(env);
  // Killed before git began, after git was done, and when it was to be removed with half of its files gone.
  const { record } = await here.open({ name: 'model' });
  const named = (name: string) => ({
    ...{ ...record, name, owner: dead },
    ...{ folder: record.folder.replace(/model$/, name), branch: `worktree-${name}` },
  });
  await claimRecord({ ...named('early'), state: 'creating' });
  const late = await here.open({ name: 'late' });
  await saveRecord({ ...late.record, owner: dead, state: 'creating' });
  const going = await here.open({ name: 'going' });
  await saveRecord({ ...going.record, owner: dead, state: 'removing', removes: going.record.base });
  await rm(join(going.place.root, '.git'));
  const busy = await here.open({ name: 'busy' });
  await writeFile(join(busy.place.root, 'a.txt'), 'x\n');
  here.git('-C', busy.place.root, 'commit', '-qam', 'work');
  await saveRecord({ ...busy.record, owner: dead, state: 'creating' });
  const told = await repairWorktrees(here.dataFolder, env);
  expect(told.map((text) => /\b(early|late|going|busy)\b/.exec(text)?.[1]).toSorted()).toEqual([
    'busy',
    'early',
    'going',
    'late',
  ]);
  expect(branchesOf(here)).toEqual(['main', 'worktree-busy', 'worktree-model']);
  expect(findRecords(here.dataFolder).records.map(({ name, state }) => [name, state])).toEqual([
    ['busy', 'ready'],
    ['model', 'ready'],
  ]);
  expect(here.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(3);
  expect(await repairWorktrees(here.dataFolder, env)).toEqual([]);
  expect(await git.ask(busy.place.root, ['status', '--porcelain'])).toBe('');
});

test('a worktree that another process makes or uses is left alone', async () => {
  const here = await machine();
  const opened = await here.open({ name: 'one' });
  await saveRecord({ ...opened.record, state: 'creating' });
  expect(await repairWorktrees(here.dataFolder, env)).toEqual([]);
  expect(existsSync(recordPath(opened.record))).toBe(true);
});

test('ten are made, changed and merged at once: git says which conflict, and nothing is lost', async () => {
  const here = await machine();
  const names = Array.from({ length: 10 }, (_, index) => `w${index}`);
  const opened = await Promise.all(names.map((name) => here.open({ name })));
  await Promise.all(
    opened.map(async ({ place: { root } }, index) => {
      await writeFile(join(root, `own-${index}.txt`), `${index}\n`);
      if (index < 3) await writeFile(join(root, 'a.txt'), `${index}\n`);
    }),
  );
  const finished = await Promise.all(opened.map((one) => finish(one, 'merge')));
  const merged = finished.filter(({ outcome }) => outcome === 'merged');
  const kept = finished.filter(({ outcome }) => outcome === 'kept');
  expect([merged.length, kept.length]).toEqual([8, 2]);
  expect(kept.map(({ whyNotMerged }) => whyNotMerged)).toEqual(Array(2).fill('it conflicts with the project in a.txt'));
  expect(here.git('status', '--porcelain')).toBe('');
  expect(here.git('ls-files').trim().split('\n')).toHaveLength(10); // a.txt, src/b.txt, and 8 of ten
  expect(branchesOf(here)).toHaveLength(3);
  expect(left(here)).toHaveLength(4); // two records, two folders
});
