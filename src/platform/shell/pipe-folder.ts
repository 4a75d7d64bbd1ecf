import { mkdtempSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994; // Linux's magic number

/**
 * Creates a folder that is private to the user, for pipes and files that have a name for a moment. On a disk each of
 * them costs an inode, and ext4 searches long for a free one where many were just freed: so it is in memory, unless the
 * user has named another place for temporary files, or `notInMemory` is set. Synchronous: awaiting it would take
 * longer.
 */
export function makePipeFolder(notInMemory: boolean): string {
  if (!notInMemory && tmpdir() === '/tmp' && isInMemory(MEMORY) && !mayBeReplacedIn(MEMORY)) {
    try {
      return mkdtempSync(join(MEMORY, 'helve-'));
    } catch {
      // not writable, or full
    }
  }
  return mkdtempSync(join(tmpdir(), 'helve-'));
}

/** Whether other users may rename or remove what we create in the folder: they can write to it, and it is not sticky. */
export function mayBeReplacedIn(folder: string): boolean {
  const { mode, uid } = statSync(folder);
  const isForeign = uid !== 0 && uid !== process.getuid?.();
  return isForeign || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0);
}

function isInMemory(folder: string): boolean {
  try {
    return statfsSync(folder).type === TMPFS;
  } catch {
    return false;
  }
}
