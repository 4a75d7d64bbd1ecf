import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { inDemoFolder, removeLeftovers } from './demo-folder.js';

test('a demo removes the folders of demos that were killed, and no others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-leftovers-'));
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const own = await inDemoFolder(async ({ home }) => basename(home));
  const killed = own.replace(`-${process.pid}-`, `-${ended}-`);
  expect(killed).not.toBe(own);
  for (const name of [own, killed, `helve-demo-other-${ended}-x`, 'notes'])
    await mkdir(join(folder, name, 'inside'), { recursive: true });
  await removeLeftovers(folder);
  expect((await readdir(folder)).toSorted()).toEqual([own, `helve-demo-other-${ended}-x`, 'notes'].toSorted());
});
