import { mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { thisProcess } from '../../platform/journal/process-identity.js';
import { resumeSession } from './resume-session.js';
import { agentFolder, type SessionFolder, sessionFolder } from './session-folder.js';
import { isInUse, lockSession } from './session-lock.js';
import { SessionStore } from './session-store.js';

async function emptySession(): Promise<SessionFolder> {
  const folder = sessionFolder(await mkdtemp(join(tmpdir(), 'helve-lock-')), 'abc');
  makePrivateFolder(folder.path);
  return folder;
}

/** The lock of a killed process, whose pid may have been reused. */
async function leftLock(folder: SessionFolder, name: string, token: string): Promise<void> {
  const owner = { ...(await thisProcess()), started: 1 };
  const at = new Date(0).toISOString();
  const left = { token, owner, sessionId: 'abc', callId: '', at, locks: [], files: [] };
  await writeFile(join(folder.path, name), JSON.stringify(left));
}

test('one holder at a time has the lock, and the next gets it after its release', async () => {
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

test('the lock of a process that has ended is taken over by exactly one of many concurrent attempts', async () => {
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

test('the lock is taken over even if another process ended while taking it over', async () => {
  const folder = await emptySession();
  await leftLock(folder, 'lock', 'dead');
  await leftLock(folder, 'dead.claim', 'alsodead');
  const lock = await lockSession(folder);
  expect(await lock.isOurs()).toBe(true);
  await lock.release();
  expect(await readdir(folder.path)).toEqual([]);
});

test('an old empty lock, as after a power cut, is taken over, but not a new one that is being written', async () => {
  const folder = await emptySession();
  await writeFile(folder.lock, '');
  await expect(lockSession(folder)).rejects.toThrow('is in use by another process');
  await utimes(folder.lock, new Date(0), new Date(0));
  await (await lockSession(folder)).release();
});

test('a lock that another process has taken over is not released', async () => {
  const folder = await emptySession();
  const lock = await lockSession(folder);
  await leftLock(folder, 'lock', 'other');
  expect(await lock.isOurs()).toBe(false);
  await lock.release();
  expect(await readFile(folder.lock, 'utf8')).toContain('"other"');
});

test('locks of killed child agents are removed when their session is resumed', async () => {
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
