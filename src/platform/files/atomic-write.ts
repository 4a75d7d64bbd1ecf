import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  type Stats,
  write,
  writeSync,
} from 'node:fs';
import { access, link, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { randomHex } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { type CopyTo, copyAttributes } from './copy-attributes.js';
import { type FsyncStrategy, immediateFsync } from './deferred-fsync.js';
import { type Folder, fsyncFolder, inFolder } from './folder.js';
import { assertRegular, SMALL_BYTES } from './open-file.js';
import { realPath } from './paths.js';
import { asWriteFailure } from './write-failure.js';

/**
 * Writes `bytes` to the path atomically: a reader sees the old content or the new, never a part, even after a power
 * failure. Follows symlinks to the real file and keeps its mode, its attributes and, if permitted, its owner.
 */
export async function writeFileAtomically(path: string, bytes: Uint8Array): Promise<void> {
  let real = path;
  try {
    real = await realPath(path);
    const name = basename(real);
    const before = await replaceable(real);
    await inFolder(dirname(real), async (folder) => {
      const temporary = `.helve-${randomHex(9)}.tmp`; // short enough for any file system, however long the name is
      try {
        await stage(folder, temporary, bytes, before && { owner: before, copy: copyAttributes(folder.anchor, name) });
        await rename(folder.at(temporary), folder.at(name));
      } catch (error) {
        await discard(folder, temporary);
        throw error;
      }
      await fsyncFolder(folder);
    });
  } catch (error) {
    throw await asWriteFailure(error, real, 'written', `${bytes.length} bytes`);
  }
}

/** The existing file, if it may be replaced: a rename would replace even a file that we may not write. */
async function replaceable(real: string): Promise<Stats | undefined> {
  let stats: Stats;
  try {
    stats = await stat(real);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  assertRegular(real, stats);
  await access(real, constants.W_OK);
  return stats;
}

/** The owner and mode of a file. */
export interface Owner {
  mode: number;
  uid?: number;
  gid?: number;
}

const writeInThread = promisify(write);

/** Writes all the bytes to an open file, at its current position. */
export async function writeWhole(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done +=
      bytes.length <= SMALL_BYTES
        ? writeSync(descriptor, bytes, done)
        : (await writeInThread(descriptor, bytes, done)).bytesWritten;
  }
}

/**
 * Writes the bytes to a new file in the folder, fsynced and ready to be renamed. Returns whether it has been given
 * extended attributes.
 */
export async function stage(
  folder: Folder,
  temporary: string,
  bytes: Uint8Array,
  like?: { owner: Owner; copy?: CopyTo | undefined } | undefined,
  toDisk: FsyncStrategy = immediateFsync,
): Promise<'none' | 'copied'> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(folder.at(temporary), flags, like ? 0o600 : 0o666);
  const copying = like?.copy?.(file);
  try {
    await writeWhole(file, bytes);
    if (like) give(file, like.owner);
  } catch (error) {
    await copying; // it refers to the file by its descriptor
    closeSync(file);
    throw error;
  }
  const attributes = (await copying) ?? 'none';
  await toDisk.take(file);
  return attributes;
}

function give(file: number, { uid, gid, mode }: Owner): void {
  const ours = fstatSync(file);
  if ((uid !== undefined && ours.uid !== uid) || (gid !== undefined && ours.gid !== gid)) {
    try {
      fchownSync(file, uid ?? ours.uid, gid ?? ours.gid);
    } catch {
      // only root may change the owner; the content matters more
    }
  }
  fchmodSync(file, mode & 0o7777); // after chown, which clears the set-user-id bit
}

/** Renames a staged file to its final name unless that exists: a file that appeared meanwhile is kept. */
export async function publishNew(folder: Folder, temporary: string, name: string): Promise<void> {
  try {
    await link(folder.at(temporary), folder.at(name));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    // Not every file system supports hard links.
    if (await lstat(folder.at(name)).catch(() => undefined))
      throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    await rename(folder.at(temporary), folder.at(name));
    return;
  }
  await unlink(folder.at(temporary));
}

/** Removes a staged file that is not needed any more, if it exists. */
export async function discard(folder: Folder, temporary: string): Promise<boolean> {
  return await unlink(folder.at(temporary)).then(
    () => true,
    () => false, // missing, or not removable: either way there is a more important error to report
  );
}

/**
 * Writes into the existing file instead of a new one, so that its other hard links see the change. Unlike a rename
 * this can be interrupted: the caller keeps the old content until it is done.
 */
export async function overwrite(folder: Folder, name: string, bytes: Uint8Array, expected: Stats): Promise<void> {
  const file = await open(folder.at(name), constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { dev, ino } = await file.stat();
    if (dev !== expected.dev || ino !== expected.ino) throw new Error(`${name} was replaced while it was opened`);
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, done)).bytesWritten;
    }
    await file.truncate(bytes.length);
    await file.sync();
  } finally {
    await file.close();
  }
}
