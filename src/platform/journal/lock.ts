// File locks between processes. A change in progress has a record, a small private file that names the process; a
// lock is a hard link to that file, so that it appears atomically. Only its owner removes a lock. When the owner has
// died, exactly one process takes over: the one that creates the owner's `.claim`. If that process dies too, its own
// record is claimed, and so on, so at most one live process holds the claim at any time. It rolls back or completes
// the change, removes the locks and the record, and the claim last, so that a late process finds nothing to do.
import { linkSync, lstatSync, type Stats, unlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { monotonicMs } from '../clock.js';
import { randomHex, sha256 } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { WriteFailure } from '../files/write-failure.js';
import { ownRecords } from '../own-records.js';
import { parseJson } from '../parse-json.js';
import { type JournalFolders, writeNew } from './journal.js';
import { isRunning, isStale, type ProcessIdentity, thisProcess } from './process-identity.js';

const FIRST_POLL_MS = 1;
const LAST_POLL_MS = 25;

const openChange = z.object({
  token: z.string().regex(/^[\w-]+$/),
  owner: z.object({
    pid: z.number(),
    started: z.number(),
    boot: z.string(),
    space: z.string(),
    host: z.string(),
  }),
  sessionId: z.string(),
  callId: z.string(),
  at: z.iso.datetime(),
  /** The names of the locks that it holds or waits for. */
  locks: z.array(z.string()),
  files: z.array(z.object({ real: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});

/** A change in progress. */
export type OpenChange = z.output<typeof openChange>;

export const recordPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.json`);
export const planPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.plan`);
const claimPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.claim`);
export const lockPath = ({ locks }: JournalFolders, name: string): string => join(locks, name);

/** The name of the lock for a key that is the same in every process. */
export const lockName = (key: string): string => sha256().update(key).digest('hex').slice(0, 40);

export async function writeRecord(
  folders: JournalFolders,
  change: OpenChange,
  { durable }: { durable: boolean },
): Promise<void> {
  const path = recordPath(folders, change.token);
  if (durable) await writeNew(path, JSON.stringify(change));
  else writeFileSync(path, JSON.stringify(change), { flag: 'wx', mode: 0o600 });
  if (change.owner.pid === process.pid) ownRecords().add(path);
}

/** A record without files and locks, which shows other processes that this one is working. */
export async function openRecord(
  folders: JournalFolders,
  { sessionId, callId = '', durable = false }: { sessionId: string; callId?: string; durable?: boolean },
): Promise<OpenChange> {
  const owner = await thisProcess();
  const at = new Date().toISOString();
  const record = { token: randomHex(12), owner, sessionId, callId, at, locks: [], files: [] };
  await writeRecord(folders, record, { durable });
  return record;
}

export type InspectedRecord =
  | { state: 'none' }
  | { state: 'running'; change: OpenChange | undefined }
  | { state: 'ended'; change: OpenChange };

/** The content of a lock, a claim or a record, and whether its process is still running. */
export async function inspectRecord(path: string, ours: ProcessIdentity): Promise<InspectedRecord> {
  let stats: Stats;
  let text: string;
  try {
    [stats, text] = await Promise.all([stat(path), readFile(path, 'utf8')]);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { state: 'none' };
    throw error;
  }
  const change = parsedChange(text);
  if (change) {
    return { state: (await isRunning(change.owner, stats.mtimeMs, ours)) ? 'running' : 'ended', change };
  }
  if (!isStale(stats.mtimeMs)) return { state: 'running', change: undefined };
  return { state: 'ended', change: unreadable(path, stats, ours) };
}

/** Undefined if the text is truncated. */
export const parsedChange = (text: string): OpenChange | undefined => openChange.safeParse(parseJson(text)).data;

/** A power failure may leave an empty file. It was never more than a lock: no file had been renamed yet. */
const unreadable = (path: string, { ino, mtimeMs }: Stats, owner: ProcessIdentity): OpenChange => ({
  token: /(?<![\w-])([\w-]+)\.json$/.exec(path)?.[1] ?? `unreadable-${ino}-${Math.round(mtimeMs)}`,
  owner,
  sessionId: '',
  callId: '',
  at: new Date(mtimeMs).toISOString(),
  locks: /([0-9a-f]{40})$/.exec(path)?.slice(1) ?? [],
  files: [],
});

/**
 * Acquires the locks of our record in a global order, which prevents deadlocks. Acquired locks are added to `held`,
 * even if a later one can't be acquired.
 */
export async function acquireLocks(
  folders: JournalFolders,
  ours: OpenChange,
  held: string[],
  { waitMs, takeOver }: { waitMs: number; takeOver: (ended: OpenChange) => Promise<unknown> },
): Promise<void> {
  const until = monotonicMs() + waitMs;
  for (const name of ours.locks.toSorted()) {
    for (let pause = FIRST_POLL_MS; !(await takeLock(folders, ours, lockPath(folders, name))); ) {
      const found = await inspectRecord(lockPath(folders, name), ours.owner);
      if (found.state === 'none') continue;
      if (monotonicMs() > until) throw busy(ours, found, lockPath(folders, name), waitMs);
      if (found.state === 'ended') await takeOver(found.change);
      await delay(pause * (0.5 + Math.random())); // jitter, so that two waiting processes don't stay in step
      pause = Math.min(pause * 2, LAST_POLL_MS);
    }
    held.push(name);
  }
}

async function takeLock(folders: JournalFolders, ours: OpenChange, lock: string): Promise<boolean> {
  try {
    linkSync(recordPath(folders, ours.token), lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(codeOf(error) ?? '')) throw error;
  }
  // The file system has no hard links. A lock file that is still empty counts as held.
  try {
    await writeFile(lock, JSON.stringify(ours), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function busy(ours: OpenChange, found: InspectedRecord, lock: string, waitMs: number): WriteFailure {
  const names = ours.files.map(({ real }) => real).join(', ');
  const holder = found.state === 'none' ? undefined : found.change;
  const who = holder
    ? `process ${holder.owner.pid}${holder.owner.host === ours.owner.host ? '' : ` on ${holder.owner.host}`}, since ${holder.at}`
    : `the holder of ${lock}`;
  return new WriteFailure(
    'EBUSY',
    `${names} is being changed by another Helve (${who}), which did not finish within ${waitMs / 1_000} s. Nothing was changed. Try again; if that process hangs, ask the user to end it.`,
  );
}

/**
 * Ends the record: the change is completed or rolled back. Locks are removed first, so that none is left without a
 * record.
 */
export async function closeRecord(
  folders: JournalFolders,
  { token }: OpenChange,
  held: readonly string[],
): Promise<void> {
  for (const name of held) remove(lockPath(folders, name));
  for (const path of [planPath(folders, token), recordPath(folders, token)]) remove(path);
  ownRecords().delete(recordPath(folders, token));
}

async function isLockOf(lock: string, token: string): Promise<boolean> {
  const text = await readFile(lock, 'utf8').catch(() => undefined);
  return text !== undefined && parsedChange(text)?.token === token;
}

/** False if its process ended before it had all of them: then it had not begun to change anything. */
export async function holdsAllLocks(folders: JournalFolders, { token, locks }: OpenChange): Promise<boolean> {
  const held = await Promise.all(locks.map((name) => isLockOf(lockPath(folders, name), token)));
  return held.every(Boolean);
}

/** Takes over the changes of a dead process, and of those that had taken over for it and died too. */
export async function takeOver(
  folders: JournalFolders,
  ended: OpenChange,
  ours: OpenChange,
  finish: (change: OpenChange) => Promise<void>,
): Promise<'done' | 'busy'> {
  const chain = [ended];
  for (let last = ended; !(await takeLock(folders, ours, claimPath(folders, last.token))); ) {
    const found = await inspectRecord(claimPath(folders, last.token), ours.owner);
    if (found.state !== 'ended') return found.state === 'none' ? 'done' : 'busy';
    last = found.change;
    chain.push(last);
  }
  // The record is removed before its claim: if it is gone, another process has done the work, and only our claim is
  // left. The order is first to last, because the claim on the last one keeps other processes away from all of them.
  for (const change of chain) {
    const { state } = await inspectRecord(recordPath(folders, change.token), ours.owner);
    if (state === 'ended') await finish(change);
    await removeLocksOf(folders, change);
    for (const path of [planPath(folders, change.token), recordPath(folders, change.token)]) remove(path);
    remove(claimPath(folders, change.token));
  }
  return 'done';
}

async function removeLocksOf(folders: JournalFolders, { token, locks }: OpenChange): Promise<void> {
  for (const name of locks) {
    const lock = lockPath(folders, name);
    const readable = await isLockOf(lock, token);
    const stats = readable ? undefined : await stat(lock).catch(() => undefined);
    const same = stats !== undefined && token === `unreadable-${stats.ino}-${Math.round(stats.mtimeMs)}`;
    if (readable || same) await unlink(lock);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // On a read-only file system the error may be EROFS even if the file does not exist.
    if (codeOf(error) !== 'ENOENT' && lstatSync(path, { throwIfNoEntry: false })) throw error;
  }
}

/** The entries of the folder of changes in progress, by token; almost always empty. */
export async function openTokens({ open }: JournalFolders): Promise<{ records: string[]; others: string[] }> {
  const names = await readdir(open).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return {
    records: names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length)),
    others: names.filter((name) => !name.endsWith('.json')),
  };
}
