import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { listChanges } from '../../platform/journal/journal.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { editTool } from '../../tools/edit.js';
import { readTool } from '../../tools/read.js';
import { writeTool } from '../../tools/write.js';
import { copyTree, putBack, removeTree, TreeProblem } from './replay-tree.js';

const signal = new AbortController().signal;

test('copies files, folders and links with their modes and times, and links point into the copy', async () => {
  const project = await temporaryProject({ 'a/b.txt': 'hello', '.gitignore': 'ignored\n', ignored: 'x' });
  const { root, path } = project;
  await chmod(path('a/b.txt'), 0o751);
  await utimes(path('a/b.txt'), new Date(1e12), new Date(1e12));
  await utimes(path('a'), new Date(1.1e12), new Date(1.1e12));
  await symlink('a/b.txt', path('near'));
  await symlink(path('a'), path('own'));
  await symlink('/etc/hosts', path('far'));
  await symlink('../beside', path('out'));
  await symlink(`../../${basename(dirname(root))}/${basename(root)}/a/b.txt`, path('round'));
  const to = path('../copy');
  const copied = await copyTree({ from: root, to, signal });
  expect(copied).toMatchObject({ bytes: 'hello'.length + 'ignored\n'.length + 1, leftOut: [] });
  expect((await readdir(to)).toSorted()).toEqual(['.gitignore', 'a', 'far', 'ignored', 'near', 'out', 'own', 'round']);
  const file = await stat(`${to}/a/b.txt`);
  expect([file.mode & 0o777, file.mtimeMs, (await stat(`${to}/a`)).mtimeMs]).toEqual([0o751, 1e12, 1.1e12]);
  expect(await readlink(`${to}/near`)).toBe('a/b.txt');
  expect(await readlink(`${to}/own`)).toBe(`${to}/a`);
  expect(await readlink(`${to}/round`)).toBe(`${to}/a/b.txt`);
  expect(await readlink(`${to}/far`)).toBe('/etc/hosts');
  expect(await readlink(`${to}/out`)).toBe(path('../beside'));
});

test('leaves out skipped paths and special files, and lists the latter', async () => {
  const { root, path } = await temporaryProject({ 'keep.txt': 'x', 'node_modules/big.js': 'y' });
  execFileSync('mkfifo', [path('pipe')]);
  const to = path('../copy');
  const { leftOut } = await copyTree({ from: root, to, skip: [path('node_modules')], signal });
  expect(leftOut).toEqual(['pipe']);
  expect(await readdir(to)).toEqual(['keep.txt']);
});

test.each([[{ bytes: 10, entries: 100 }], [{ bytes: 1000, entries: 2 }]])(
  'rejects a tree of more than %j',
  async (limits) => {
    const { root, path } = await temporaryProject({ a: 'x'.repeat(8), b: 'x'.repeat(8), c: 'x' });
    const copying = copyTree({ from: root, to: path('../copy'), limits, signal });
    await expect(copying).rejects.toThrow(TreeProblem);
    await expect(copying).rejects.toThrow('--skip DIR');
  },
);

test('stops when it is interrupted', async () => {
  const { root, path } = await temporaryProject({ a: 'x' });
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(copyTree({ from: root, to: path('../copy'), signal: aborted })).rejects.toThrow('enough');
});

test('removes a copy with read-only files and folders', async () => {
  const { path } = await temporaryProject();
  await mkdir(path('copy/closed'), { recursive: true });
  await writeFile(path('copy/closed/file'), 'x');
  await chmod(path('copy/closed'), 0o500);
  await removeTree(path('copy'));
  await expect(lstat(path('copy'))).rejects.toThrow('ENOENT');
});

async function changedProject() {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  await project.run(editTool, { file_path: 'a.txt', old_string: '1', new_string: 'I' });
  await project.run(writeTool, { file_path: 'new/deep/c.txt', content: 'three\n' });
  const { dataFolder, id } = project.engine.session;
  const copy = project.path('../copy');
  await copyTree({ from: project.root, to: copy, signal });
  return { project, dataFolder, copy, changes: await listChanges(dataFolder, id) };
}

test('restores a copy to the state before the first change', async () => {
  const { project, dataFolder, copy, changes } = await changedProject();
  const notes = await putBack({ dataFolder, changes, root: project.root, copy, date: new Date(1e12) });
  expect(notes).toEqual([]);
  expect((await readdir(copy)).toSorted()).toEqual(['a.txt', 'b.txt']);
  expect(await readFile(`${copy}/a.txt`, 'utf8')).toBe('one\n');
  expect(await project.text('a.txt')).toBe('I\n');
});

test('reports files that cannot be restored', async () => {
  const { project, dataFolder, copy, changes } = await changedProject();
  await rm(`${dataFolder}/journal/images`, { recursive: true });
  const outside = { ...changes[0], files: [{ real: '/elsewhere/x', before: null, after: 'a'.repeat(64) }] };
  const all = [...changes, { ...outside, change: 'x', callId: 'y', at: new Date().toISOString() }];
  const notes = await putBack({ dataFolder, changes: all, root: project.root, copy, date: new Date() });
  expect(notes).toEqual([
    '/elsewhere/x is outside the project, so it is left as it is now.',
    'What a.txt held before the session is not kept, so it is as it is now.',
  ]);
  expect(await readFile(`${copy}/a.txt`, 'utf8')).toBe('I\n');
});

test('files that are now behind a link are not restored, because the link points outside the copy', async () => {
  const project = await temporaryProject({ 'src/a.txt': 'one\n' });
  const { root, path } = project;
  await project.run(readTool, { file_path: 'src/a.txt' });
  await project.run(editTool, { file_path: 'src/a.txt', old_string: 'one', new_string: '1' });
  await project.run(writeTool, { file_path: 'src/b.txt', content: 'two\n' });
  await rename(path('src'), path('../moved'));
  await symlink('../moved', path('src'));
  const { dataFolder, id } = project.engine.session;
  const copy = path('../copy');
  await copyTree({ from: root, to: copy, signal });
  const changes = await listChanges(dataFolder, id);
  const notes = await putBack({ dataFolder, changes, root, copy, date: new Date() });
  expect(await readFile(path('../moved/a.txt'), 'utf8')).toBe('1\n');
  expect(await readFile(path('../moved/b.txt'), 'utf8')).toBe('two\n');
  expect(notes).toEqual([
    'src/a.txt is now behind a link to a folder outside the project, so it is left as it is.',
    'src/b.txt is now behind a link to a folder outside the project, so it is left as it is.',
  ]);
});
