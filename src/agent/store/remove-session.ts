import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/files/write-failure.js';
import { isCleanUpDue } from '../../platform/journal/clean-up-marker.js';
import { isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession } from './session-lock.js';
import { noSuchSession, SessionProblem } from './session-problem.js';

const DAY_MS = 24 * 3_600_000;
const KEPT_DAYS = 30;
const GOING = '.removed-'; // no session's id: what has this name is on its way out

/** Deletes a session with its saved results. Rejects with `SessionProblem` where it is in use, or not there. */
export async function removeSession(dataFolder: string, id: string): Promise<void> {
  const folder = sessionFolder(dataFolder, id);
  const stats = await lstat(folder.path).catch(() => undefined);
  if (!stats?.isDirectory()) throw noSuchSession(id);
  await removeFolder(dataFolder, folder, async () => true);
}

/** Whole or not at all for everybody else: the folder loses its name first. */
async function removeFolder(
  dataFolder: string,
  folder: SessionFolder,
  isMeant: () => Promise<boolean>,
): Promise<boolean> {
  const lock = await lockSession(folder);
  try {
    if (!(await isMeant())) return false;
    const going = join(sessionsFolder(dataFolder), `${GOING}${randomHex(6)}`);
    await rename(folder.path, going);
    await rm(going, { recursive: true, force: true });
    return true;
  } finally {
    await lock.release();
  }
}

/**
 * Deletes the sessions that were last written so many days ago, at most once a day. Those in use stay. A session goes only
 * if it was old at the clean-up before this one too, so that a clock that is ahead once deletes nothing. Returns the ids of
 * those that went.
 */
export async function cleanUpSessions(dataFolder: string, days = KEPT_DAYS, now = Date.now()): Promise<string[]> {
  const top = sessionsFolder(dataFolder);
  const names = await readdir(top).catch(() => undefined);
  if (!names) return []; // no session yet
  const due = await isCleanUpDue(join(top, '.cleaned'), now);
  if (!due) return [];

  const removed: string[] = [];
  for (const name of names) {
    if (name.startsWith(GOING)) await rm(join(top, name), { recursive: true, force: true });
    if (!isSessionId(name)) continue;
    const folder = sessionFolder(dataFolder, name);
    if (await removeIfOld(dataFolder, folder, due.countedFrom - days * DAY_MS)) removed.push(name);
  }
  return removed;
}

async function removeIfOld(dataFolder: string, folder: SessionFolder, before: number): Promise<boolean> {
  if (!(await isOld(folder, before))) return false;
  // Checked again once no other process can write it. The folder itself has a new time then, because of the lock.
  const isStillOld = async (): Promise<boolean> =>
    ((await stat(folder.file).catch(() => undefined))?.mtimeMs ?? 0) < before;
  return await removeFolder(dataFolder, folder, isStillOld).catch((error: unknown) => {
    // In use, or gone meanwhile, or not ours to touch: all of them a reason to leave it alone.
    if (error instanceof SessionProblem || codeOf(error) !== undefined) return false;
    throw error;
  });
}

/** By the newest of what is in it: a session may have saved results and no conversation. */
async function isOld({ path, file, results }: SessionFolder, before: number): Promise<boolean> {
  const own = await lstat(path).catch(() => undefined);
  if (!own?.isDirectory()) return false;
  const stats = await Promise.all([file, results].map((inner) => stat(inner).catch(() => undefined)));
  return Math.max(...[own, ...stats].map((one) => one?.mtimeMs ?? 0)) < before;
}
