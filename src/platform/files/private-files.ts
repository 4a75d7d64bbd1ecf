import { chmodSync, constants, lstatSync } from 'node:fs';
import { mkdirPrivate } from './mkdir-private.js';
import { WriteFailure } from './write-failure.js';

/** Creates the folder, and refuses one that another user could have put in its place. */
export function makePrivateFolder(path: string): void {
  mkdirPrivate(path);
  const stats = lstatSync(path);
  const uid = process.getuid?.();
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) {
    throw new WriteFailure(
      'EACCES',
      `${path} is not a folder that you own, so nothing private can be kept there. Inspect and remove it, or set HELVE_HOME to another folder.`,
    );
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

const noFollow = constants.O_NOFOLLOW ?? 0;

/** How files in such a folder are opened. A symlink in place of a file is refused, except by `probe`. */
export const openFlags = {
  /** Non-blocking: opening a pipe in place of a file would wait for a writer. */
  read: constants.O_RDONLY | constants.O_NONBLOCK | noFollow,
  /** Fails if a pipe has no reader. */
  probe: constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK,
  /** Non-blocking, too: fails if a pipe in place of the file has no reader. */
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK | noFollow,
  update: constants.O_RDWR | constants.O_CREAT | noFollow,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
} as const;
