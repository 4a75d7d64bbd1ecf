import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import { isCleanUpDue } from '../../platform/journal/clean-up-marker.js';
import { removeHostCopies } from './host-copies.js';
import { isEmptySession } from './list-sessions.js';
import { isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession } from './session-lock.js';
import { noSuchSession, SessionProblem } from './session-problem.js';

const DAY_MS = 24 * 3_600_000;
const KEPT_DAYS = 30;
const EMPTY_KEPT_DAYS = 1; // without a prompt: long enough for the program that was given its id
const MAX_EMPTY_BYTES = 64 * 1024;
const REMOVED_PREFIX = '.removed-'; // not a valid id: marks folders that are being removed

/**
 * Deletes a session with its saved results and the copies of its conversation. Returns a sentence about each copy that was
 * left. Rejects with `SessionProblem` if it is in use or does not exist.
 */
export async function removeSession(dataFolder: string, id: string): Promise<string[]> {
  const folder = sessionFolder(dataFolder, id);
  const stats = await lstat(folder.path).catch(() => undefined);
  if (!stats?.isDirectory()) throw noSuchSession(id);
  return (await removeFolder(dataFolder, folder, async () => true)) ?? [];
}

/** Renames the folder first, so that the removal is atomic for other processes. Undefined if it was not meant. */
async function removeFolder(
  dataFolder: string,
  folder: SessionFolder,
  isMeant: () => Promise<boolean>,
): Promise<string[] | undefined> {
  const lock = await lockSession(folder);
  try {
    if (!(await isMeant())) return undefined;
    const removed = join(sessionsFolder(dataFolder), `${REMOVED_PREFIX}${randomHex(6)}`);
    await rename(folder.path, removed);
    return await removeRenamed(removed);
  } finally {
    await lock.release();
  }
}

/** The copies first: they are found by the folder, also after a crash. */
async function removeRenamed(removed: string): Promise<string[]> {
  const left = await removeHostCopies(removed);
  await rm(removed, { recursive: true, force: true });
  return left;
}

/**
 * Deletes sessions that were last written at least this many days ago, at most once a day, except those in use; those
 * that never had a prompt after a day. A session
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
    if (name.startsWith(REMOVED_PREFIX)) await removeRenamed(join(top, name));
    if (!isSessionId(name)) continue;
    const folder = sessionFolder(dataFolder, name);
    const kept = (await isEmpty(folder)) ? Math.min(days, EMPTY_KEPT_DAYS) : days;
    if (await removeIfOld(dataFolder, folder, due.countedFrom - kept * DAY_MS)) removed.push(name);
  }
  return removed;
}

async function isEmpty(folder: SessionFolder): Promise<boolean> {
  const stats = await stat(folder.file).catch(() => undefined);
  return stats !== undefined && stats.size <= MAX_EMPTY_BYTES && isEmptySession(folder);
}

async function removeIfOld(dataFolder: string, folder: SessionFolder, before: number): Promise<boolean> {
  if (!(await isOld(folder, before))) return false;
  // Checked again under the lock. The folder itself has a new time then, because of the lock.
  const isStillOld = async (): Promise<boolean> =>
    ((await stat(folder.file).catch(() => undefined))?.mtimeMs ?? 0) < before;
  const left = await removeFolder(dataFolder, folder, isStillOld).catch((error: unknown) => {
    // In use, already removed, or not accessible: it is skipped.
    if (error instanceof SessionProblem || codeOf(error) !== undefined) return undefined;
    throw error;
  });
  return left !== undefined;
}

/** By the newest entry, since a session may have saved results but no conversation. */
async function isOld({ path, file, results }: SessionFolder, before: number): Promise<boolean> {
  const own = await lstat(path).catch(() => undefined);
  if (!own?.isDirectory()) return false;
  const stats = await Promise.all([file, results].map((inner) => stat(inner).catch(() => undefined)));
  return Math.max(...[own, ...stats].map((one) => one?.mtimeMs ?? 0)) < before;
}
