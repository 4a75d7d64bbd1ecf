import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, realpath, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NotARegularFile, openForReading } from './open-file.js';

const folder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-open-')));

test('refuses a pipe without waiting for a writer', async () => {
  const pipe = join(await folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(openForReading(pipe)).rejects.toThrow(NotARegularFile);
});

test('refuses a directory and a device, each with its own message', async () => {
  await expect(openForReading(await folder())).rejects.toThrow(/is a directory/);
  await expect(openForReading('/dev/zero')).rejects.toThrow(/is a device/);
});

test('refuses a symlink if the real path is expected', async () => {
  const root = await folder();
  await writeFile(join(root, 'secret'), 'x');
  await symlink(join(root, 'secret'), join(root, 'link'));
  await expect(openForReading(join(root, 'link'))).rejects.toThrow(/ELOOP/);
});

test.runIf(process.platform === 'linux')('detects a symlink among the folders of a path', async () => {
  const root = await folder();
  await writeFile(join(root, 'file'), 'x');
  await symlink(root, join(root, 'around'));
  await expect(openForReading(join(root, 'around', 'file'))).rejects.toThrow(/was replaced while it was opened/);
});

test('opens a file that other processes replace by rename all the time', async () => {
  const file = join(await folder(), 'file');
  await writeFile(file, 'x');
  const until = { done: false };
  const writer = (async () => {
    while (!until.done) {
      await writeFile(`${file}.new`, 'x');
      await rename(`${file}.new`, file);
    }
  })();
  try {
    for (let times = 0; times < 300; times += 1) {
      const { handle, stats } = await openForReading(file);
      handle.close();
      expect(stats.size).toBe(1);
    }
  } finally {
    until.done = true;
    await writer;
  }
});

test('reads the content at the time of opening, even if the file has grown or shrunk since', async () => {
  const file = join(await folder(), 'file');
  for (const size of [0, 1, 262_143, 262_144, 262_145]) {
    await writeFile(file, 'x'.repeat(size));
    const { handle } = await openForReading(file);
    expect(await handle.readFile()).toHaveLength(size);
    await appendFile(file, 'more');
    if (size > 0) expect(await handle.readFile()).toHaveLength(size);
    await truncate(file, 0);
    expect(await handle.readFile()).toHaveLength(0);
    handle.close();
  }
});

test('refuses to load a file that is too large', async () => {
  const file = join(await folder(), 'file');
  await writeFile(file, '');
  await truncate(file, 3_000_000_000);
  const { handle } = await openForReading(file);
  await expect(handle.readFile()).rejects.toThrow('A file of 3000000000 bytes');
  handle.close();
});
