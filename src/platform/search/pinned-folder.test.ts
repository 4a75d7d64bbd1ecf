import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withPinnedFolder } from './pinned-folder.js';
import { SearchFailure, type SearchOptions, type TextQuery } from './query.js';
import { listWithRipgrep, searchWithRipgrep } from './ripgrep-query.js';

const options: SearchOptions = { env: process.env, signal: new AbortController().signal };

const query = (folder: string, file?: string): TextQuery => ({
  folder,
  file,
  globs: [],
  includeIgnored: false,
  pattern: 'needle',
  mode: 'content',
  ignoreCase: false,
  multiline: false,
  onlyMatching: false,
  before: 0,
  after: 0,
  maxColumns: 500,
});

async function twoFolders() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-opened-test-')));
  const folder = join(root, 'inside');
  const outside = join(root, 'outside');
  for (const [path, text] of [
    [folder, 'needle inside\n'],
    [outside, 'needle SECRET\n'],
  ] as const) {
    await mkdir(path);
    await writeFile(join(path, 'a.txt'), text);
  }
  await writeFile(join(outside, 'b.txt'), 'needle SECRET\n');
  return { root, folder, outside };
}

// Only Linux has a path for an open file that another program can use.
const onLinux = test.runIf(process.platform === 'linux');

onLinux('searches the original folder after a symlink has replaced it', async () => {
  const { root, folder, outside } = await twoFolders();
  const found = await withPinnedFolder(query(folder), undefined, async (opened) => {
    await rename(folder, join(root, 'moved'));
    await symlink(outside, folder);
    const { files: lines } = await searchWithRipgrep(opened, options);
    return { lines, files: (await listWithRipgrep(opened, options)).files };
  });
  expect(found).toEqual({
    lines: new Map([['a.txt', { lines: ['1:needle inside'], matches: 1 }]]),
    files: ['a.txt'],
  });
});

onLinux('searches the original file after a symlink has replaced it', async () => {
  const { folder, outside } = await twoFolders();
  const found = await withPinnedFolder(query(folder, 'a.txt'), undefined, async (opened) => {
    await rm(join(folder, 'a.txt'));
    await symlink(join(outside, 'a.txt'), join(folder, 'a.txt'));
    return (await searchWithRipgrep(opened, options)).files;
  });
  expect(found).toEqual(new Map([['a.txt', { lines: ['1:needle inside'], matches: 1 }]]));
});

onLinux('refuses a folder and a file that a symlink has already replaced', async () => {
  const { folder, outside } = await twoFolders();
  await rm(folder, { recursive: true });
  await symlink(outside, folder);
  for (const file of [undefined, 'a.txt']) {
    const search = withPinnedFolder(query(folder, file), undefined, async () => 'searched');
    await expect(search).rejects.toThrow(SearchFailure);
  }
});
