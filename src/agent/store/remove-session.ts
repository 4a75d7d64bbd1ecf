import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import { isCleanUpDue } from '../../platform/journal/clean-up-marker.js';
import { isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession } from './session-lock.js';
import { noSuchSession, SessionProblem } from './session-problem.js';

const DAY_MS = 24 * 3_600_000;
const KEPT_DAYS = 30;
const REMOVED_PREFIX = '.removed-'; // not a valid id: marks folders that are being removed

/** Deletes a session with its saved results. Rejects with `SessionProblem` if it is in use or does not exist. */
export async function removeSession(dataFolder: string, id: string): Promise<void> {
  const folder = sessionFolder(dataFolder, id);
  const stats = await lstat(folder.path).catch(() => undefined);
  if (!stats?.isDirectory()) throw noSuchSession(id);
  await removeFolder(dataFolder, folder, async () => true);
}

/** Renames the folder first, so that the removal is atomic for other processes. */
async function removeFolder(
  dataFolder: string,
  folder: SessionFolder,
  isMeant: () => Promise<boolean>,
): Promise<boolean> {
  const lock = await lockSession(folder);
  try {
    if (!(await isMeant())) return false;
    const removed = join(sessionsFolder(dataFolder), `${REMOVED_PREFIX}${randomHex(6)}`);
    await rename(folder.path, removed);
    await rm(removed, { recursive: true, force: true });
    return true;
  } finally {
    await lock.release();
  }
}

/**
 * Deletes sessions that were last written at least this many days ago, at most once a day, except those in use. A session
 * is deleted only if it was also old at the previous clean-up, so that a clock that is temporarily ahead deletes nothing.
 * Returns the ids of the deleted sessions.
 */
export async function cleanUpSessions(dataFolder: string, days = KEPT_DAYS, now = Date.now()): Promise<string[]> {
  const top = sessionsFolder(dataFolder);
  const names = await readdir(top).catch(() => undefined);
  if (!names) return []; // no session yet
  const due = await isCleanUpDue(join(top, '.cleaned'), now);
  if (!due) return [];

  const removed: string[] = [];
  for (const name of names) {
    if (name.startsWith(REMOVED_PREFIX)) await rm(join(top, name), { recursive: true, force: true });
    if (!isSessionId(name)) continue;
    const folder = sessionFolder(dataFolder, name);
    if (await removeIfOld(dataFolder, folder, due.countedFrom - days * DAY_MS)) removed.push(name);
  }
  return removed;
}

async function removeIfOld(dataFolder: string, folder: SessionFolder, before: number): Promise<boolean> {
  if (!(await isOld(folder, before))) return false;
  // Checked again under the lock. The folder itself has a new time then, because of the lock.
  const isStillOld = async (): Promise<boolean> =>
    ((await stat(folder.file).catch(() => undefined))?.mtimeMs ?? 0) < before;
  return await removeFolder(dataFolder, folder, isStillOld).catch((error: unknown) => {
    // In use, already removed, or not accessible: it is skipped.
    if (error instanceof SessionProblem || codeOf(error) !== undefined) return false;
    throw error;
  });
}

/** By the newest entry, since a session may have saved results but no conversation. */
async function isOld({ path, file, results }: SessionFolder, before: number): Promise<boolean> {
  const own = await lstat(path).catch(() => undefined);
  if (!own?.isDirectory()) return false;
  const stats = await Promise.all([file, results].map((inner) => stat(inner).catch(() => undefined)));
  return Math.max(...[own, ...stats].map((one) => one?.mtimeMs ?? 0)) < before;
}
