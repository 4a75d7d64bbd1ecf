import { execFileSync } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf } from '../crypto.js';
import { GitIgnore } from '../files/git-ignore.js';
import { BeforeImageReader } from '../journal/before-image-pack.js';
import { journalFolders, listChanges, pruneJournal } from '../journal/journal.js';
import type { RecordedFile } from '../journal/recorded-change.js';
import { cleanUpJournal } from '../journal/recover-changes.js';
import type { SnapshotLimits, WorkspaceSnapshots } from './snapshot-contract.js';
import { createWorkspaceSnapshots } from './workspace-snapshot.js';
import { entryOf } from './workspace-tree.js';

const ENOUGH = { copyMs: 60_000, readChangedMs: 60_000, scanMs: 60_000, rescanMs: 60_000 };
const LONG_AGO = new Date('2020-01-01');

interface TestProject {
  root: string;
  dataFolder: string;
  snapshots: WorkspaceSnapshots;
  path(name: string): string;
  write(name: string, content: string): Promise<void>;
  recorded(): Promise<RecordedFile[]>;
}

async function testProject(
  files: Readonly<Record<string, string>>,
  limits: Partial<SnapshotLimits> = ENOUGH,
  data = '../data',
): Promise<TestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-snapshot-')));
  const root = join(folder, 'project');
  const dataFolder = join(root, data);
  const path = (name: string): string => join(root, name);
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  };
  await mkdir(root);
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    root,
    dataFolder,
    path,
    write,
    snapshots: createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 's', limits }),
    recorded: async () => (await listChanges(dataFolder, 's')).flatMap((change) => change.files),
  };
}

const hash = (text: string): string => hashOf(Buffer.from(text));

/** Mounts a separate disk of one megabyte at a folder; false if that is not permitted. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'helve-test', folder], { stdio: 'ignore' });
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    return true;
  } catch {
    return false;
  }
}

test('records the changes of a command that filled the disk, with the earlier content', async (context) => {
  const { snapshots, write, path, recorded, dataFolder } = await testProject({ a: 'one', b: 'two' });
  const { packs } = journalFolders(dataFolder);
  await mkdir(packs, { recursive: true });
  if (!mountSmall(packs)) return context.skip('needs leave to mount');
  await snapshots.before('call_1');
  await write('a', 'ONE');
  await write('large', 'x'.repeat(5_000_000));
  expect(await snapshots.after('call_1')).toEqual({
    changed: [path('a'), path('large')],
    lost: [],
    notCovered: undefined,
  });
  expect((await recorded()).map(({ before, after }) => [before, after])).toEqual([
    [hash('one'), hash('ONE')],
    [null, hash('x'.repeat(5_000_000))],
  ]);
  expect(String(await new BeforeImageReader(journalFolders(dataFolder)).read(hash('one')))).toBe('one');
  await rm(path('large'));
  await snapshots.before('call_2');
  await write('a', 'TWO');
  expect(await snapshots.after('call_2')).toMatchObject({ changed: [path('a')], lost: [], notCovered: undefined });
});

test('copies no keys, and counts those files', async () => {
  const { root, dataFolder, path, write } = await testProject({ '.ssh/id': 'KEY', '.netrc': 'KEY', a: 'one' });
  const secrets = new Set([path('.ssh'), path('.netrc'), path('.aws')]);
  const snapshots = createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 's', secrets });
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, unreadable: 2 });
  await write('.netrc', 'other');
  await write('.ssh/new', 'KEY');
  await write('a', 'two');
  expect(await snapshots.after('call_1')).toMatchObject({ changed: [path('a')] });
  expect(await new BeforeImageReader(journalFolders(dataFolder)).has(hash('KEY'))).toBe(false);
});

test('skips pseudo file systems', async () => {
  const { dataFolder } = await testProject({});
  const limits = { ...ENOUGH, maxEntries: 1, leastFiles: 1 }; // the first folder alone
  const snapshots = createWorkspaceSnapshots({ roots: () => ['/'], dataFolder, sessionId: 's', limits });
  expect((await snapshots.before('call_1')).notCovered).toBe(undefined);
  const [name = ''] = (await readdir(journalFolders(dataFolder).open)).filter((one) => one.endsWith('.picture'));
  const picture = await readFile(join(journalFolders(dataFolder).open, name), 'utf8');
  expect(picture).toContain('"/"');
  expect(picture).not.toMatch(/"\/(?:proc|sys|dev)["/]/);
});

test('reads a recently changed file again if the clock counts in seconds', () => {
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  const at = (ms: number): Stats => Object.assign(statSync('/'), { mtimeMs: ms, ctimeMs: ms });
  expect(entryOf(at(second - 1_000)).settled).toBe(false);
  expect(entryOf(at(second - 1_000.5)).settled).toBe(true);
  expect(entryOf(at(second - 10_000)).settled).toBe(true);
});

test('the pack of a killed session is reduced to the content that changes need', async () => {
  const { snapshots, write, dataFolder, root } = await testProject({ a: 'one', b: 'two' });
  await snapshots.before('call_1');
  await write('a', 'ONE');
  await snapshots.after('call_1');
  await snapshots.end();
  const killed = createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 'killed' });
  await killed.prepare();
  const folders = journalFolders(dataFolder);
  await rm(folders.open, { recursive: true }); // as if it had come no further
  for (const name of await readdir(folders.packs))
    await utimes(join(folders.packs, name), LONG_AGO, new Date(Date.now() - 7_200_000));
  await rm(join(folders.top, 'pruned'), { force: true });
  await cleanUpJournal(dataFolder);
  const images = new BeforeImageReader(folders);
  expect([await images.has(hash('one')), await images.has(hash('two'))]).toEqual([true, false]);
  expect((await readdir(folders.packs)).filter((name) => name.startsWith('killed'))).toEqual([]);
});

test('records changes with a copy of the earlier content', async () => {
  const { snapshots, write, path, recorded, dataFolder } = await testProject({ a: 'one', b: 'two' });
  await snapshots.before('call_1');
  await write('a', 'ONE');
  await rm(path('b'));
  await write('c', 'three');
  expect(await snapshots.after('call_1')).toEqual({
    changed: [path('a'), path('b'), path('c')],
    lost: [],
    notCovered: undefined,
  });
  expect(await recorded()).toEqual([
    { real: path('a'), before: hash('one'), after: hash('ONE'), mode: 0o644 },
    { real: path('b'), before: hash('two'), after: null, mode: 0o644 },
    { real: path('c'), before: null, after: hash('three'), mode: 0o644 },
  ]);
  const images = new BeforeImageReader(journalFolders(dataFolder));
  expect(String(await images.read(hash('one')))).toBe('one');
  expect(String(await images.read(hash('two')))).toBe('two');
});

test('records nothing if nothing was changed', async () => {
  const { snapshots, recorded } = await testProject({ a: 'one', 'sub/b': 'two' });
  expect(await snapshots.before('call_1')).toEqual({
    kept: 2,
    notYet: 0,
    tooLarge: 0,
    unreadable: 0,
    unseen: 0,
    tooMuch: { paths: [], limit: '10000 files or 100 MB' },
    notCovered: undefined,
  });
  expect(await snapshots.after('call_1')).toEqual({ changed: [], lost: [], notCovered: undefined });
  expect(await recorded()).toEqual([]);
});

test('records nothing for a file that was rewritten with the same content', async () => {
  const { snapshots, write, recorded } = await testProject({ a: 'one' });
  await snapshots.before('call_1');
  await write('a', 'one');
  await snapshots.after('call_1');
  expect(await recorded()).toEqual([]);
});

test('detects a change of the same length within one tick of the clock', async () => {
  const { snapshots, write, recorded, path } = await testProject({ a: 'one' });
  for (const [index, text] of ['two', 'six', 'ten', 'one', 'two'].entries()) {
    await snapshots.before(`call_${index}`);
    await write('a', text);
    await snapshots.after(`call_${index}`);
  }
  expect((await recorded()).map(({ real, after }) => [real, after])).toEqual(
    ['two', 'six', 'ten', 'one', 'two'].map((text) => [path('a'), hash(text)]),
  );
});

test('copies as much as time permits, the newest first, and continues with the next call', async () => {
  const { snapshots, path } = await testProject(
    { a: 'one', b: 'two', c: 'three' },
    { ...ENOUGH, leastFiles: 0, copyMs: 0, readChangedMs: -1 },
  );
  await utimes(path('a'), LONG_AGO, LONG_AGO);
  await utimes(path('c'), LONG_AGO, new Date('2021-01-01'));
  const { kept, notYet } = await snapshots.before('call_0');
  expect([kept, notYet]).toEqual([1, 2]);
  const seen = [kept];
  // A file that was written this moment is looked at once more, so that it may take some calls.
  for (let call = 1; seen.at(-1) !== 3; call += 1) seen.push((await snapshots.before(`call_${call}`)).kept);
  expect([...new Set(seen)]).toEqual([1, 2, 3]);
});

test('reports a changed file that there was no time to copy as lost, and says why', async () => {
  const { snapshots, write, path, recorded } = await testProject(
    { old: 'one', new: 'two' },
    { ...ENOUGH, leastFiles: 0, copyMs: 0 },
  );
  await utimes(path('old'), LONG_AGO, LONG_AGO);
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, notYet: 1 });
  await write('old', 'changed');
  await write('new', 'changed');
  expect((await snapshots.after('call_1')).lost).toEqual([path('old')]);
  const [lost] = (await recorded()).filter(({ real }) => real === path('old'));
  expect(lost).toMatchObject({
    before: null,
    otherBefore: { kind: 'unkept', why: 'there was no time to copy it before the command, or it could not be read' },
  });
});

test('counts files that are too large to be copied', async () => {
  const { snapshots } = await testProject({ small: 'x', large: 'x'.repeat(20) }, { ...ENOUGH, maxFileBytes: 10 });
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, tooLarge: 1, notYet: 0 });
});

test('copies no more than the limit of a session', async () => {
  const { snapshots } = await testProject({ a: '1234567', b: '7654321' }, { ...ENOUGH, maxBytes: 10 });
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, notYet: 1 });
});

test("omits files that git ignores, git's own files, and Helve's data", async () => {
  const { snapshots, write, recorded, path } = await testProject(
    { '.gitignore': '*.log\n/build\n', 'sub/.gitignore': '!keep.log\n', '.git/HEAD': 'x' },
    ENOUGH,
    '.helve',
  );
  await snapshots.before('call_1');
  for (const name of ['x.log', 'build/out', '.git/index', '.helve/mine', 'sub/keep.log', 'sub/x.log', 'sub/build/x']) {
    await write(name, 'new');
  }
  await snapshots.after('call_1');
  expect((await recorded()).map(({ real }) => real).toSorted()).toEqual(
    ['sub/build', 'sub/build/x', 'sub/keep.log'].map(path),
  );
});

test('does not record files as new that are just no longer ignored', async () => {
  const { snapshots, write, recorded, path } = await testProject({
    '.gitignore': 'ignored\n',
    'ignored/a': 'mine',
    b: 'one',
  });
  await snapshots.before('call_1');
  await write('.gitignore', 'b\n');
  await snapshots.after('call_1');
  expect((await recorded()).map(({ real }) => real)).toEqual([path('.gitignore')]);
});

test('covers a workspace in an ignored folder of another repository', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-snapshot-')));
  const root = join(folder, 'build', 'project');
  await mkdir(root, { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, '.gitignore'), 'build\n');
  await writeFile(join(root, 'a'), 'one');
  const dataFolder = join(folder, 'data');
  const snapshots = createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 's', limits: ENOUGH });
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1 });
});

test('records symlinks as symlinks, folders as folders, and modes', async () => {
  const { snapshots, path, recorded } = await testProject({ a: 'one' });
  await snapshots.before('call_1');
  await chmod(path('a'), 0o755);
  await symlink('a', path('link'));
  await mkdir(path('sub'), { mode: 0o755 });
  await snapshots.after('call_1');
  expect(await recorded()).toEqual([
    { real: path('a'), before: hash('one'), after: hash('one'), mode: 0o644, modeAfter: 0o755 },
    { real: path('link'), before: null, after: null, otherAfter: { kind: 'link', target: 'a' } },
    { real: path('sub'), before: null, after: null, otherAfter: { kind: 'folder', mode: 0o755 } },
  ]);
});

test('covers as much as fits if the workspace is too large, and says what was omitted', async () => {
  const { snapshots, dataFolder, write, path } = await testProject(
    { a: '1', 'sub/b': '2', 'sub/deep/c': '3' },
    { ...ENOUGH, maxEntries: 2 },
  );
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, unseen: 1, notCovered: undefined });
  await write('a', 'x');
  await write('sub/b', 'x');
  expect((await snapshots.after('call_1')).changed).toEqual([path('a')]);
  const left = '1 folder not looked into, for want of time or because there are too many files';
  expect((await listChanges(dataFolder, 's'))[0]?.seen?.notes).toContain(left);
});

test('records no file as new in a workspace that was not scanned in time', async () => {
  const limits = { ...ENOUGH, leastFiles: 0, scanMs: -1 };
  const { snapshots, write, recorded } = await testProject({ a: '1', 'sub/b': '2' }, limits);
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 0, unseen: 1 });
  await write('sub/b', 'x');
  await snapshots.after('call_1');
  expect(await recorded()).toEqual([]);
});

test('records that a command may have changed paths that were not scanned', async () => {
  const { snapshots, dataFolder, write } = await testProject({ a: '1', 'sub/b': '2' }, { ...ENOUGH, maxEntries: 2 });
  await snapshots.before('call_1');
  await write('sub/b', 'x');
  await snapshots.after('call_1');
  expect(await listChanges(dataFolder, 's')).toMatchObject([{ callId: 'call_1', files: [] }]);
});

test('does not block a command if copies cannot be saved', async () => {
  const { snapshots, dataFolder, write } = await testProject({ a: 'one' });
  await writeFile(dataFolder, 'a file in the place of the data folder');
  expect((await snapshots.before('call_1')).notCovered).toMatch(/^What the command changed is not known: /);
  await write('a', 'x');
  expect((await snapshots.after('call_1')).notCovered).toMatch(/^What the command changed is not known: /);
});

test('removes the copies that no change needs at the end of the session', async () => {
  const { snapshots, write, recorded, dataFolder } = await testProject({ a: 'one', b: 'two' });
  await snapshots.before('call_1');
  await write('a', 'ONE');
  await snapshots.after('call_1');
  await snapshots.end();
  const images = new BeforeImageReader(journalFolders(dataFolder));
  expect((await recorded()).map(({ before }) => before)).toEqual([hash('one')]);
  expect([await images.has(hash('one')), await images.has(hash('two'))]).toEqual([true, false]);
  expect(await readdir(journalFolders(dataFolder).open)).toEqual([]);
});

test('leaves no copies after a session without changes', async () => {
  const { snapshots, dataFolder } = await testProject({ a: 'one' });
  await snapshots.prepare();
  await snapshots.end();
  expect(await readdir(journalFolders(dataFolder).packs)).toEqual([]);
});

test('makes copies again if they were removed', async () => {
  const { snapshots, write, recorded, dataFolder } = await testProject({ a: 'one' });
  await snapshots.prepare();
  await rm(dataFolder, { recursive: true });
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 1, notCovered: undefined });
  await write('a', 'two');
  await snapshots.after('call_1');
  expect((await recorded()).map(({ before }) => before)).toEqual([hash('one')]);
  expect(await new BeforeImageReader(journalFolders(dataFolder)).has(hash('one'))).toBe(true);
});

test('packs that are older than a month are removed with other copies', async () => {
  const { snapshots, dataFolder } = await testProject({ a: 'one' });
  await snapshots.before('call_1');
  const folders = journalFolders(dataFolder);
  await pruneJournal(folders);
  expect(await readdir(folders.packs)).toHaveLength(2);
  for (const name of await readdir(folders.packs)) await utimes(join(folders.packs, name), LONG_AGO, LONG_AGO);
  await pruneJournal(folders, Date.now() + 2 * 24 * 3_600_000);
  expect(await readdir(folders.packs)).toEqual([]);
});

test('keeps copies where no other user can read them', async () => {
  const { snapshots, dataFolder } = await testProject({ secret: 'one' });
  await snapshots.before('call_1');
  const { top, packs } = journalFolders(dataFolder);
  const modes = [top, packs, ...(await readdir(packs)).map((name) => join(packs, name))];
  expect(await Promise.all(modes.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))).toEqual([
    '700',
    '700',
    '600',
    '600',
  ]);
});

test('distinguishes changes between two commands from those of a command', async () => {
  const { snapshots, write, recorded, path } = await testProject({ a: 'one', b: 'two' });
  await snapshots.before('call_1');
  await snapshots.after('call_1');
  await write('a', 'by hand');
  await snapshots.before('call_2');
  await write('b', 'changed');
  await snapshots.after('call_2');
  expect((await recorded()).map(({ real }) => real)).toEqual([path('b')]);
});

test('covers folders that are added to the workspace later', async () => {
  const { root, dataFolder, path, write } = await testProject({ 'one/a': '1', 'two/b': '2' });
  const roots = [join(root, 'one')];
  const snapshots = createWorkspaceSnapshots({ roots: () => roots, dataFolder, sessionId: 's', limits: ENOUGH });
  await snapshots.before('call_1');
  roots.push(join(root, 'two'));
  await write('two/b', 'not seen');
  expect((await snapshots.after('call_1')).changed).toEqual([]);
  await snapshots.before('call_2');
  await write('two/b', 'seen');
  expect((await snapshots.after('call_2')).changed).toEqual([path('two/b')]);
});

test('prepares the first command in advance', async () => {
  const { snapshots, write, recorded } = await testProject(
    { a: 'one', b: 'two', c: 'three' },
    { ...ENOUGH, copyMs: 200 },
  );
  await snapshots.prepare();
  await write('a', 'in between');
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 3, notYet: 0 });
  await write('a', 'changed');
  await snapshots.after('call_1');
  expect((await recorded()).map(({ before }) => before)).toEqual([hash('in between')]);
});

test('stops the preparation when a command starts', async () => {
  const { snapshots } = await testProject({ a: 'one', b: 'two' });
  const ahead = snapshots.prepare();
  expect(await snapshots.before('call_1')).toMatchObject({ kept: 2 });
  await ahead;
});

test('ends when it is aborted', async () => {
  const { snapshots } = await testProject({ a: 'one' });
  await expect(snapshots.before('call_1', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});

test('returns nothing for a call without a snapshot', async () => {
  const { snapshots } = await testProject({ a: 'one' });
  expect(await snapshots.after('call_1')).toEqual({ changed: [], lost: [], notCovered: undefined });
});

test('ignores the same files as git', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-ignore-')));
  execFileSync('git', ['init', '--quiet', folder]);
  const part = fc.constantFrom('a', 'b', 'x.log', 'dir');
  const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const rule = fc.constantFrom(
    'a',
    '/a',
    'a/',
    '*.log',
    '!x.log',
    'dir/a',
    'dir/',
    '**/b',
    '!/b',
    'dir/*',
    '!dir/b',
    '#a',
  );
  const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join('\n'));
  await mkdir(join(folder, 'dir'));
  await fc.assert(
    fc.asyncProperty(rules, rules, fc.uniqueArray(path, { minLength: 1 }), async (outer, inner, paths) => {
      await writeFile(join(folder, '.gitignore'), outer);
      await writeFile(join(folder, 'dir/.gitignore'), inner);
      const args = ['-c', 'core.excludesFile=', 'check-ignore', '--no-index', '--stdin'];
      const answer = (() => {
        try {
          return execFileSync('git', args, { cwd: folder, input: paths.join('\n'), encoding: 'utf8' });
        } catch (error) {
          // 1: no file is ignored
          if (error instanceof Error && 'status' in error && error.status === 1) return '';
          throw error;
        }
      })();
      const ignored = answer.split('\n').filter((line) => line !== '');
      const ours = paths.filter((name) => isIgnored(folder, name));
      expect(ours.filter((name) => !ignored.includes(name))).toEqual([]);
      // What is brought back further down is seen with all that is in it, which is too much rather than too little.
      if (!inner.includes('!')) expect(ours.toSorted()).toEqual(ignored.toSorted());
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 50 },
  );
});

/** Like the walk: from the top, and not below ignored folders. */
function isIgnored(folder: string, name: string): boolean {
  let rules = GitIgnore.above(folder).within(folder);
  let at = folder;
  const parts = name.split('/');
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const isFolder = index < parts.length - 1 || name === 'dir';
    if (rules.ignores(at, { isFolder })) return true;
    if (isFolder) rules = rules.within(at);
  }
  return false;
}

test('keeps a file that the command names, even if there are too many others to scan', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`many/${index}/file`, `${index}`]));
  const { snapshots, path, write, recorded } = await testProject(
    { ...many, 'z/last': 'one' },
    { ...ENOUGH, maxEntries: 5 },
  );
  const writes = { paths: [{ real: path('z/last'), tree: false }], isExact: false };
  expect((await snapshots.before('call_1', undefined, writes)).unseen).toBeGreaterThan(0);
  await write('z/last', 'two');
  expect(await snapshots.after('call_1')).toMatchObject({ changed: [path('z/last')], lost: [] });
  expect(await recorded()).toMatchObject([{ before: hashOf(Buffer.from('one')), after: hashOf(Buffer.from('two')) }]);
});
