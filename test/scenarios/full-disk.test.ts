import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from './build-program.js';

// Runs in a mount namespace of its own, with a small disk. Prints the message for the user and the state of the disks.
const program = `
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createFileChanges } from './file-changes.ts';
import { hashOf } from '../crypto.ts';

const [root, dataFolder, bytes] = process.argv.slice(2);
const old = Buffer.alloc(Number(bytes), 'o');
await writeFile(root + '/a', old);
await writeFile(root + '/b', 'old');
await mkdir(root + '/cache');
await writeFile(root + '/cache/large', Buffer.alloc(120_000));
const changes = createFileChanges({ dataFolder, sessionId: 's' });
const message = await changes.apply('call', [
  { real: root + '/b', before: hashOf(Buffer.from('old')), after: Buffer.from('new') },
  { real: root + '/a', before: hashOf(old), after: Buffer.alloc(800_000, 'n') },
]).then(() => 'changed', (error) => error.message);
const [a, b, names] = [await readFile(root + '/a'), await readFile(root + '/b', 'utf8'), await readdir(root)];
console.log(JSON.stringify({ message, asBefore: a.equals(old), b, names: names.sort() }));`;

async function run(small: 'project' | 'data', bytes: number): Promise<{ message: string } | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-full-')));
  await Promise.all(['project', 'data'].map((name) => mkdir(join(folder, name))));
  const mounted = 'mount -t tmpfs -o size=512k,mode=700 tmpfs "$1" && shift && exec "$@"';
  const command = [process.execPath, await buildProgram(program), join(folder, 'project'), join(folder, 'data')];
  const args = ['--mount', 'bash', '-c', mounted, 'bash', join(folder, small), ...command, String(bytes)];
  const { stdout, status } = spawnSync('unshare', args, { encoding: 'utf8' });
  return status === 0 ? JSON.parse(stdout) : undefined;
}

const unchanged = { asBefore: true, b: 'old', names: ['a', 'b', 'cache'] };

test('a full disk changes nothing, and the error names the bytes needed, the bytes free and what could be deleted', async ({
  skip,
}) => {
  const seen = await run('project', 100);
  if (!seen) skip('a file system can not be mounted here');
  expect(seen).toEqual({
    ...unchanged,
    message: expect.stringMatching(
      /\/project\/a was not written: the disk is full \(800000 bytes needed, \d+ bytes free\)\. Free some space, then try again\. The largest folders nearby are \/.*\/project\/cache \(\d+ bytes\): ask the user/,
    ),
  });
  // As df says it, without our own temporary file: the disk has 524,288 bytes, and the files take 131,072 of them.
  const [, free] = / (\d+) bytes free/.exec(seen?.message ?? '') ?? [];
  expect(Number(free)).toBeGreaterThan(300_000);
});

test('if the disk of the journal is full, files are not changed', async ({ skip }) => {
  const seen = await run('data', 700_000);
  if (!seen) skip('a file system can not be mounted here');
  expect(seen).toEqual({
    ...unchanged,
    message: expect.stringMatching(
      /could not be kept for undo, so it was not changed\. .*the disk is full.*HELVE_HOME/,
    ),
  });
});

test('a command runs though the shared memory of the machine is full', async ({ skip }) => {
  const home = await mkdtemp(join(tmpdir(), 'helve-full-'));
  const full =
    'mount -t tmpfs -o size=64k,mode=1777 tmpfs /dev/shm && { head -c 100k /dev/zero >/dev/shm/all; exec "$@"; }';
  const call = [resolve('bin/helve.cjs'), 'call', '--text', 'Bash', '{"command":"echo ran"}'];
  const args = ['--mount', 'bash', '-c', full, 'bash', process.execPath, ...call];
  const env = { PATH: process.env['PATH'], HOME: home, IS_SANDBOX: '1' }; // without TMPDIR, which would be preferred
  const { stdout, stderr, status } = spawnSync('unshare', args, { cwd: home, env, encoding: 'utf8' });
  if (/unshare|mount:/.test(stderr)) skip('a file system can not be mounted here');
  expect({ stdout, status }).toEqual({ stdout: 'ran\n', status: 0 });
});
