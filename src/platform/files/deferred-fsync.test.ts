import { execFileSync } from 'node:child_process';
import { fstatSync, openSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DeferredFsync, ordersDataBeforeRename } from './deferred-fsync.js';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-disk-'));

test('files are closed after the deferred fsync', async () => {
  const root = await folder();
  const behind = new DeferredFsync();
  const descriptors = Array.from({ length: 100 }, (_, index) => openSync(join(root, `f${index}`), 'w'));
  for (const descriptor of descriptors) await behind.of('a file').take(descriptor);
  await behind.settled();
  for (const descriptor of descriptors) expect(() => fstatSync(descriptor)).toThrow('EBADF');
});

test('a file that is added after the queue was empty is synced too', async () => {
  const behind = new DeferredFsync();
  await behind.settled();
  const descriptor = openSync(join(await folder(), 'file'), 'w');
  await behind.of('a file').take(descriptor);
  await behind.settled();
  expect(() => fstatSync(descriptor)).toThrow('EBADF');
});

test('a failed fsync is reported once, with the name of the file', async () => {
  const behind = new DeferredFsync();
  const pipe = join(await folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  await behind.of('notes.txt').take(openSync(pipe, 'r+')); // no file, so the system refuses
  await expect(behind.settled()).rejects.toThrow(/earlier change of notes\.txt may not be on the disk: EINVAL/);
  await behind.settled();
});

test.runIf(process.platform === 'linux')('pseudo file systems do not order data before renames', () => {
  expect(ordersDataBeforeRename('/proc')).toBe(false);
  expect(ordersDataBeforeRename('/nowhere/at/all')).toBe(false);
});
