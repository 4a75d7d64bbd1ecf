import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInside, realPath, resolveIn, shortPath } from './paths.js';

const folder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-paths-')));

test('compares by components, so a sibling with the same beginning is not inside', () => {
  expect(isInside('/work/project', '/work/project-evil/a')).toBe(false);
  expect(isInside('/work/project', '/work/project/a')).toBe(true);
  expect(isInside('/work/project', '/work/project')).toBe(true);
  expect(isInside('/', '/etc')).toBe(true);
});

test('resolves a relative path against the directory and lets ".." leave it', () => {
  expect(resolveIn('/work/project', '../secret')).toBe('/work/secret');
});

test('names a new file below a linked folder where it would really be', async () => {
  const root = await folder();
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  expect(await realPath(join(root, 'link', 'new', 'file.txt'))).toBe(join(root, 'real', 'new', 'file.txt'));
});

test('names the missing target of a dangling link, since that is what a write would create', async () => {
  const root = await folder();
  await symlink('../elsewhere/target.txt', join(root, 'innocent.txt'));
  expect(await realPath(join(root, 'innocent.txt'))).toBe(join(root, '..', 'elsewhere', 'target.txt'));
});

test('refuses links that lead in a circle', async () => {
  const root = await folder();
  await symlink(join(root, 'b'), join(root, 'a'));
  await symlink(join(root, 'a'), join(root, 'b'));
  await expect(realPath(join(root, 'a'))).rejects.toThrow(/ELOOP|symlinks/);
});

test('takes a path through a file as missing below it', async () => {
  const root = await folder();
  await writeFile(join(root, 'file'), '');
  expect(await realPath(join(root, 'file', 'below'))).toBe(join(root, 'file', 'below'));
});

test('shows a path below the directory as relative, any other as absolute', () => {
  expect(shortPath('/work', '/work/src/a.ts')).toBe('src/a.ts');
  expect(shortPath('/work', '/etc/passwd')).toBe('/etc/passwd');
});
