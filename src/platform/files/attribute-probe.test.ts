import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { AttributeProbe } from './attribute-probe.js';

const TAR = '/usr/bin/tar';
const onLinux = test.runIf(process.platform === 'linux');

onLinux('one process distinguishes files with and without attributes, in any order', async ({ skip }) => {
  const root = await mkdtemp(join(tmpdir(), 'helve-look-'));
  const marked = join(root, 'marked');
  const plain = join(root, 'plain\nwith a break');
  await writeFile(marked, 'marked');
  await writeFile(plain, 'x'.repeat(5_000));
  const given = spawnSync('python3', ['-c', `import os,sys\nos.setxattr(sys.argv[1],'user.tag',b'yes')`, marked]);
  if (given.status !== 0) skip('extended attributes cannot be set here');
  const looks = new AttributeProbe(TAR);
  const order = [plain, marked, plain, plain, marked];
  const answers = await Promise.all(order.map((path) => looks.hasNone(path)));
  expect(answers).toEqual(order.map((path) => path === plain));
  // One that is missing makes others unknown at most.
  const withMissing = await Promise.all([marked, join(root, 'missing'), plain].map((path) => looks.hasNone(path)));
  const possible = [[false, undefined], [undefined], [true, undefined]];
  expect(withMissing.map((answer, index) => possible[index]?.includes(answer))).toEqual([true, true, true]);
});

onLinux('the result for a missing file is unknown, and the next file is checked', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-look-')), 'file');
  const looks = new AttributeProbe(TAR);
  expect(await looks.hasNone(path)).toBeUndefined();
  await writeFile(path, 'here');
  expect(await looks.hasNone(path)).toBe(true);
});

onLinux('an error about a missing file is not mistaken for a result of the next file', async () => {
  const root = await mkdtemp(join(tmpdir(), 'helve-look-'));
  const path = join(root, 'file');
  await writeFile(path, 'here');
  const looks = new AttributeProbe(TAR);
  expect(await looks.hasNone(path)).toBe(true); // it is running now, and answers quickly
  const [gone] = await Promise.all([looks.hasNone(join(root, 'gone')), looks.hasNone(path)]);
  expect(gone).toBeUndefined();
});

onLinux('the result is unknown if the program never answers', async () => {
  const program = join(await mkdtemp(join(tmpdir(), 'helve-look-')), 'silent');
  await writeFile(program, '#!/bin/sh\nkill -STOP $$\n', { mode: 0o755 });
  expect(await new AttributeProbe(program, 20).hasNone('/etc/passwd')).toBeUndefined();
});

onLinux('the result is unknown while no more files can be opened, and known afterwards', async () => {
  const program = join(await mkdtemp(join(tmpdir(), 'helve-look-')), 'program.mjs');
  await build({
    stdin: {
      contents: `import { closeSync, openSync } from 'node:fs';
        import { AttributeProbe } from './attribute-probe.js';
        const looks = new AttributeProbe('${TAR}');
        const opened = [];
        try { for (;;) opened.push(openSync('/dev/null')); } catch {}
        const without = await looks.hasNone('/etc/passwd');
        for (const file of opened) closeSync(file);
        console.log(without, typeof (await looks.hasNone('/etc/passwd')));`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  const run = spawnSync('bash', ['-c', 'ulimit -n 64; exec "$@"', 'bash', process.execPath, program]);
  expect(`${run.stdout}${run.stderr}`).toBe('undefined boolean\n');
});

onLinux('the result is unknown if the program does not exist', async () => {
  expect(await new AttributeProbe('/nowhere/tar').hasNone('/etc/hostname')).toBeUndefined();
});
