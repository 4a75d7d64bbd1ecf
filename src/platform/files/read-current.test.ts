import { mkdtemp, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashCurrent, readCurrent } from './read-current.js';

test('the hash of a file is that of its content, and a large one is not held in memory for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-hash-'));
  for (const size of [0, 1, 1024 * 1024, 1024 * 1024 + 1, 2_500_000]) {
    const path = join(folder, String(size));
    await writeFile(path, Buffer.alloc(size, 'x'));
    expect(await hashCurrent(path)).toBe((await readCurrent(path))?.hash);
  }
  const large = join(folder, 'large');
  await writeFile(large, 'x');
  await truncate(large, 64 * 1024 * 1024); // takes no space
  const { arrayBuffers } = process.memoryUsage();
  expect(await hashCurrent(large)).toMatch(/^[0-9a-f]{64}$/);
  expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(32 * 1024 * 1024);
  expect(await hashCurrent(join(folder, 'none'))).toBeUndefined();
});
