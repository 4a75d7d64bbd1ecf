// Helve's own small files: private, written atomically, never through a link, and changed under a lock.
import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { link, readFile, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { randomHex } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { isRunning, isStale, type ProcessIdentity, thisProcess } from '../journal/process-identity.js';
import { discard, stage } from './atomic-write.js';
import { fsyncFolder, inFolder } from './folder.js';
import { mkdirPrivate } from './mkdir-private.js';

const WAIT_MS = 10_000; // most changes take milliseconds; after this time the other process is assumed to hang
const POLL_MS = 10;

/** The text of one of our files, or undefined if it does not exist. Throws if another user may have written it. */
export function readPrivateFile(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw new Error('it is a link', { cause: error });
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    const user = process.getuid?.();
    if (!stats.isFile()) throw new Error('it is not a file');
    if (user !== undefined && stats.uid !== user) throw new Error('it belongs to another user');
    if (user !== undefined && (stats.mode & 0o022) !== 0) throw new Error('other users may write it');
    if (user === stats.uid && (stats.mode & 0o077) !== 0) keepFromOthers(descriptor);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** For a file that was restored or copied with another mode: it may hold a secret. */
function keepFromOthers(descriptor: number): void {
  try {
    fchmodSync(descriptor, 0o600);
  } catch {
    // a file system that can only be read, or has no modes
  }
}

/** Replaces the existing file, or link, by a private file. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  mkdirPrivate(dirname(path));
  await inFolder(await realpath(dirname(path)), async (folder) => {
    const temporary = `.helve-${randomHex(9)}.tmp`;
    try {
      await stage(folder, temporary, Buffer.from(text), { owner: { mode: 0o600 } });
      await rename(folder.at(temporary), folder.at(basename(path)));
    } catch (error) {
      await discard(folder, temporary);
      throw error;
    }
    await fsyncFolder(folder);
  });
}

/** Takes disk space next to a private file, and resolves with what frees it again. For the holder of the file's lock. */
export async function reserveRoom(path: string, bytes: number): Promise<() => Promise<void>> {
  mkdirPrivate(dirname(path));
  const reserved = `${path}.room`;
  await unlink(reserved).catch(() => {}); // of a process that was killed
  const free = async (): Promise<void> => await unlink(reserved).catch(() => {});
  try {
    // Not zeros, which some file systems store in no space at all.
    await inFolder(await realpath(dirname(path)), async (folder) => {
      await stage(folder, basename(reserved), Buffer.from(randomHex(bytes / 2)), { owner: { mode: 0o600 } });
    });
  } catch (error) {
    await free();
    throw error;
  }
  return free;
}

/** Runs the work under an exclusive lock, across processes. `waitMs` must exceed what the work of another may take. */
export async function withLock<T>(
  lock: string,
  work: () => Promise<T>,
  { waitMs = WAIT_MS }: { waitMs?: number } = {},
): Promise<T> {
  mkdirPrivate(dirname(lock));
  const ours = await thisProcess();
  const record = JSON.stringify({ ...ours, token: randomHex(9) });
  const until = monotonicMs() + waitMs;
  while (!(await take(lock, record))) {
    if (await isLeftBehind(lock, ours)) await setAside(lock, ours);
    else if (monotonicMs() > until) {
      throw new Error(`Another helve holds ${lock} for too long. If none is running, delete that file and try again.`);
    } else await delay(POLL_MS * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    const held = await readFile(lock, 'utf8').catch(() => undefined);
    if (held === record) await unlink(lock);
  }
}

/** Uses a hard link, so that a lock file appears atomically with its owner's name in it. */
async function take(lock: string, record: string): Promise<boolean> {
  const draft = `${lock}.${randomHex(9)}`;
  try {
    await writeFile(draft, record, { flag: 'wx', mode: 0o600 });
    await link(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    await unlink(draft).catch(() => {}); // missing if the disk is full
  }
  // The file system has no hard links. A lock file without its owner's name in it yet counts as held.
  try {
    await writeFile(lock, record, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isLeftBehind(lock: string, ours: ProcessIdentity): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(lock), readFile(lock, 'utf8')]);
    const owner = ownerIn(text);
    return owner ? !(await isRunning(owner, mtimeMs, ours)) : isStale(mtimeMs);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false; // free again: the next try takes it
    throw error;
  }
}

/** Two processes may find the same stale lock; the second must not remove the new lock of the first. */
async function setAside(lock: string, ours: ProcessIdentity): Promise<void> {
  const aside = join(dirname(lock), `${basename(lock)}.${randomHex(9)}`);
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (!(await isLeftBehind(aside, ours))) await link(aside, lock).catch(() => {});
  await unlink(aside);
}

function ownerIn(text: string): ProcessIdentity | undefined {
  try {
    const { pid, started, boot, space, host }: Record<string, unknown> = JSON.parse(text);
    if (typeof pid !== 'number' || typeof started !== 'number') return undefined;
    if (typeof boot !== 'string' || typeof space !== 'string' || typeof host !== 'string') return undefined;
    return { pid, started, boot, space, host };
  } catch {
    return undefined;
  }
}
