import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FsyncStrategy, immediateFsync } from './deferred-fsync.js';
import { assertSameFile } from './open-file.js';
import { asWriteFailure, codeOf } from './write-failure.js';

/** A folder that was opened and found to be the one that was meant. */
export interface Folder {
  /** Names the folder itself, for a program that is started in it. */
  readonly anchor: string;
  /** The path of a name in this very folder, even if the folder is moved or a link is put in its place. */
  at(name: string): string;
  close(): void;
}

const OPEN_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

/** Opens a folder by its real path; it is the caller's to close. */
export function openFolder(real: string): Folder {
  const fd = openSync(real, OPEN_FOLDER | (constants.O_NOFOLLOW ?? 0));
  try {
    assertSameFile(fd, real);
    const inside = `/proc/self/fd/${fd}`;
    const anchor = process.platform === 'linux' && canSearch(inside) ? inside : real;
    return { anchor, at: (name) => join(anchor, name), close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function canSearch(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Does something in the folder with the real path. */
export async function inFolder<T>(real: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  const folder = openFolder(real);
  try {
    return await work(folder);
  } finally {
    folder.close();
  }
}

/** The folders that are not there, from the outermost. What has the name now may be about to go. */
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

/** Makes the folder and those above it that are missing, each in the one above it and nowhere else. */
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

/** Another call may have made the same folder this moment; what else it may be shows when it is opened. */
function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

/** Brings the names in the folder to the disk. Some file systems can't; what was renamed is renamed all the same. */
export async function fsyncFolder({ anchor }: Folder, toDisk: FsyncStrategy = immediateFsync): Promise<void> {
  try {
    await toDisk.take(openSync(anchor, OPEN_FOLDER));
  } catch {
    // as said above
  }
}
