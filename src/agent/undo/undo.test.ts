import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileChanges } from '../../contract/file-change.js';
import { hashOf } from '../../platform/crypto.js';
import { createFileChanges } from '../../platform/journal/file-changes.js';
import { beforeImagePath, journalFolders, listChanges } from '../../platform/journal/journal.js';
import type { SnapshotLimits, SnapshotReport } from '../../platform/snapshots/snapshot-contract.js';
import { createWorkspaceSnapshots } from '../../platform/snapshots/workspace-snapshot.js';
import { applyUndo, type UndoOutcome } from './apply-undo.js';
import { planUndo } from './undo.js';
import { listUndoable, type UndoSelection } from './undo-calls.js';

interface TestProject {
  root: string;
  dataFolder: string;
  path(name: string): string;
  text(name: string): Promise<string>;
  /** Changes a file as a tool does; null removes it. */
  edit(callId: string, name: string, content: string | Uint8Array | null): Promise<void>;
  /** Changes files as a command does. */
  command(callId: string, work: () => Promise<unknown>): Promise<SnapshotReport>;
  undo(selection?: UndoSelection, options?: { force?: boolean }): Promise<UndoOutcome>;
  tree(): Promise<Record<string, string>>;
}

async function testProject(
  files: Readonly<Record<string, string>> = {},
  limits: Partial<SnapshotLimits> = { copyMs: 60_000, readChangedMs: 60_000, scanMs: 60_000, rescanMs: 60_000 },
): Promise<TestProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-undo-')));
  const root = join(folder, 'project');
  const dataFolder = join(folder, 'data');
  const path = (name: string): string => join(root, name);
  await mkdir(root);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  }
  const changes: FileChanges = createFileChanges({ dataFolder, sessionId: 's' });
  const snapshots = createWorkspaceSnapshots({ roots: () => [root], dataFolder, sessionId: 's', limits });
  return {
    root,
    dataFolder,
    path,
    text: (name) => readFile(path(name), 'utf8'),
    async edit(callId, name, content) {
      const bytes = await readFile(path(name)).catch(() => undefined);
      const before = bytes ? hashOf(bytes) : null;
      await changes.apply(callId, [
        { real: path(name), before, after: content === null ? null : Buffer.from(content) },
      ]);
    },
    async command(callId, work) {
      await snapshots.before(callId);
      await work();
      return await snapshots.after(callId);
    },
    undo: async (selection = { calls: 1 }, options = {}) =>
      await applyUndo(await planUndo(dataFolder, 's', selection), options),
    tree: () => treeOf(root),
  };
}

/** Everything below the folder, with modes, contents and link targets. */
async function treeOf(root: string, at = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(join(root, at))) {
    const path = join(at, name);
    const stats = await lstat(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link ${await readlink(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(found, { [path]: `folder ${mode}` }, await treeOf(root, path));
    else found[path] = `file ${mode} ${(await readFile(join(root, path))).toString('latin1')}`;
  }
  return found;
}

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was thrown',
    (error: Error) => error.message,
  );

test('undoes the last call, then the one before it', async () => {
  const { edit, undo, text } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await edit('call_2', 'a', 'three');
  await undo();
  expect(await text('a')).toBe('two');
  await undo();
  expect(await text('a')).toBe('one');
});

test('undoes several calls at once', async () => {
  const { edit, undo, tree } = await testProject({ a: 'one', b: 'two' });
  const before = await tree();
  await edit('call_1', 'a', 'x');
  await edit('call_2', 'b', null);
  await edit('call_3', 'a', 'y');
  await edit('call_4', 'c', 'new');
  expect((await undo({ calls: 4 })).done).toHaveLength(3);
  expect(await tree()).toEqual(before);
});

test('undoes one call in the middle if no later call changed its files', async () => {
  const { edit, undo, text } = await testProject({ a: 'one', b: 'two' });
  await edit('call_1', 'a', 'x');
  await edit('call_2', 'b', 'y');
  await undo({ callIds: ['call_1'] });
  expect([await text('a'), await text('b')]).toEqual(['one', 'y']);
});

test('refuses to undo a call whose file a later call has changed, and names that call', async () => {
  const { edit, undo, text, path } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await edit('call_2', 'a', 'three');
  expect(await messageOf(undo({ callIds: ['call_1'] }))).toBe(
    `Nothing was undone. ${path('a')}: it was changed since, later by the call call_2, which is not undone with it. With force they are restored anyway; their present content is kept, and undoing this undo restores it.`,
  );
  expect(await text('a')).toBe('three');
});

test('refuses if a person has changed the file since, and with force keeps a copy of that change', async () => {
  const { edit, undo, text, path } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await writeFile(path('a'), 'by hand');
  expect(await messageOf(undo())).toMatch(
    /^Nothing was undone\. .*\/a: it was changed since, at \d{4}-\d\d-\d\d [\d:]+\. With force/,
  );
  expect(await text('a')).toBe('by hand');
  const { undoId } = await undo({ calls: 1 }, { force: true });
  expect(await text('a')).toBe('one');
  await undo({ callIds: [undoId] });
  expect(await text('a')).toBe('by hand');
});

test('refuses if a person changed the file between two calls that are undone together', async () => {
  const { edit, undo, path, text } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await writeFile(path('a'), 'by hand');
  await edit('call_2', 'a', 'three');
  expect(await messageOf(undo({ calls: 2 }))).toContain('another program changed it between these calls');
  expect(await text('a')).toBe('three');
  await undo();
  expect(await text('a')).toBe('by hand');
});

test('changes nothing if one of the files was changed since', async () => {
  const { edit, undo, path, text } = await testProject({ a: 'one', b: 'two' });
  await edit('call_1', 'a', 'x');
  await edit('call_2', 'b', 'y');
  await writeFile(path('a'), 'by hand');
  await messageOf(undo({ calls: 2 }));
  expect(await text('b')).toBe('y');
});

test('an undo can be undone, and that undo too', async () => {
  const { edit, undo, tree, command, path } = await testProject({ a: 'one', 'sub/b': 'two' });
  const start = await tree();
  await edit('call_1', 'a', 'x');
  await command('call_2', async () => {
    await rm(path('sub'), { recursive: true });
    await symlink('a', path('sub'));
    await chmod(path('a'), 0o755);
  });
  const changed = await tree();
  const first = await undo({ calls: 2 });
  expect(await tree()).toEqual(start);
  const second = await undo({ callIds: [first.undoId] });
  expect(await tree()).toEqual(changed);
  await undo({ callIds: [second.undoId] });
  expect(await tree()).toEqual(start);
});

test('reports that all is undone, and names the undo to undo', async () => {
  const { edit, undo } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'x');
  const { undoId } = await undo();
  await expect(undo()).rejects.toMatchObject({
    message: 'All calls of this session that changed files are already undone.',
    takeBack: undoId,
  });
  await expect(undo({ callIds: ['call_1'] })).rejects.toMatchObject({
    message: `call_1 is already undone, by ${undoId}.`,
    takeBack: undoId,
  });
});

test('reports that there is nothing to undo', async () => {
  const { undo, edit } = await testProject({ a: 'one' });
  expect(await messageOf(undo())).toBe('This session has changed no files, so there is nothing to undo.');
  await edit('call_1', 'a', 'x');
  expect(await messageOf(undo({ callIds: ['call_9'] }))).toBe(
    'No call "call_9" of this session changed files. helve undo --list shows those that did, and helve undo --sessions the other sessions.',
  );
});

test('lists the calls that changed files, and which are undone', async () => {
  const { edit, undo, dataFolder, path } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'x');
  const { undoId } = await undo();
  const at = expect.any(String);
  expect(await listUndoable(dataFolder, 's')).toEqual([
    { callId: 'call_1', at, position: 1, files: [path('a')], undoneBy: undoId },
    { callId: undoId, at, position: expect.any(Number), files: [path('a')], undoes: ['call_1'] },
  ]);
});

test('plans without touching anything, with a patch for each file', async () => {
  const { edit, dataFolder, root, tree, path } = await testProject({ a: 'one\n' });
  await edit('call_1', 'a', 'two\n');
  const before = await tree();
  const { items } = await planUndo(dataFolder, 's', { calls: 1 }, { cwd: root });
  expect(items.map(({ real, action, diff }) => ({ real, action, diff }))).toEqual([
    { real: path('a'), action: 'change', diff: '--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-two\n+one' },
  ]);
  expect(await tree()).toEqual(before);
});

test('keeps a mode that a person set after a call changed the content', async () => {
  const { edit, undo, tree, path } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await chmod(path('a'), 0o755);
  await undo();
  expect(await tree()).toEqual({ a: 'file 755 one' });
});

test('does nothing for a file that is already as it was before', async () => {
  const { edit, undo, path, dataFolder } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await writeFile(path('a'), 'one');
  expect((await undo()).done).toEqual([]);
  expect((await listUndoable(dataFolder, 's'))[0]?.undoneBy).toBeDefined();
});

test.each<[string, (path: (name: string) => string) => Promise<unknown>]>([
  ['a file is written', (path) => writeFile(path('a'), 'changed')],
  ['a file is written with binary content', (path) => writeFile(path('a'), Buffer.from([0, 255, 254, 0, 1]))],
  ['a file is appended to', (path) => appendFile(path('sub/b'), 'more')],
  ['a file is removed', (path) => unlink(path('a'))],
  ['a file is created', (path) => writeFile(path('new'), 'new')],
  ['a file is renamed', (path) => rename(path('a'), path('sub/z'))],
  ['a file takes the place of another', (path) => rename(path('a'), path('sub/b'))],
  ['the mode of a file is changed', (path) => chmod(path('a'), 0o755)],
  ['a file is written and made read-only', (path) => writeFile(path('a'), 'x').then(() => chmod(path('a'), 0o444))],
  ['a folder is removed', (path) => rm(path('sub'), { recursive: true })],
  ['a folder is renamed', (path) => rename(path('sub'), path('other'))],
  ['an empty folder is removed', (path) => rm(path('empty'), { recursive: true })],
  ['folders are created', (path) => mkdir(path('x/y/z'), { recursive: true })],
  ['a folder is made read-only', (path) => chmod(path('sub'), 0o500)],
  ['everything is removed', (path) => rm(path('.'), { recursive: true })],
  ['a link is created', (path) => symlink('a', path('new'))],
  ['a link is removed', (path) => unlink(path('link'))],
  ['a link gets another target', (path) => unlink(path('link')).then(() => symlink('nowhere', path('link')))],
  ['a link is replaced by a file', (path) => unlink(path('link')).then(() => writeFile(path('link'), 'x'))],
  ['a file is replaced by a link', (path) => unlink(path('a')).then(() => symlink('sub/b', path('a')))],
  ['a file is replaced by a folder', (path) => unlink(path('a')).then(() => mkdir(path('a/b'), { recursive: true }))],
  [
    'a file is replaced by a folder with a file of its name',
    async (path) => {
      await unlink(path('a'));
      await mkdir(path('a'));
      await writeFile(path('a/a'), 'x');
    },
  ],
  [
    'a folder is replaced by a file',
    (path) => rm(path('sub'), { recursive: true }).then(() => writeFile(path('sub'), 'x')),
  ],
  [
    'a folder is replaced by a link',
    (path) => rm(path('sub'), { recursive: true }).then(() => symlink('.', path('sub'))),
  ],
  [
    'a file is replaced by a hard link to another',
    (path) => unlink(path('a')).then(() => link(path('sub/b'), path('a'))),
  ],
  ['a file with two hard links is changed', (path) => writeFile(path('two'), 'changed')],
  [
    '.gitignore is changed to ignore fewer files',
    (path) => writeFile(path('.gitignore'), '').then(() => writeFile(path('a'), 'x')),
  ],
  [
    '.gitignore is changed to ignore more files',
    (path) => appendFile(path('.gitignore'), 'a\n').then(() => writeFile(path('a'), 'x')),
  ],
])('undoes a command, and undoes the undo: %s', async (_, work) => {
  const { path, command, undo, tree } = await testProject({
    a: 'one',
    'sub/b': 'two',
    'sub/deep/c': 'three',
    '.gitignore': 'ignored\n',
    ignored: 'not seen',
    two: 'names',
  });
  await mkdir(path('empty'));
  await symlink('sub/b', path('link'));
  await link(path('two'), path('second name'));
  const before = await tree();
  await command('call_1', () => work(path));
  const after = await tree().catch(() => ({}));
  const { undoId } = await undo();
  const { ignored, ...seen } = before;
  expect(await tree()).toEqual((await tree())['ignored'] === undefined ? seen : { ...seen, ignored });
  await undo({ callIds: [undoId] });
  expect(await tree().catch(() => ({}))).toEqual(after);
});

test('keeps files that git ignores, even in a folder that a command created', async () => {
  const { path, command, undo, tree } = await testProject({ '.gitignore': 'build\n', a: 'one' });
  await command('call_1', async () => {
    await mkdir(path('x/build'), { recursive: true });
    await writeFile(path('x/build/out'), 'made');
    await writeFile(path('x/new'), 'made');
  });
  const { left } = await undo();
  expect(left).toEqual([{ real: path('x'), why: 'it holds build' }]);
  expect(Object.keys(await tree()).toSorted()).toEqual(['.gitignore', 'a', 'x', 'x/build', 'x/build/out']);
});

test('reports a file without a copy that cannot be restored, and with force restores the rest', async () => {
  const limits = { copyMs: 60_000, readChangedMs: 60_000, scanMs: 60_000, maxFileBytes: 10 };
  const { path, command, undo, text } = await testProject({ large: 'more than ten bytes', a: 'one' }, limits);
  const report = await command('call_1', async () => {
    await writeFile(path('large'), 'x');
    await writeFile(path('a'), 'two');
  });
  expect(report).toEqual({
    changed: [path('a'), path('large')].toSorted(),
    lost: [path('large')],
    notCovered: undefined,
  });
  expect(await messageOf(undo())).toBe(
    `Nothing was undone. ${path('large')}: what it held before is not kept: it was larger than 0.00001 MB. With force the rest is restored.`,
  );
  const { done, left } = await undo({ calls: 1 }, { force: true });
  expect([done, left.map(({ real }) => real)]).toEqual([[path('a')], [path('large')]]);
  expect([await text('a'), await text('large')]).toEqual(['one', 'x']);
});

test('restores the mode of a file that was too large to copy', async () => {
  const limits = { copyMs: 60_000, readChangedMs: 60_000, scanMs: 60_000, maxFileBytes: 10 };
  const { path, command, undo, tree } = await testProject({ large: 'more than ten bytes' }, limits);
  const before = await tree();
  await command('call_1', () => chmod(path('large'), 0o700));
  await undo();
  expect(await tree()).toEqual(before);
});

test('removes a new file that is too large to copy, if it was not changed since', async () => {
  const limits = { copyMs: 60_000, readChangedMs: 60_000, scanMs: 60_000, maxFileBytes: 10 };
  const { path, command, undo, tree } = await testProject({}, limits);
  await command('call_1', () => writeFile(path('large'), 'more than ten bytes'));
  await undo();
  expect(await tree()).toEqual({});
});

test('refuses without force if the changes of a command are unknown', async () => {
  const { path, command, undo, dataFolder } = await testProject({ a: 'one' });
  await mkdir(dataFolder);
  await writeFile(join(dataFolder, 'journal'), 'a file in the place of the folder');
  await command('call_1', async () => {
    await writeFile(path('a'), 'x');
    await rm(join(dataFolder, 'journal'));
    await mkdir(journalFolders(dataFolder).sessions, { recursive: true });
  });
  expect(await messageOf(undo())).toMatch(
    /^Nothing was undone\. What the command changed is not known: .*\. With force the rest is restored\.$/,
  );
});

test('refuses if the folder no longer exists, and names it', async () => {
  const { edit, undo, root } = await testProject({ 'sub/a': 'one' });
  await edit('call_1', 'sub/a', 'two');
  await rename(root, `${root}-moved`);
  expect(await messageOf(undo())).toContain(`its folder ${root} does not exist any more`);
});

test('refuses to restore a file whose folder is now a link', async () => {
  const { edit, undo, root, path } = await testProject({ 'sub/a': 'one' });
  await edit('call_1', 'sub/a', 'two');
  await rename(path('sub'), path('other'));
  await symlink('other', path('sub'));
  expect(await messageOf(undo())).toContain(`its folder is a link to ${join(root, 'other')} by now`);
});

test('reports that a removed copy is not kept any more', async () => {
  const { edit, undo, dataFolder } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  await rm(beforeImagePath(journalFolders(dataFolder), hashOf(Buffer.from('one'))));
  expect(await messageOf(undo())).toContain('what it held before is not kept any more');
});

test('rolls everything back if the undo fails in the middle', async () => {
  const { command, undo, path, tree, dataFolder } = await testProject({ a: 'one', b: 'two', z: 'three' });
  await symlink('a', path('link'));
  await command('call_1', async () => {
    await unlink(path('link'));
    await symlink('b', path('link'));
    await writeFile(path('z'), 'changed');
  });
  const changed = await tree();
  const { packs } = journalFolders(dataFolder);
  const [pack = ''] = (await readdir(packs)).filter((name) => name.endsWith('.pack'));
  await writeFile(join(packs, pack), (await readFile(join(packs, pack), 'latin1')).replace('three', 'THREE'));
  expect(await messageOf(undo())).toBe(
    `Nothing was undone: The copy of what ${path('z')} held before is damaged or gone. No file was changed.`,
  );
  expect(await tree()).toEqual(changed);
});

test('refuses if a file is changed after the plan was made', async () => {
  const { edit, dataFolder, path } = await testProject({ a: 'one' });
  await edit('call_1', 'a', 'two');
  const plan = await planUndo(dataFolder, 's', { calls: 1 });
  await writeFile(path('a'), 'meanwhile');
  expect(await messageOf(applyUndo(plan))).toBe(
    `Nothing was undone: ${path('a')} was changed after the plan was made. Look at a new plan, then decide again.`,
  );
});

test('removes the folders that were created for a file, unless they hold something else', async () => {
  const { path, undo, tree, edit } = await testProject({ a: 'one' });
  await edit('call_1', 'x/y/new', 'new');
  await edit('call_2', 'other/new', 'new');
  await writeFile(path('x/other'), 'by hand');
  expect((await undo({ calls: 2 })).left).toEqual([{ real: path('x'), why: 'it holds other' }]);
  expect(Object.keys(await tree())).toEqual(['a', 'x', 'x/other']);
});

test('restores a file that was replaced by a folder of the same name', async () => {
  const { dataFolder, path, undo, tree } = await testProject({ a: 'one' });
  const before = await tree();
  const changes = createFileChanges({ dataFolder, sessionId: 's' });
  await changes.apply('call_1', [
    { real: path('a'), before: hashOf(Buffer.from('one')), after: null },
    { real: path('a/b'), before: null, after: Buffer.from('two') },
  ]);
  await undo();
  expect(await tree()).toEqual(before);
});

// Undoing any sequence of edits and commands, in any portions, restores the state before each of them.

const names = ['a', 'b', 'c', 'sub', 'sub/a', 'sub/b', 'sub/deep', 'sub/deep/a', 'other', 'other/a'];
const name = fc.constantFrom(...names);
const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom('same', 'SAME', ''),
);

type Operation =
  | { do: 'write' | 'append'; at: string; text: string | Uint8Array }
  | { do: 'remove' | 'makeFolder'; at: string }
  | { do: 'rename' | 'symlink' | 'link'; at: string; from: string }
  | { do: 'chmod'; at: string; mode: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ do: fc.constantFrom('write' as const, 'append' as const), at: name, text: content }),
  fc.record({ do: fc.constantFrom('remove' as const, 'makeFolder' as const), at: name }),
  fc.record({ do: fc.constantFrom('rename' as const, 'symlink' as const), at: name, from: name }),
  fc.record({ do: fc.constant('chmod' as const), at: name, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o444) }),
);

/** Ignores operations that the system refuses, such as writing to a folder, like a shell. */
async function perform(root: string, operation: Operation): Promise<void> {
  const at = join(root, operation.at);
  switch (operation.do) {
    case 'write':
      return await writeFile(at, operation.text);
    case 'append':
      return await appendFile(at, operation.text);
    case 'remove':
      return await rm(at, { recursive: true, force: true });
    case 'makeFolder':
      return void (await mkdir(at, { recursive: true }));
    case 'rename':
      return await rename(join(root, operation.from), at);
    case 'symlink':
      return await symlink(operation.from, at);
    case 'link':
      return await link(join(root, operation.from), at);
    case 'chmod':
      if (!(await lstat(at)).isSymbolicLink()) await chmod(at, operation.mode);
  }
}

type Step = { edit: string; content: string | Uint8Array | null } | { operations: Operation[] };

const edit: fc.Arbitrary<Step> = fc.record({ edit: name, content: fc.oneof(content, fc.constant(null)) });
const commandOf = (one: fc.Arbitrary<Operation>): fc.Arbitrary<Step> =>
  fc.record({ operations: fc.array(one, { minLength: 1, maxLength: 4 }) });

// An edit of a file with two hard links changes both but records one, so such files are not edited.
const secondName: fc.Arbitrary<Operation> = fc.record({ do: fc.constant('link' as const), at: name, from: name });
const stepsOf = (size: { minLength: number; maxLength: number }): fc.Arbitrary<Step[]> =>
  fc.oneof(
    fc.array(fc.oneof(edit, commandOf(operation)), size),
    fc.array(commandOf(fc.oneof(operation, secondName)), size),
  );

const soak = process.env['HELVE_SOAK'] !== undefined;

test('any sequence of edits and commands is undone byte for byte, call by call or all at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      stepsOf(soak ? { minLength: 500, maxLength: 500 } : { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
      async (steps, portions) => {
        const { edit, command, undo, tree, path, root, dataFolder } = await testProject({ a: 'one', 'sub/a': 'two' });
        const states = [await tree()];
        for (const [index, next] of steps.entries()) {
          const callId = `call_${index}`;
          if ('edit' in next) {
            const above = await lstat(dirname(path(next.edit))).catch(() => undefined);
            if (above?.isDirectory()) await edit(callId, next.edit, next.content).catch(() => {});
          } else {
            await command(callId, async () => {
              for (const operation of next.operations) await perform(root, operation).catch(() => {});
            });
          }
          const recorded = await listChanges(dataFolder, 's', callId);
          if (recorded.length > 0) states.push(await tree());
        }
        const changed = await tree();
        const undoIds: string[] = [];
        for (const portion of [...portions, steps.length]) {
          if (states.length === 1) break;
          const { undoId } = await undo({ calls: portion });
          undoIds.push(undoId);
          states.splice(Math.max(1, states.length - portion));
          expect(await tree()).toEqual(states.at(-1));
        }
        for (const undoId of undoIds.toReversed()) await undo({ callIds: [undoId] });
        expect(await tree()).toEqual(changed);
        await rm(dirname(root), { recursive: true, force: true });
      },
    ),
    { numRuns: soak ? 10 : 25 },
  );
});
