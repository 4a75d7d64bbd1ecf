import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { dependsOnCwd, elidedPath, isInside, realPath, resolveIn, shortPath } from './paths.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const folder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-paths-')));

test('compares by components, so a sibling with the same prefix is not inside', () => {
  expect(isInside('/work/project', '/work/project-evil/a')).toBe(false);
  expect(isInside('/work/project', '/work/project/a')).toBe(true);
  expect(isInside('/work/project', '/work/project')).toBe(true);
  expect(isInside('/', '/etc')).toBe(true);
});

test('resolves a relative path against the directory and lets ".." leave it', () => {
  expect(resolveIn('/work/project', '../secret')).toBe('/work/secret');
});

test('expands only a leading ~ to the home folder', () => {
  vi.stubEnv('HOME', '/home/me');
  expect(resolveIn('/work', '~')).toBe('/home/me');
  expect(resolveIn('/work', '~/a/../b')).toBe('/home/me/b');
  expect(resolveIn('/work', '~me/a')).toBe('/work/~me/a');
  expect([dependsOnCwd('~/a'), dependsOnCwd('/a'), dependsOnCwd('~me/a'), dependsOnCwd('a')]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test.each(['', 'relative/home', '.'])('returns an absolute path for ~ when HOME is %j', (home) => {
  vi.stubEnv('HOME', home);
  expect([resolveIn('/work', '~'), resolveIn('/work', '~/x')]).toEqual([
    userInfo().homedir,
    join(userInfo().homedir, 'x'),
  ]);
});

test('treats ~ as a name if there is no home folder', () => {
  expect(resolveIn('/work', '~/x', () => undefined)).toBe('/work/~/x');
});

test('resolves a new file below a linked folder to its real path', async () => {
  const root = await folder();
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  expect(await realPath(join(root, 'link', 'new', 'file.txt'))).toBe(join(root, 'real', 'new', 'file.txt'));
});

test('resolves a dangling symlink to its missing target, since that is what a write would create', async () => {
  const root = await folder();
  await symlink('../elsewhere/target.txt', join(root, 'innocent.txt'));
  expect(await realPath(join(root, 'innocent.txt'))).toBe(join(root, '..', 'elsewhere', 'target.txt'));
});

test('refuses circular links', async () => {
  const root = await folder();
  await symlink(join(root, 'b'), join(root, 'a'));
  await symlink(join(root, 'a'), join(root, 'b'));
  await expect(realPath(join(root, 'a'))).rejects.toThrow(/ELOOP|symlinks/);
});

test('treats a path through a file as missing', async () => {
  const root = await folder();
  await writeFile(join(root, 'file'), '');
  expect(await realPath(join(root, 'file', 'below'))).toBe(join(root, 'file', 'below'));
});

test('shows a path below the directory as relative, any other as absolute', () => {
  expect(shortPath('/work', '/work/src/a.ts')).toBe('src/a.ts');
  expect(shortPath('/work', '/etc/passwd')).toBe('/etc/passwd');
});

test('shortens a long path in its middle, and splits no character', () => {
  expect(elidedPath('/a/b')).toBe('/a/b');
  const long = elidedPath(`/start/${'👍'.repeat(1_000)}/end.ts`);
  expect([long.startsWith('/start/👍'), long.endsWith('👍/end.ts'), long.isWellFormed()]).toEqual([true, true, true]);
  expect(long.length).toBeLessThan(260);
});
