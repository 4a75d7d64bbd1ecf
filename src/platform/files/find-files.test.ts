import { chmod, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findFiles } from './find-files.js';

async function tree(...names: string[]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-find-')));
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '');
  }
  return folder;
}

async function found(folder: string, signal = new AbortController().signal) {
  const unreadable: string[] = [];
  const query = { folder, globs: [], includeIgnored: false };
  const lists = await Array.fromAsync(findFiles(query, { signal, onUnreadable: (path) => unreadable.push(path) }));
  return { files: lists.flat().sort(), unreadable };
}

test('finds hidden files and leaves out folders of version control', async () => {
  const folder = await tree('a', '.b/c', '.git/config', 'sub/.hg/x', 'sub/d');
  expect((await found(folder)).files).toEqual(['.b/c', 'a', 'sub/d']);
});

test('obeys the ignore files of folders above', async () => {
  const folder = await tree('sub/deep/a.log', 'sub/deep/b.txt', 'sub/deep/tmp/c');
  await writeFile(join(folder, '.gitignore'), '*.log\nsub/deep/tmp\n');
  expect((await found(join(folder, 'sub/deep'))).files).toEqual(['b.txt']);
});

test('does not obey .gitignore files above a repository', async () => {
  const folder = await tree('sub/.git/HEAD', 'sub/deep/a.log');
  await writeFile(join(folder, '.gitignore'), '*.log\n');
  expect((await found(join(folder, 'sub/deep'))).files).toEqual(['a.log']);
});

test.skipIf(process.getuid?.() === 0)('names a folder that can not be read and goes on', async () => {
  const folder = await tree('closed/a', 'open/b');
  await chmod(join(folder, 'closed'), 0);
  expect(await found(folder)).toEqual({ files: ['open/b'], unreadable: ['closed'] });
});

test('ends with the call', async () => {
  const controller = new AbortController();
  controller.abort(new Error('cancelled'));
  await expect(found(await tree('a'), controller.signal)).rejects.toThrow('cancelled');
});
