import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
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
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FileChange, type FileChanges, StaleFile } from '../../contract/file-change.js';
import { hashOf } from '../crypto.js';
import { describeRecovery } from './describe-recovery.js';
import { createFileChanges } from './file-changes.js';
import {
  beforeImagePath,
  journalFolders,
  listChanges,
  listSessions,
  pruneJournal,
  saveBeforeImage,
} from './journal.js';
import { lockName, lockPath, type OpenChange, recordPath, writeRecord } from './lock.js';
import { thisProcess } from './process-identity.js';
import { recoverChanges } from './recover-changes.js';

interface TestProject {
  root: string;
  dataFolder: string;
  changes: FileChanges;
  path(name: string): string;
  text(name: string): Promise<string>;
}

async function testProject(files: Readonly<Record<string, string>> = {}): Promise<TestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-changes-')));
  const root = join(folder, 'project');
  await mkdir(root);
  const path = (name: string): string => join(root, name);
  for (const [name, text] of Object.entries(files)) await writeFile(path(name), text);
  const dataFolder = join(folder, 'data');
  const changes = createFileChanges({ dataFolder, sessionId: 's' });
  return { root, dataFolder, changes, path, text: (name) => readFile(path(name), 'utf8') };
}

const hash = (text: string): string => hashOf(Buffer.from(text));

const change = (real: string, before: string | null, after: string | null): FileChange => ({
  real,
  before: before === null ? null : hash(before),
  after: after === null ? null : Buffer.from(after),
});

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was thrown',
    (error: Error) => error.message,
  );

const nothingOpen = async (dataFolder: string): Promise<string[]> => {
  const { open, locks } = journalFolders(dataFolder);
  return [...(await readdir(open)), ...(await readdir(locks))];
};

test('changes, creates and removes files together, with missing folders', async () => {
  const { root, changes, path, text, dataFolder } = await testProject({ a: 'one', b: 'two' });
  await changes.apply('call', [
    change(path('a'), 'one', 'ONE'),
    change(path('x/y/c'), null, 'three'),
    change(path('b'), 'two', null),
  ]);
  expect([await text('a'), await text('x/y/c')]).toEqual(['ONE', 'three']);
  expect((await readdir(root)).toSorted()).toEqual(['a', 'x']);
  expect(await nothingOpen(dataFolder)).toEqual([]);
});

test('creates a file in a folder whose name the same change frees by removing a file', async () => {
  const { changes, path, text } = await testProject({ a: 'file' });
  await changes.apply('call', [change(path('a'), 'file', null), change(path('a/b'), null, 'inside')]);
  expect(await text('a/b')).toBe('inside');
});

test('keeps the mode of a file, gives a new one the mode of its template, and any other the default', async () => {
  const { changes, path } = await testProject({ 'run.sh': 'old', plain: '' });
  await chmod(path('run.sh'), 0o751);
  await changes.apply('call', [
    change(path('run.sh'), 'old', 'new'),
    { ...change(path('moved.sh'), null, 'x'), like: path('run.sh') },
    { ...change(path('private'), null, 'x'), mode: 0o600 },
    change(path('fresh'), null, 'x'),
  ]);
  const modes = ['run.sh', 'moved.sh', 'private', 'fresh'].map(async (name) => (await stat(path(name))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o751, 0o751, 0o600, (await stat(path('plain'))).mode & 0o777]);
});

test.each([
  ['holds something else', 'other'],
  ['was removed', null],
])('changes nothing if one of the files %s', async (_, now) => {
  const { root, changes, path, text } = await testProject({ a: 'one', b: 'two' });
  if (now === null) await rm(path('b'));
  else await writeFile(path('b'), now);
  const stale = changes.apply('call', [change(path('a'), 'one', 'ONE'), change(path('b'), 'two', 'TWO')]);
  await expect(stale).rejects.toThrow(StaleFile);
  await expect(stale).rejects.toMatchObject({ real: path('b') });
  expect(await text('a')).toBe('one');
  expect((await readdir(root)).toSorted()).toEqual(now === null ? ['a'] : ['a', 'b']);
});

test('a file that appeared meanwhile counts as stale', async () => {
  const { changes, path, text } = await testProject({ a: 'theirs' });
  await expect(changes.apply('call', [change(path('a'), null, 'ours')])).rejects.toThrow(StaleFile);
  expect(await text('a')).toBe('theirs');
});

test('rolls back changes before a failure, including modes and folders', async () => {
  const { root, changes, path, text, dataFolder } = await testProject({ a: 'one', b: 'two' });
  await chmod(path('b'), 0o751);
  await mkdir(path('folder'));
  const message = await messageOf(
    changes.apply('call', [
      change(path('a'), 'one', 'ONE'),
      change(path('x/y/c'), null, 'three'),
      change(path('b'), 'two', null),
      change(path('b/inside'), null, 'four'),
      change(path(`b/${'n'.repeat(300)}`), null, 'too long a name'),
    ]),
  );
  expect(message).toMatch(/too long for the file system/);
  expect(message).toMatch(/What had been changed before was put back, so all files are as they were\.$/);
  expect((await readdir(root)).toSorted()).toEqual(['a', 'b', 'folder']);
  expect([await text('a'), await text('b')]).toEqual(['one', 'two']);
  expect((await stat(path('b'))).mode & 0o777).toBe(0o751);
  expect(await listChanges(dataFolder, 's')).toEqual([]);
  expect(await nothingOpen(dataFolder)).toEqual([]);
});

test('reports what blocks the change, and leaves everything unchanged', async () => {
  const { root, changes, path } = await testProject({ file: '' });
  await mkdir(path('folder'));
  execFileSync('mkfifo', [path('pipe')]);
  const why = (name: string) => messageOf(changes.apply('call', [change(path(name), null, 'x')]));
  expect(await why('folder')).toMatch(/folder is a directory, so it can't be written as a file/);
  expect(await why('pipe')).toMatch(/pipe is a named pipe/);
  expect(await why('file/x')).toMatch(/file is a file, not a folder/);
  expect(await why('n'.repeat(300))).toMatch(/too long for the file system/);
  expect((await readdir(root)).toSorted()).toEqual(['file', 'folder', 'pipe']);
});

test('does not follow a symlink that replaced a file or a folder', async () => {
  const { root, changes, path } = await testProject({ secret: 'old' });
  await mkdir(path('real'));
  await writeFile(path('real/a'), 'old');
  await symlink('secret', path('link'));
  await symlink('nothing', path('dangling'));
  await symlink('real', path('around'));
  const apply = (name: string, before: string | null) => changes.apply('call', [change(path(name), before, 'new')]);
  await expect(apply('link', 'old')).rejects.toThrow(/symlink/);
  await expect(apply('dangling', null)).rejects.toThrow(/symlink/);
  await expect(apply('around/a', 'old')).rejects.toThrow(/was replaced while it was opened/);
  await expect(apply('around/new', null)).rejects.toThrow(/is not a folder/);
  await expect(apply('around/deeper/new', null)).rejects.toThrow(/is not a folder/);
  expect(await readFile(path('secret'), 'utf8')).toBe('old');
  expect((await readdir(path('real'))).toSorted()).toEqual(['a']);
  expect(await readdir(root)).not.toContain('nothing');
});

test('does not follow such a symlink on a system without /proc either', async () => {
  const { changes, path } = await testProject();
  await mkdir(path('real'));
  await writeFile(path('real/a'), 'old');
  await symlink('real', path('around'));
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'freebsd' });
  try {
    await expect(changes.apply('call', [change(path('around/a'), 'old', 'new')])).rejects.toThrow(/was replaced/);
    await changes.apply('call', [change(path('real/a'), 'old', 'new')]);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
  expect(await readFile(path('real/a'), 'utf8')).toBe('new');
});

test('writes a file with hard links in place', async () => {
  const { changes, path, text } = await testProject({ a: 'a long old text' });
  await link(path('a'), path('b'));
  const { ino } = await stat(path('a'));
  await changes.apply('call', [change(path('a'), 'a long old text', 'short')]);
  await changes.apply('call', [change(path('b'), 'short', 'a text that is longer again')]);
  expect([await text('a'), await text('b')]).toEqual(Array(2).fill('a text that is longer again'));
  expect((await stat(path('b'))).ino).toBe(ino);
});

test.runIf(process.platform === 'linux')('keeps extended attributes and access lists', async ({ skip }) => {
  const { changes, path } = await testProject({ a: 'one' });
  const python = (code: string): string => {
    const { stdout, status } = spawnSync('python3', [
      '-c',
      `import os,struct\np=${JSON.stringify(path('a'))}\n${code}`,
    ]);
    if (status !== 0) skip('extended attributes cannot be set here');
    return stdout.toString().trim();
  };
  python(`os.setxattr(p,'user.tag',b'kept')
e=lambda t,m,i=0xffffffff: struct.pack('<HHI',t,m,i)
os.setxattr(p,'system.posix_acl_access',struct.pack('<I',2)+e(1,6)+e(2,6,1234)+e(4,4)+e(16,6)+e(32,4))`);
  const attributes = `print(sorted((n,os.getxattr(p,n)) for n in os.listxattr(p)),oct(os.stat(p).st_mode))`;
  const before = python(attributes);
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  await changes.apply('call', [change(path('a'), 'two', 'three')]);
  expect(before).toContain('kept');
  expect(python(attributes)).toBe(before);
  python(`[os.removexattr(p,n) for n in os.listxattr(p)]`);
  await changes.apply('call', [change(path('a'), 'three', 'four')]);
  python(`os.setxattr(p,'user.tag',b'given later')`);
  const later = python(attributes);
  await changes.apply('call', [change(path('a'), 'four', 'five')]);
  expect(later).toContain('given later');
  expect(python(attributes)).toBe(later);
});

test('stores earlier contents privately, and lists the changes', async () => {
  const { changes, path, dataFolder } = await testProject({ a: 'one', b: 'two' });
  await chmod(path('b'), 0o640);
  await changes.apply('first', [change(path('a'), 'one', 'ONE')]);
  await changes.apply('second', [
    change(path('a'), 'ONE', 'One'),
    change(path('b'), 'two', null),
    change(path('c'), null, 'three'),
  ]);
  const { beforeImages: images, top } = journalFolders(dataFolder);
  expect((await readdir(images)).toSorted()).toEqual([hash('one'), hash('ONE'), hash('two')].toSorted());
  expect((await stat(top)).mode & 0o777).toBe(0o700);
  expect((await stat(join(images, hash('one')))).mode & 0o777).toBe(0o600);
  expect((await listSessions(dataFolder)).map(({ sessionId }) => sessionId)).toEqual(['s']);
  expect((await listChanges(dataFolder, 's')).map(({ callId }) => callId)).toEqual(['first', 'second']);

  const [second] = await listChanges(dataFolder, 's', 'second');
  expect(second?.files.map(({ real, before, after }) => [real, before, after])).toEqual([
    [path('a'), hash('ONE'), hash('One')],
    [path('b'), hash('two'), null],
    [path('c'), null, hash('three')],
  ]);
  expect(second?.files[1]?.mode).toBe(0o640);
});

test('records the folders that were created for a file, so that undo removes them too', async () => {
  const { changes, path, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('x/y/new'), null, 'new')]);
  const [made] = await listChanges(dataFolder, 's');
  expect(made?.files[0]?.folders).toEqual([path('x'), path('x/y')]);
});

test('changes nothing if the content of the file cannot be saved', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: 'one' });
  await writeFile(dataFolder, 'a file where the folder should be');
  const message = await messageOf(changes.apply('call', [change(path('a'), 'one', 'two')]));
  expect(message).toMatch(/could not be kept for undo, so it was not changed.*HELVE_HOME/);
  expect(await text('a')).toBe('one');
  await rm(dataFolder);
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  expect(await text('a')).toBe('two');
});

test('recreates its folders if they were removed', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  await rm(dataFolder, { recursive: true });
  await changes.apply('call', [change(path('a'), 'two', 'three')]);
  expect(await text('a')).toBe('three');
});

test('loses no concurrent update, by one engine or by two', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: '', b: '' });
  const other = createFileChanges({ dataFolder, sessionId: 'other' });
  await link(path('a'), path('a2'));
  const append = async (by: FileChanges, names: readonly string[], letter: string): Promise<void> => {
    for (;;) {
      const texts = await Promise.all(names.map(text));
      const all = names.map((name, index) => change(path(name), texts[index] ?? '', `${texts[index]}${letter}`));
      try {
        return await by.apply('call', all);
      } catch (error) {
        if (!(error instanceof StaleFile)) throw error;
      }
    }
  };
  const letters = [...'abcdefghijklmnopqrst'];
  const ways = [['a', 'b'], ['b', 'a2'], ['a'], ['b']];
  await Promise.all(
    letters.map((letter, index) => append(index % 2 ? changes : other, ways[index % 4] ?? ['a'], letter)),
  );
  const sorted = async (name: string) => [...(await text(name))].toSorted().join('');
  expect(await sorted('a')).toBe(letters.filter((_, index) => index % 4 !== 3).join(''));
  expect(await sorted('b')).toBe(letters.filter((_, index) => index % 4 !== 2).join(''));
});

const endedOwner = async (): Promise<OpenChange['owner']> => {
  const { pid } = spawnSync('true');
  return { ...(await thisProcess()), pid, started: 1 };
};

/** The record of a process that has ended, with its locks unless it ended before it had them. */
const left = async (
  dataFolder: string,
  files: OpenChange['files'],
  owner?: OpenChange['owner'],
  { hasLocks = true }: { hasLocks?: boolean } = {},
): Promise<OpenChange> => {
  const record: OpenChange = {
    token: hashOf(Buffer.from(JSON.stringify([files, Math.random()]))).slice(0, 24),
    owner: owner ?? (await endedOwner()),
    sessionId: 's',
    callId: 'call',
    at: new Date().toISOString(),
    locks: files.map(({ real }) => lockName(`name:${real}`)),
    files,
  };
  await writeRecord(journalFolders(dataFolder), record, { durable: false });
  for (const name of hasLocks ? record.locks : record.locks.slice(1)) {
    await link(recordPath(journalFolders(dataFolder), record.token), lockPath(journalFolders(dataFolder), name));
  }
  return record;
};

test('breaks the lock of a process that has ended, and waits for a running one', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('b'), null, 'x')]);
  const file = { real: path('a'), before: hash('one'), after: hash('never') };
  await left(dataFolder, [file]);
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  expect(await text('a')).toBe('two');

  await left(dataFolder, [{ ...file, before: hash('two') }], await thisProcess());
  const hasty = createFileChanges({ dataFolder, sessionId: 's', lockWaitMs: 20 });
  const message = await messageOf(hasty.apply('call', [change(path('a'), 'two', 'three')]));
  expect(message).toMatch(`a is being changed by another Helve (process ${process.pid}, since `);
  expect(message).toMatch('Nothing was changed.');
  expect(await text('a')).toBe('two');
  expect(await recoverChanges(dataFolder)).toMatchObject({ restored: [], removed: [] });
  await expect(hasty.apply('call', [change(path('a'), 'two', 'three')])).rejects.toThrow('is being changed');
});

test.runIf(process.platform === 'linux')('keeps an attribute that was set while it waited', async ({ skip }) => {
  const { changes, path, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('b'), null, 'x')]);
  const holder = await left(dataFolder, [{ real: path('a'), before: null, after: null }], await thisProcess());
  const waiting = changes.apply('call', [change(path('a'), 'one', 'two')]);
  const python = (code: string) => promisify(execFile)('python3', ['-c', `import os,sys\n${code}`, path('a')]);
  const given = await python(`os.setxattr(sys.argv[1],'user.tag',b'yes')`).catch(() => undefined);
  const folders = journalFolders(dataFolder);
  for (const name of [...holder.locks.map((lock) => lockPath(folders, lock)), recordPath(folders, holder.token)])
    await rm(name);
  await waiting;
  if (!given) skip('extended attributes cannot be set here');
  expect((await python('print(os.listxattr(sys.argv[1]))')).stdout).toContain('user.tag');
});

test.runIf(process.platform === 'linux')('rolls back a change that was recorded only partly', async () => {
  const { root, path, text, dataFolder } = await testProject({ a: '0' });
  const program = join(root, 'program.mjs');
  await build({
    stdin: {
      contents: `import { createFileChanges } from './file-changes.js';
        import { hashOf } from '../crypto.js';
        const [, , real, dataFolder] = process.argv;
        const changes = createFileChanges({ dataFolder, sessionId: 's' });
        const text = (count) => Buffer.from(String(count));
        for (let made = 0; ; made += 1) {
          const change = { real, before: hashOf(text(made)), after: text(made + 1) };
          try { await changes.apply('call', [change]); } catch { console.log(made); break; }
        }`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  // The limit on the size of files makes the kernel stop a write after some bytes, as a full disk does.
  const limited = ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, program, path('a'), dataFolder];
  const made = Number(spawnSync('bash', limited).stdout.toString());
  expect(made).toBeGreaterThan(0);
  expect(await listChanges(dataFolder, 's')).toHaveLength(made);
  expect(await text('a')).toBe(String(made));
});

test('completes the recovery of a process that was killed during recovery', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('b'), null, 'x')]);
  const folders = journalFolders(dataFolder);
  const first = await left(dataFolder, [{ real: path('a'), before: hash('one'), after: hash('1') }]);
  const second = await left(dataFolder, []);
  await link(recordPath(folders, second.token), join(folders.open, `${first.token}.claim`));
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  expect(await text('a')).toBe('two');
  await recoverChanges(dataFolder);
  expect(await nothingOpen(dataFolder)).toEqual([]);
});

test('removes a lock file that a power cut left empty', async () => {
  const { changes, path, text, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('b'), null, 'x')]);
  const lock = lockPath(journalFolders(dataFolder), lockName(`name:${path('a')}`));
  await writeFile(lock, '');
  await utimes(lock, new Date(0), new Date(0));
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  expect(await text('a')).toBe('two');
});

const leftOpen = async (
  place: TestProject,
  files: ReadonlyArray<[name: string, before: string | null, after: string | null]>,
) => {
  const folders = journalFolders(place.dataFolder);
  await place.changes.apply('first', [change(place.path('first'), null, 'x')]);
  const record = await left(
    place.dataFolder,
    files.map(([name, before, after]) => ({
      real: place.path(name),
      before: before === null ? null : hash(before),
      after: after === null ? null : hash(after),
    })),
  );
  for (const [, ...texts] of files) {
    for (const kept of texts) if (kept !== null) await saveBeforeImage(folders, Buffer.from(kept), hash(kept));
  }
  const plan = { files: files.map(() => ({ owner: { mode: 0o640, uid: 0, gid: 0 }, inPlace: true, folders: [] })) };
  await writeFile(join(folders.open, `${record.token}.plan`), JSON.stringify(plan));
  return record;
};

test('rolls back a change that was interrupted between two of its files', async () => {
  const here = await testProject({ a: 'ONE', b: 'two', c: 'made', d: 'three' });
  const record = await leftOpen(here, [
    ['a', 'one', 'ONE'],
    ['gone', 'removed', null],
    ['c', null, 'made'],
    ['b', 'two', 'TWO'],
    ['d', 'three', 'THREE'],
  ]);
  await writeFile(here.path(`.helve-${record.token}-3.tmp`), 'TW');
  const report = await recoverChanges(here.dataFolder);
  expect(report).toEqual({
    restored: [here.path('c'), here.path('gone'), here.path('a')],
    undos: [],
    finished: [],
    listed: [],
    left: [],
    removed: [here.path(`.helve-${record.token}-3.tmp`)],
  });
  expect((await readdir(here.root)).toSorted()).toEqual(['a', 'b', 'd', 'first', 'gone']);
  expect(await Promise.all(['a', 'gone', 'b', 'd'].map(here.text))).toEqual(['one', 'removed', 'two', 'three']);
  expect((await stat(here.path('gone'))).mode & 0o777).toBe(0o640);
  expect(await nothingOpen(here.dataFolder)).toEqual([]);
  expect(describeRecovery(await recoverChanges(here.dataFolder))).toBeUndefined();
});

test('skips a file that was changed since, and says where its old content is', async () => {
  const here = await testProject({ a: 'theirs', b: 'TWO' });
  await leftOpen(here, [
    ['a', 'one', 'ONE'],
    ['b', 'two', 'TWO'],
  ]);
  const report = await recoverChanges(here.dataFolder);
  const image = beforeImagePath(journalFolders(here.dataFolder), hash('one'));
  expect(report.left).toEqual([{ real: here.path('a'), why: 'it was changed since', image }]);
  expect([await here.text('a'), await here.text('b'), await readFile(image, 'utf8')]).toEqual(['theirs', 'two', 'one']);
  expect(describeRecovery(report)).toBe(
    `A change of files was cut short when Helve last ran. Put back as it was before: ${here.path('b')}. ${here.path('a')} was left alone, because it was changed since; what it held before is in ${image}. Look at it before you go on.`,
  );
});

test('completes the record if the change itself was complete', async () => {
  const here = await testProject({ a: 'ONE' });
  const record = await leftOpen(here, [
    ['a', 'one', 'ONE'],
    ['gone', 'x', null],
  ]);
  expect(await recoverChanges(here.dataFolder)).toMatchObject({ finished: [here.path('a'), here.path('gone')] });
  expect((await listChanges(here.dataFolder, 's')).map((made) => made.change)).toContain(record.token);
});

test('a change whose process ended while it waited for a lock counts as not made, even if another process made the same', async () => {
  const { changes, path, dataFolder } = await testProject({ a: 'one', b: 'one' });
  await changes.apply('call', [change(path('a'), 'one', 'two'), change(path('b'), 'one', 'two')]);
  const file = (name: string) => ({ real: path(name), before: hash('one'), after: hash('two') });
  for (const files of [[file('a')], [file('a'), file('b')]])
    await left(dataFolder, files, undefined, { hasLocks: false });
  expect(await recoverChanges(dataFolder)).toMatchObject({ finished: [], restored: [], left: [] });
  expect(await listChanges(dataFolder, 's')).toHaveLength(1);
  expect(await nothingOpen(dataFolder)).toEqual([]);
});

test('repairs an in-place write that was interrupted at any point', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ maxLength: 40 }),
      fc.string({ maxLength: 40 }),
      fc.nat(),
      async (old, wanted, seed) => {
        const [before, after] = [Buffer.from(`<${old}>`), Buffer.from(`[${wanted}]`)];
        const cut = seed % (after.length + 1);
        const torn = Buffer.concat([after.subarray(0, cut), before.subarray(cut)]);
        const here = await testProject();
        await leftOpen(here, [
          ['a', before.toString(), after.toString()],
          ['b', 'never', 'reached'],
        ]);
        await writeFile(here.path('a'), torn);
        const { left: alone } = await recoverChanges(here.dataFolder);
        expect(await here.text('a')).toBe(before.toString());
        expect(alone.map(({ real }) => real)).toEqual([here.path('b')]);
      },
    ),
    { numRuns: 25 },
  );
});

test('removes copies older than a month, once a day', async () => {
  const { changes, path, dataFolder } = await testProject({ a: 'one' });
  const folders = journalFolders(dataFolder);
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  await changes.apply('call', [change(path('a'), 'two', 'three')]);
  const day = 24 * 3_600_000;
  const old = new Date(Date.now() - 32 * day);
  await utimes(join(folders.beforeImages, hash('one')), old, old);
  await pruneJournal(folders, Date.now() - day);
  expect(await readdir(folders.beforeImages)).toHaveLength(2); // old for the first time
  await pruneJournal(folders);
  expect(await readdir(folders.beforeImages)).toEqual([hash('two')]);
  await utimes(join(folders.beforeImages, hash('two')), old, old);
  await pruneJournal(folders);
  expect(await readdir(folders.beforeImages)).toEqual([hash('two')]);
  await pruneJournal(folders, Date.now() + 2 * day);
  expect(await readdir(folders.beforeImages)).toEqual([]);
});

test('saves a copy again if a power cut truncated it', async () => {
  const { changes, path, dataFolder } = await testProject({ a: 'one' });
  await changes.apply('call', [change(path('b'), null, 'x')]);
  const image = join(journalFolders(dataFolder).beforeImages, hash('one'));
  await writeFile(image, '');
  await changes.apply('call', [change(path('a'), 'one', 'two')]);
  expect(await readFile(image, 'utf8')).toBe('one');
});

test('refuses a journal that belongs to another user or is a symlink', async () => {
  const { changes, path, dataFolder, root } = await testProject({ a: 'one' });
  await mkdir(dataFolder);
  await symlink(root, join(dataFolder, 'journal'));
  await expect(changes.apply('call', [change(path('a'), 'one', 'two')])).rejects.toThrow(/not a folder of our own/);
  expect((await lstat(join(dataFolder, 'journal'))).isSymbolicLink()).toBe(true);
});

test('refuses to change one file twice in one call', async () => {
  const { changes, path } = await testProject({ a: 'one' });
  const twice = [change(path('a'), 'one', 'two'), change(path('a'), 'two', 'three')];
  await expect(changes.apply('call', twice)).rejects.toThrow(/is changed twice at once/);
});

test('refuses to create a file at a path that the same change needs as a folder', async () => {
  const { root, changes, path } = await testProject();
  const both = [change(path('b'), null, 'x'), change(path('b/c'), null, 'y')];
  await expect(changes.apply('call', both)).rejects.toThrow(/b becomes a file in the same change/);
  expect(await readdir(root)).toEqual([]);
});
