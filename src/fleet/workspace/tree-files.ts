// Files of a workspace by their names as bytes. Nothing here follows a symbolic link below the workspace: a session may put
// one anywhere, and what it leads to is not the session's.
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { codeOf } from '../../platform/error-code.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_READS = 0o500; // and searches, if it is a folder

/** A path below the workspace has a character for each byte. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, 'latin1');

export const pathIn = (root: string, path: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), bytesOf(path)]);

/** Of a folder, without those that can't be read. */
export function namesIn(folder: Buffer): string[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  } catch (error) {
    if (codeOf(error) !== 'EACCES') return []; // gone meanwhile
    return (
      madeReadable(folder, () => readdirSync(folder, { encoding: 'buffer' }).map((name) => name.toString('latin1'))) ??
      []
    );
  }
}

/** Undefined if it is not there. */
export function statusOf(path: Buffer) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // the folder above was replaced
  }
}

/** The content of a file in parts. Returns false if it is no file any more, or is reached through a symbolic link. */
export function* readParts(path: Buffer, partBytes: number): Generator<Buffer, boolean> {
  const file = openToRead(path);
  if (file === undefined) return false;
  try {
    if (!fstatSync(file).isFile() || !isAt(file, path)) return false;
    for (let position = 0; ; ) {
      const part = Buffer.allocUnsafe(Math.max(1, Math.min(partBytes, fstatSync(file).size - position)));
      let size = 0;
      for (let more = -1; size < part.length && more !== 0; size += more) {
        more = readSync(file, part, size, part.length - size, position + size);
      }
      if (size === 0) return true;
      yield part.subarray(0, size);
      position += size;
    }
  } finally {
    closeSync(file);
  }
}

function openToRead(path: Buffer): number | undefined {
  try {
    return openSync(path, READ);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error) ?? '')) return undefined;
    if (codeOf(error) === 'EACCES') return madeReadable(path, () => openSync(path, READ));
    throw error;
  }
}

/** A folder of the path may have become a symbolic link. Linux says what was opened. */
function isAt(file: number, path: Buffer): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' }).equals(path);
  } catch {
    return true; // no /proc
  }
}

/** For an entry that its owner may not read: with another mode for a moment. */
function madeReadable<Value>(path: Buffer, read: () => Value): Value | undefined {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return undefined;
    chmodSync(path, (stats.mode & 0o7777) | OWNER_READS);
    try {
      return read();
    } finally {
      chmodSync(path, stats.mode & 0o7777);
    }
  } catch {
    return undefined; // not ours, or gone
  }
}

/** Removes an entry with all below it, if it is there. */
export function removeTree(path: Buffer): void {
  const stats = statusOf(path);
  if (!stats) return;
  if (!stats.isDirectory()) {
    unlinkSync(path);
    return;
  }
  if ((stats.mode & OWNER_ALL) !== OWNER_ALL) chmodSync(path, 0o700);
  for (const name of namesIn(path)) removeTree(Buffer.concat([path, SLASH, bytesOf(name)]));
  rmdirSync(path);
}

const SLASH = Buffer.from('/');
const OWNER_ALL = 0o700n;
