import { lstat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UserFacingError } from '../../contract/user-facing-error.js';
import { codeOf } from '../error-code.js';
import { largestFolders } from '../snapshots/largest-folders.js';
import { NotARegularFile } from './open-file.js';
import { elidedPath } from './paths.js';

/** The file is unchanged. `code` is the system's error code. */
export class WriteFailure extends UserFacingError {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WriteFailure';
    this.code = code;
  }
}

/** Puts a system error into useful words; an error that is already a `WriteFailure` is returned unchanged. */
export async function asWriteFailure(
  error: unknown,
  real: string,
  what: 'written' | 'made' | 'removed',
  needed = 'some bytes',
): Promise<unknown> {
  if (error instanceof WriteFailure) return error;
  if (error instanceof NotARegularFile) {
    return new WriteFailure(
      'EISDIR',
      `${elidedPath(real)} is ${error.what}, so it can't be ${what} as a file. Choose another path.`,
    );
  }
  const code = codeOf(error);
  const why = code === undefined ? undefined : await reasons[code]?.(real, needed);
  if (code === undefined || why === undefined) return error;
  return new WriteFailure(code, `${elidedPath(real)} was not ${what}: ${why}`, { cause: error });
}

const noPermission = (): string =>
  'permission to write there is missing. Ask the user to change it, or choose another path.';

const reasons: Readonly<Record<string, (real: string, needed: string) => string | Promise<string>>> = {
  ENOSPC: async (real, needed) => `${await describeFullDisk(real, needed)}. ${await suggestCleanUp(real)}`,
  EDQUOT: async (real, needed) => `the disk quota is used up (${needed} needed). ${await suggestCleanUp(real)}`,
  EFBIG: (_, needed) => `${needed} are more than a file may have here. Write less, or split it.`,
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: () => 'the file system is read-only. Choose a path on another one.',
  ENOENT: () => 'its folder does not exist. Create the folder first.',
  ENOTDIR: async (real) => {
    const file = await fileInPath(real);
    if (file === real) return 'it is a file, and was to be used as a folder. Choose another path.';
    const why = `is ${file === undefined ? 'not a folder, or leads through a file' : 'a file, not a folder'}`;
    return `${elidedPath(file ?? dirname(real))} ${why}. Choose another path.`;
  },
  EISDIR: () => 'a folder is in its place. Choose another path.',
  EEXIST: () => 'something that is not a folder is in its place. Choose another path.',
  ELOOP: () => 'its symlinks lead in a circle, or there are too many of them. Use the path of the real file.',
  ENAMETOOLONG: () => 'its path or name is too long for the file system. Choose a shorter one.',
  EMFILE: () => 'this process has too many files open. Change fewer files at once, then try again.',
  EIO: () => 'the disk reports an error. Ask the user to check it before anything else is written.',
  ETXTBSY: () => 'it is a program that runs right now. Stop it, then try again.',
};

/** The file where a folder of the path should be, or the path itself if it is a file; undefined if there is none. */
async function fileInPath(real: string): Promise<string | undefined> {
  for (let path = real; path !== dirname(path); path = dirname(path)) {
    const found = await lstat(path).catch(() => undefined);
    if (found) return found.isFile() ? path : undefined;
  }
  return undefined;
}

async function describeFullDisk(real: string, needed: string): Promise<string> {
  try {
    const { bavail, bsize, files, ffree } = await statfs(dirname(real));
    // Some file systems do not count inodes and report 0 of 0.
    if (files > 0 && ffree === 0) return 'the file system has no free inodes, so it takes no new files';
    return `the disk is full (${needed} needed, ${bavail * bsize} bytes free)`;
  } catch {
    return `the disk is full (${needed} needed)`;
  }
}

async function suggestCleanUp(real: string): Promise<string> {
  const folders = await largestFolders(dirname(real));
  if (folders.length === 0) return 'Free some space, then try again.';
  const shown = folders.map(
    ({ path, bytes, atLeast }) => `${elidedPath(path)} (${atLeast ? 'at least ' : ''}${bytes} bytes)`,
  );
  return `Free some space, then try again. The largest folders nearby are ${shown.join(', ')}: ask the user which of them may be cleaned.`;
}
