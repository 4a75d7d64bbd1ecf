import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pseudoFileSystem } from './pseudo-file-system.js';

test.each([
  ['/proc/self/environ', '/proc'],
  ['/proc', '/proc'],
  ['/sys/kernel/notes', '/sys'],
  ['/dev/null', '/dev'],
  ['/dev/fd/0', '/dev'],
  ['/dev/shm/notes.txt', undefined],
  ['/processes/a', undefined],
  ['/nowhere/at/all', undefined],
])('%s lies in %s', async (real, name) => {
  expect(await pseudoFileSystem(real)).toBe(name);
});

test('an ordinary folder lies in none', async () => {
  expect(await pseudoFileSystem(await mkdtemp(join(tmpdir(), 'helve-pseudo-')))).toBeUndefined();
});
