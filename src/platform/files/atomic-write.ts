import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, mkdir, open, rename, stat, statfs, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomHex } from '../crypto.js';
import { assertOpened, assertRegular, NotARegularFile } from './open-file.js';
import { cutPath, realPath } from './paths.js';

/** The file is as it was before. `code` is the system's name for the reason. */
export class WriteFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WriteFailure';
    this.code = code;
  }
}

/**
 * Puts `bytes` at the path, so that whoever looks finds the old content or the new and never a part, also after a power
 * cut. Follows links to the real file and keeps its mode and, where the system lets us, its owner.
 */
export async function writeFileAtomically(path: string, bytes: Uint8Array): Promise<void> {
  let real = path;
  try {
    real = await realPath(path);
    const before = await existing(real);
    const folder = await openFolder(dirname(real));
    try {
      await replaceIn(folder, basename(real), bytes, before);
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    throw await explain(error, real, `${bytes.length} bytes`, 'written');
  }
}

/** Makes the folder and those above it that are missing. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw await explain(error, path, 'some bytes', 'made');
  }
}

async function existing(real: string): Promise<Stats | undefined> {
  let stats: Stats;
  try {
    stats = await stat(real);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  assertRegular(real, stats);
  await access(real, constants.W_OK); // a rename would replace a file that we may not write
  return stats;
}

interface Folder {
  handle: FileHandle;
  /** The path of a name in this very folder, even if the folder is moved or a link is put in its place. */
  at(name: string): string;
}

/** Opens a folder by its real path; the handle is the caller's to close. */
export async function openFolder(real: string): Promise<Folder> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(real, flags);
  try {
    await assertOpened(handle, real);
    const anchor = `/proc/self/fd/${handle.fd}`;
    const anchored = process.platform === 'linux' && (await canSearch(anchor));
    return { handle, at: (name) => join(anchored ? anchor : real, name) };
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

async function replaceIn(folder: Folder, name: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  // Short enough for any file system, however long the name is.
  const temporary = folder.at(`.helve-${randomHex(9)}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = await open(temporary, flags, before ? 0o600 : 0o666);
  try {
    try {
      await file.writeFile(bytes);
      if (before) await keepOwnerAndMode(file, before);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, folder.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => {}); // the first error is the one to tell
    throw error;
  }
  await folder.handle.sync().catch(() => {}); // some file systems can't; the rename has happened all the same
}

async function keepOwnerAndMode(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const ours = await file.stat();
  if (ours.uid !== uid || ours.gid !== gid) {
    await file.chown(uid, gid).catch(() => {}); // only root may give files away; the content matters more
  }
  await file.chmod(mode & 0o7777); // after chown, which clears the set-user-id bit
}

async function explain(error: unknown, real: string, needed: string, what: 'written' | 'made'): Promise<unknown> {
  if (error instanceof NotARegularFile) {
    return new WriteFailure(
      'EISDIR',
      `${cutPath(real)} is ${error.what}, so it can't be written as a file. Choose another path.`,
    );
  }
  const code = codeOf(error);
  const why = code === undefined ? undefined : await reasons[code]?.(real, needed);
  if (code === undefined || why === undefined) return error;
  return new WriteFailure(code, `${cutPath(real)} was not ${what}: ${why}`, { cause: error });
}

const noPermission = (): string =>
  'permission to write there is missing. Ask the user to change it, or choose another path.';

const reasons: Readonly<Record<string, (real: string, needed: string) => string | Promise<string>>> = {
  ENOSPC: async (real, needed) =>
    `the disk is full (${needed} needed, ${await freeBytes(real)} free). Free some space, then try again.`,
  EDQUOT: (_, needed) => `the disk quota is used up (${needed} needed). Free some space, then try again.`,
  EFBIG: (_, needed) => `${needed} are more than a file may have here. Write less, or split it.`,
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: () => 'the file system is read-only. Choose a path on another one.',
  ENOENT: () => 'its folder does not exist. Create the folder first.',
  ENOTDIR: (real) => `${cutPath(dirname(real))} is not a folder, or leads through a file. Choose another path.`,
  EEXIST: () => 'something that is not a folder is in its place. Choose another path.',
  ELOOP: () => 'its symlinks lead in a circle, or there are too many of them. Use the path of the real file.',
  ENAMETOOLONG: () => 'its path or name is too long for the file system. Choose a shorter one.',
};

async function freeBytes(real: string): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(dirname(real));
    return String(bavail * bsize);
  } catch {
    return 'an unknown number';
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
