import { mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../platform/journal/process-identity.js';
import { resumeSession } from './resume-session.js';
import { agentFolder, makePrivateFolder, type SessionFolder, sessionFolder } from './session-folder.js';
import { isInUse, lockSession } from './session-lock.js';
import { SessionStore } from './session-store.js';

async function emptySession(): Promise<SessionFolder> {
  const folder = sessionFolder(await mkdtemp(join(tmpdir(), 'helve-lock-')), 'abc');
  makePrivateFolder(folder.path);
  return folder;
}

/** A lock as a process leaves it that was killed: by its number it may be any other process by now. */
async function leftLock(folder: SessionFolder, name: string, token: string): Promise<void> {
  const owner = { ...(await thisProcess()), started: 1 };
  const at = new Date(0).toISOString();
  const left = { token, owner, sessionId: 'abc', callId: '', at, locks: [], files: [] };
  await writeFile(join(folder.path, name), JSON.stringify(left));
}

test('is had by one at a time, and by the next once it is released', async () => {
  const folder = await emptySession();
  const lock = await lockSession(folder);
  expect(await isInUse(folder)).toBe(true);
  await expect(lockSession(folder)).rejects.toMatchObject({ kind: 'in_use' });
  expect(await lock.isOurs()).toBe(true);
  await lock.release();
  expect(await isInUse(folder)).toBe(false);
  await (await lockSession(folder)).release();
  expect(await readdir(folder.path)).toEqual([]);
});

test('is taken over from a process that has ended, by exactly one of many that try at once', async () => {
  const folder = await emptySession();
  await leftLock(folder, 'lock', 'dead');
  expect(await isInUse(folder)).toBe(false);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockSession(folder)));
  const locks = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(locks).toHaveLength(1);
  expect(await locks[0]?.isOurs()).toBe(true);
  await locks[0]?.release();
  expect(await readdir(folder.path)).toEqual([]);
});

test('is taken over also where the one that was taking it over has ended too', async () => {
  const folder = await emptySession();
  await leftLock(folder, 'lock', 'dead');
  await leftLock(folder, 'dead.claim', 'alsodead');
  const lock = await lockSession(folder);
  expect(await lock.isOurs()).toBe(true);
  await lock.release();
  expect(await readdir(folder.path)).toEqual([]);
});

test('is taken over from one without content that a power cut left, and not from one that is being written', async () => {
  const folder = await emptySession();
  await writeFile(folder.lock, '');
  await expect(lockSession(folder)).rejects.toThrow('is in use by another process');
  await utimes(folder.lock, new Date(0), new Date(0));
  await (await lockSession(folder)).release();
});

test('a lock that somebody else has by now is not released', async () => {
  const folder = await emptySession();
  const lock = await lockSession(folder);
  await leftLock(folder, 'lock', 'other');
  expect(await lock.isOurs()).toBe(false);
  await lock.release();
  expect(await readFile(folder.lock, 'utf8')).toContain('"other"');
});

test('locks that child agents left when they were killed go when their session is resumed', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-lock-'));
  const store = new SessionStore({ dataFolder, id: 'abc', root: '/', model: 'x' });
  await store.open();
  store.prompt([{ type: 'text', text: 'hello' }]);
  await store.flushed();
  await store.close();
  const [killed, atWork] = [agentFolder(dataFolder, 'abc', 'killed'), agentFolder(dataFolder, 'abc', 'at-work')];
  for (const { path } of [killed, atWork]) makePrivateFolder(path);
  await leftLock(killed, 'lock', 'dead');
  const held = await lockSession(atWork);
  const resumed = await resumeSession({ dataFolder, id: 'abc', root: '/', model: 'x' });
  expect(await readdir(killed.path)).toEqual([]);
  expect(await held.isOurs()).toBe(true);
  await Promise.all([held.release(), resumed.store.close()]);
});
