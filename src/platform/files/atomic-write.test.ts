import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { writeFileAtomically } from './atomic-write.js';
import { makeFolder } from './folder.js';
import { WriteFailure } from './write-failure.js';

const folder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-write-')));

test('replaces the content, keeps the mode and leaves nothing else behind', async () => {
  const root = await folder();
  await writeFile(join(root, 'run.sh'), 'old');
  await chmod(join(root, 'run.sh'), 0o751);
  await writeFileAtomically(join(root, 'run.sh'), Buffer.from('new'));
  expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('new');
  expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o751);
  expect(await readdir(root)).toEqual(['run.sh']);
});

test('gives a new file the default mode', async () => {
  const root = await folder();
  await writeFileAtomically(join(root, 'ours'), Buffer.from('x'));
  await writeFile(join(root, 'theirs'), 'x');
  expect((await stat(join(root, 'ours'))).mode).toBe((await stat(join(root, 'theirs'))).mode);
});

test('writes through a symlink and keeps the link', async () => {
  const root = await folder();
  await writeFile(join(root, 'target'), 'old');
  await symlink('target', join(root, 'link'));
  await writeFileAtomically(join(root, 'link'), Buffer.from('new'));
  expect(await readFile(join(root, 'target'), 'utf8')).toBe('new');
  expect((await lstat(join(root, 'link'))).isSymbolicLink()).toBe(true);
});

test('refuses a directory, a pipe and a path through a file, each with a message', async () => {
  const root = await folder();
  await mkdir(join(root, 'dir'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await writeFile(join(root, 'file'), '');
  const bytes = Buffer.from('x');
  await expect(writeFileAtomically(join(root, 'dir'), bytes)).rejects.toThrow(/is a directory, so it can't be written/);
  await expect(writeFileAtomically(join(root, 'pipe'), bytes)).rejects.toThrow(/is a named pipe/);
  await expect(writeFileAtomically(join(root, 'file', 'x'), bytes)).rejects.toThrow(WriteFailure);
  await expect(writeFileAtomically(join(root, 'none', 'x'), bytes)).rejects.toThrow(/its folder does not exist/);
});

test('creates missing folders, and explains if it cannot', async () => {
  const root = await folder();
  await makeFolder(join(root, 'a', 'b'));
  expect((await stat(join(root, 'a', 'b'))).isDirectory()).toBe(true);
  await writeFile(join(root, 'file'), '');
  await expect(makeFolder(join(root, 'file'))).rejects.toThrow(/was not made: something that is not a folder is in/);
  await expect(makeFolder(join(root, 'file', 'x'))).rejects.toThrow(/was not made: .*file is a file, not a folder/);
  const long = await makeFolder(join(root, 'x'.repeat(5_000))).catch((error: Error) => error.message);
  expect(long).toMatch(/x … x+ was not made: its path or name is too long/);
});

test('reports circular links, and shortens a long path', async () => {
  const root = await folder();
  await symlink('b', join(root, 'a'));
  await symlink('a', join(root, 'b'));
  const why = (path: string) => writeFileAtomically(path, Buffer.from('x')).catch((error: Error) => error.message);
  expect(await why(join(root, 'a'))).toMatch(/was not written: its symlinks lead in a circle/);
  expect(await why(join(root, 'x'.repeat(300)))).toMatch(/x … x+ was not written: its path or name is too long/);
});

test('does not replace a file that may not be written', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may write every file');
  const root = await folder();
  await writeFile(join(root, 'fixed'), 'old');
  await chmod(join(root, 'fixed'), 0o444);
  await expect(writeFileAtomically(join(root, 'fixed'), Buffer.from('new'))).rejects.toThrow(/permission to write/);
});

test('keeps the old file and leaves no other file when the write fails half-way', async () => {
  const root = await folder();
  const program = join(await folder(), 'write.mjs');
  await build({
    stdin: {
      contents: `import { writeFileAtomically } from './atomic-write.ts';
        await writeFileAtomically(process.argv[2], Buffer.alloc(1_000_000)).catch((error) => console.log(error.message));`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  await writeFile(join(root, 'a'), 'old');
  // The limit on the size of files makes the kernel stop the write after some bytes, as a full disk does.
  const run = spawnSync('bash', ['-c', 'ulimit -f 8; exec "$@"', 'bash', process.execPath, program, join(root, 'a')]);
  expect(run.stdout.toString()).toMatch(/was not written: 1000000 bytes are more than a file may have here/);
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('old');
  expect(await readdir(root)).toEqual(['a']);
});
