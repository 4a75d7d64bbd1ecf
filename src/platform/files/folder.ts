import { closeSync, constants, openSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../error-code.js';
import { type FsyncStrategy, immediateFsync } from './deferred-fsync.js';
import { isExecutable } from './lenient-reads.js';
import { assertSameFile } from './open-file.js';
import { asWriteFailure } from './write-failure.js';

/** An open folder that was verified to be the intended one. */
export interface Folder {
  /** A path for the folder itself, for a program that is started in it. */
  readonly anchor: string;
  /** The path of an entry in exactly this folder, even if the folder is moved or replaced by a symlink. */
  at(name: string): string;
  close(): void;
}

const OPEN_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

/** Opens a folder by its real path; the caller closes it. */
export function openFolder(real: string): Folder {
  const fd = openSync(real, OPEN_FOLDER | (constants.O_NOFOLLOW ?? 0));
  try {
    assertSameFile(fd, real);
    const inside = `/proc/self/fd/${fd}`;
    const anchor = process.platform === 'linux' && isExecutable(inside) ? inside : real;
    return { anchor, at: (name) => join(anchor, name), close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Runs a function in the folder with the real path. */
export async function inFolder<T>(real: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  const folder = openFolder(real);
  try {
    return await work(folder);
  } finally {
    folder.close();
  }
}

/** The missing folders, outermost first. An entry that has the name now may be about to be removed. */
export async function missingFolders(
  real: string,
  isAboutToGo: (path: string) => boolean = () => false,
): Promise<string[]> {
  const missing: string[] = [];
  for (let folder = real; folder !== dirname(folder); folder = dirname(folder)) {
    if (!isAboutToGo(folder) && (await isThere(folder))) break;
    missing.unshift(folder);
  }
  return missing;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR';
  }
}

/** Creates the folder and its missing ancestors, each relative to its open parent. */
export async function makeFolder(real: string): Promise<void> {
  let folder = real;
  try {
    for (folder of await missingFolders(real)) {
      await inFolder(dirname(folder), async (above) => {
        await mkdir(above.at(basename(folder))).catch(ignoreExisting);
        await fsyncFolder(above);
      });
    }
    if (!(await stat(real)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'EEXIST' });
  } catch (error) {
    throw await asWriteFailure(error, folder, 'made');
  }
}

/** Another call may have created the same folder meanwhile; anything else is detected when it is opened. */
function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

/** Fsyncs the folder's entries. Some file systems don't support that; the rename has happened all the same. */
export async function fsyncFolder({ anchor }: Folder, toDisk: FsyncStrategy = immediateFsync): Promise<void> {
  try {
    await toDisk.take(openSync(anchor, OPEN_FOLDER));
  } catch {
    // see above
  }
}
