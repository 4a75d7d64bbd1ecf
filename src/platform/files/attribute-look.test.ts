import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AttributeLook } from './attribute-look.js';

const TAR = '/usr/bin/tar';
const onLinux = test.runIf(process.platform === 'linux');

onLinux('one look tells files with attributes from those without, in any order', async ({ skip }) => {
  const root = await mkdtemp(join(tmpdir(), 'helve-look-'));
  const marked = join(root, 'marked');
  const plain = join(root, 'plain\nwith a break');
  await writeFile(marked, 'marked');
  await writeFile(plain, 'x'.repeat(5_000));
  const given = spawnSync('python3', ['-c', `import os,sys\nos.setxattr(sys.argv[1],'user.tag',b'yes')`, marked]);
  if (given.status !== 0) skip('extended attributes can not be set here');
  const looks = new AttributeLook(TAR);
  const order = [plain, marked, plain, plain, marked];
  const answers = await Promise.all(order.map((path) => looks.hasNone(path)));
  expect(answers).toEqual(order.map((path) => path === plain));
});

onLinux('a file that is gone leaves the question open, and the next one is answered', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-look-')), 'file');
  const looks = new AttributeLook(TAR);
  expect(await looks.hasNone(path)).toBeUndefined();
  await writeFile(path, 'here');
  expect(await looks.hasNone(path)).toBe(true);
});

onLinux('a program that is not there leaves the question open', async () => {
  expect(await new AttributeLook('/nowhere/tar').hasNone('/etc/hostname')).toBeUndefined();
});
