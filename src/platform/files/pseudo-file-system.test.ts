import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pseudoFileSystem, pseudoFoldersBelow } from './pseudo-file-system.js';

test.each([
  ['/proc/self/environ', '/proc'],
  ['/proc', '/proc'],
  ['/sys/kernel/notes', '/sys'],
  ['/dev/null', '/dev'],
  ['/dev/fd/0', '/dev'],
  ['/dev/shm/notes.txt', undefined],
  ['/processes/a', undefined],
  ['/nowhere/at/all', undefined],
])('%s is in %s', async (real, name) => {
  expect(await pseudoFileSystem(real)).toBe(name);
});

test('an ordinary folder is in no pseudo file system', async () => {
  expect(await pseudoFileSystem(await mkdtemp(join(tmpdir(), 'helve-pseudo-')))).toBeUndefined();
});

test.runIf(process.platform === 'linux')('lists the kernel file systems below a folder, each once', () => {
  const below = pseudoFoldersBelow('/');
  expect(below).toEqual(expect.arrayContaining(['/proc', '/sys']));
  expect(below.filter((path) => path.startsWith('/sys/') || path.startsWith('/proc/'))).toEqual([]);
  expect(pseudoFoldersBelow('/proc')).not.toContain('/proc');
  expect(pseudoFoldersBelow('/usr')).toEqual([]);
});
