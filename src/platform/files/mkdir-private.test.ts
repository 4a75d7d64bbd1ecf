import { chmodSync, mkdtempSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mkdirPrivate } from './mkdir-private.js';
import { WriteFailure } from './write-failure.js';

const emptyFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'helve-make-folder-')));

test('creates a folder and its ancestors, for the current user only', () => {
  const path = join(emptyFolder(), 'a', 'b', 'c');
  mkdirPrivate(path);
  for (const each of [path, join(path, '..'), join(path, '..', '..')]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test('keeps an existing folder unchanged, also behind a symlink', () => {
  const folder = emptyFolder();
  chmodSync(folder, 0o755);
  symlinkSync(folder, `${folder}-link`);
  mkdirPrivate(folder);
  mkdirPrivate(`${folder}-link`);
  mkdirPrivate('/');
  expect(statSync(folder).mode & 0o777).toBe(0o755);
});

test('refuses a path through a file', () => {
  const file = join(emptyFolder(), 'a.txt');
  writeFileSync(file, '');
  expect(() => mkdirPrivate(file)).toThrow('EEXIST');
  expect(() => mkdirPrivate(join(file, 'b', 'c'))).toThrow('ENOTDIR');
});

test('refuses a dangling link', () => {
  const link = join(emptyFolder(), 'link');
  symlinkSync('/nowhere/at/all', link);
  expect(() => mkdirPrivate(link)).toThrow('EEXIST');
});

test.runIf(process.platform === 'linux').each(['/proc/helve', '/proc/helve/a/b', '/proc/self/helve/a'])(
  'reports that nothing can be created at %s, instead of retrying forever',
  (path) => {
    expect(() => mkdirPrivate(path)).toThrow(WriteFailure);
    expect(() => mkdirPrivate(path)).toThrow('takes no folders');
  },
);
