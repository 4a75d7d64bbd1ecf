import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { assertOpened } from './open-file.js';
import { codeOf, explain } from './write-failure.js';

/** A folder that was opened and found to be the one that was meant. */
export interface Folder {
  readonly handle: FileHandle;
  /** Names the folder itself, for a program that is started in it. */
  readonly anchor: string;
  /** The path of a name in this very folder, even if the folder is moved or a link is put in its place. */
  at(name: string): string;
}

/** Opens a folder by its real path; the handle is the caller's to close. */
export async function openFolder(real: string): Promise<Folder> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(real, flags);
  try {
    assertOpened(handle, real);
    const inside = `/proc/self/fd/${handle.fd}`;
    const anchor = process.platform === 'linux' && (await canSearch(inside)) ? inside : real;
    return { handle, anchor, at: (name) => join(anchor, name) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function canSearch(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Does something in the folder with the real path. */
export async function inFolder<T>(real: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  const folder = await openFolder(real);
  try {
    return await work(folder);
  } finally {
    await folder.handle.close();
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
        await sync(above);
      });
    }
    if (!(await stat(real)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'EEXIST' });
  } catch (error) {
    throw await explain(error, folder, 'made');
  }
}

/** Another call may have made the same folder this moment; what else it may be shows when it is opened. */
function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

/** Brings the names in the folder to the disk. Some file systems can't; what was renamed is renamed all the same. */
export async function sync({ handle }: Folder): Promise<void> {
  await handle.sync().catch(() => {});
}
