import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TargetFile } from '../target-file.js';
import { changeTogether, creating, removing, replacing, type Step } from './change-together.js';

async function folder(
  files: Readonly<Record<string, string>>,
): Promise<{ root: string; target(name: string): TargetFile }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-together-')));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return { root, target: (name) => ({ path: join(root, name), real: join(root, name), shown: name }) };
}

const failing: Step = {
  shown: 'the last',
  take: () => Promise.reject(new Error('the disk is gone')),
  takeBack: () => Promise.reject(new Error('never taken')),
};

test('takes back in reverse what was done before the failure, modes and folders included', async () => {
  const { root, target } = await folder({ 'a.txt': 'a', 'b.txt': 'b' });
  await chmod(join(root, 'b.txt'), 0o751);
  const steps = [
    replacing(target('a.txt'), Buffer.from('A'), Buffer.from('a')),
    ...(await creating(target('x/y/c.txt'), Buffer.from('c'))),
    await removing(target('b.txt'), Buffer.from('b')),
    failing,
  ];
  await expect(changeTogether(steps)).rejects.toThrow(
    'the disk is gone. What the patch had changed before was put back, so all files are as they were.',
  );
  expect((await readdir(root)).toSorted()).toEqual(['a.txt', 'b.txt']);
  expect([await readFile(join(root, 'a.txt'), 'utf8'), await readFile(join(root, 'b.txt'), 'utf8')]).toEqual([
    'a',
    'b',
  ]);
  expect((await stat(join(root, 'b.txt'))).mode & 0o777).toBe(0o751);
});

test('names what could not be put back, and puts back the rest', async () => {
  const { root, target } = await folder({ 'a.txt': 'a', 'b.txt': 'b' });
  const inTheWay: Step = {
    ...failing,
    async take() {
      await rm(join(root, 'b.txt'));
      await mkdir(join(root, 'b.txt'));
      throw new Error('the disk is gone');
    },
  };
  const steps = ['a.txt', 'b.txt'].map((name) => replacing(target(name), Buffer.from('new'), Buffer.from('old')));
  await expect(changeTogether([...steps, inTheWay])).rejects.toThrow(
    `the disk is gone. What the patch had changed before was put back, but for b.txt (${join(root, 'b.txt')} is a directory, so it can't be written as a file. Choose another path.). Look at what is there now before you go on.`,
  );
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('old');
});

test('keeps a folder that it made when somebody else has put something in it', async () => {
  const { root, target } = await folder({});
  const theirs: Step = { ...failing, take: () => writeFile(join(root, 'x/theirs.txt'), ''), takeBack: async () => {} };
  const steps = await creating(target('x/ours.txt'), Buffer.from(''));
  await expect(changeTogether([...steps, theirs, failing])).rejects.toThrow('all files are as they were');
  expect(await readdir(join(root, 'x'))).toEqual(['theirs.txt']);
});
