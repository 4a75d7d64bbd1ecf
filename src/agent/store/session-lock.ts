// One writer for each session. The lock is a file that names the process. It is created atomically, as a hard link to a
// file that was written before. A lock whose process has ended is removed only by the holder of a claim on it, and a claim
// is a lock itself: so of any number of processes that find the same lock, one removes it, and none removes the next lock.
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import type { InspectedRecord, OpenChange } from '../../platform/journal/lock.js';
import { type ProcessIdentity, thisProcess } from '../../platform/journal/process-identity.js';
import { localMinute } from '../../platform/text/local-time.js';
import type { SessionFolder } from './session-folder.js';
import { SessionProblem } from './session-problem.js';

const TRIES = 20; // each attempt but the last has removed a stale lock, or lost a race for it
const RENEW_MS = 4 * 60_000; // a process that is not visible, as in a container, counts as ended after 10 minutes

/** The right to write a session, until it is released. */
export interface SessionLock {
  /** False once another process has taken it over, for example after this machine slept for a long time. */
  isOurs(): Promise<boolean>;
  release(): Promise<void>;
}

/** Rejects with `SessionProblem` if another process, or another agent of this one, uses the session. */
export async function lockSession({ id, lock: path }: SessionFolder): Promise<SessionLock> {
  const owner = await thisProcess();
  const token = await acquire(path, id, owner);
  let seen: string | undefined; // the stamp of the file when it was last found to be ours
  const isOurs = async (): Promise<boolean> => {
    const stamp = fileStamp(path);
    if (stamp !== undefined && stamp === seen) return true;
    const ours = (await holder(path, owner))?.token === token;
    seen = ours ? stamp : undefined;
    return ours;
  };
  const renewal = setInterval(() => {
    const now = new Date();
    isOurs()
      .then((ours) => (ours ? utimes(path, now, now) : undefined))
      .catch(() => {}); // retried next time; the lock is checked again before it is relied on
  }, RENEW_MS);
  renewal.unref();
  return {
    isOurs,
    async release() {
      clearInterval(renewal);
      if (await isOurs()) await remove(path);
    },
  };
}

/** Changes if the file was modified or replaced. */
function fileStamp(path: string): string | undefined {
  const { dev, ino, mtimeNs, ctimeNs } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : [dev, ino, mtimeNs, ctimeNs].join(':');
}

/** Whether a process uses the session now. */
export async function isInUse({ lock }: SessionFolder): Promise<boolean> {
  return (await holder(lock, await thisProcess())) !== undefined;
}

/** The process that uses the session now, with its machine if that is not this one; undefined if none does. */
export async function whoUses({ lock }: SessionFolder): Promise<{ pid?: number; host?: string } | undefined> {
  const ours = await thisProcess();
  const found = await holder(lock, ours);
  if (!found) return undefined;
  const { pid, host } = found;
  return { ...(pid !== undefined && { pid }), ...(host !== undefined && host !== ours.host && { host }) };
}

/** Removes a lock whose process has ended. */
export async function removeEndedLock({ id, lock }: SessionFolder): Promise<void> {
  const owner = await thisProcess();
  const found = await inspectRecord(lock, owner);
  if (found.state === 'ended') await removeLeft(lock, found.change, id, owner);
}

interface Holder {
  token: string | undefined;
  pid: number | undefined;
  host: string | undefined;
  at: string | undefined;
}

async function holder(path: string, ours: ProcessIdentity): Promise<Holder | undefined> {
  if (!(await stat(path).catch(() => undefined))) return undefined;
  const found = await inspectRecord(path, ours);
  if (found.state !== 'running') return undefined;
  const { token, owner, at } = found.change ?? {};
  return { token, pid: owner?.pid, host: owner?.host, at };
}

async function acquire(path: string, id: string, owner: ProcessIdentity): Promise<string> {
  const token = randomHex(12);
  const content: OpenChange = {
    token,
    owner,
    sessionId: id,
    callId: '',
    at: new Date().toISOString(),
    locks: [],
    files: [],
  };
  for (let attempt = 1; !create(path, JSON.stringify(content), token); attempt += 1) {
    const found = await inspectRecord(path, owner);
    if (found.state === 'running') throw inUse(id, found.change, owner);
    if (attempt >= TRIES) throw inUse(id, undefined, owner);
    if (found.state === 'ended') await removeLeft(path, found.change, id, owner);
  }
  return token;
}

/** Rejects with `SessionProblem` if another process is removing it. */
async function removeLeft(path: string, left: OpenChange, id: string, owner: ProcessIdentity): Promise<void> {
  const claim = join(dirname(path), `${left.token}.claim`);
  await acquire(claim, id, owner);
  try {
    const found = await inspectRecord(path, owner);
    if (found.state === 'ended' && found.change.token === left.token) await remove(path);
  } finally {
    await remove(claim);
  }
}

/** Synchronous: the first call of a session waits for it, and three asynchronous calls would take longer. */
function create(path: string, content: string, token: string): boolean {
  const written = join(dirname(path), `${token}.new`);
  try {
    writeFileSync(written, content, { flag: 'wx', mode: 0o600 });
    linkSync(written, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    rmSync(written, { force: true });
  }
  // The file system has no hard links. An empty lock file counts as held by another process.
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

function inUse(id: string, holder: OpenChange | undefined, ours: ProcessIdentity): SessionProblem {
  const place = holder && holder.owner.host !== ours.host ? ` on ${holder.owner.host}` : '';
  const [fact, advice] =
    holder && holder.owner.pid === ours.pid && place === ''
      ? [
          `is open in this process already, since ${localMinute(new Date(holder.at))}.`,
          'Go on there, or close it there first.',
        ]
      : [
          `is in use by ${holder ? `process ${holder.owner.pid}${place}, since ${localMinute(new Date(holder.at))}` : 'another process'}, and two writers would mix their conversations.`,
          'End that one first, or fork the session with --fork to continue from its last complete turn.',
        ];
  return new SessionProblem('in_use', `The session ${id} ${fact}`, { advice });
}

/** The first request waits for the lock of a new session, which has no other holder: the parser of locks is loaded for others. */
async function inspectRecord(path: string, ours: ProcessIdentity): Promise<InspectedRecord> {
  const lock = await import('../../platform/journal/lock.js');
  return await lock.inspectRecord(path, ours);
}
