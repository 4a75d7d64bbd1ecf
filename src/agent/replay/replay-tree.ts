// The tree for a replay: a copy of the project, which is itself only read.

import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readlink,
  rm,
  rmdir,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { UserFacingError } from '../../contract/user-facing-error.js';
import { codeOf } from '../../platform/error-code.js';
import { stateBefore } from '../../platform/files/entry-state.js';
import { isInside, realPath } from '../../platform/files/paths.js';
import { journalFolders, readBeforeImage } from '../../platform/journal/journal.js';
import type { RecordedChange, RecordedFile } from '../../platform/journal/recorded-change.js';

const MAX_BYTES = 2 * 1024 ** 3;
const MAX_ENTRIES = 300_000;
const AT_ONCE = 32; // files that are copied at the same time

export interface CopyOptions {
  from: string;
  /** A folder that does not exist yet. */
  to: string;
  /** Absolute paths to leave out. */
  skip?: readonly string[];
  limits?: { bytes: number; entries: number };
  signal: AbortSignal;
}

export interface CopiedTree {
  entries: number;
  bytes: number;
  /** Entries below `from` that could not be read, or that are not files, folders or links. */
  leftOut: readonly string[];
}

/** The tree can't be copied. The message says why, and what to do. */
export class TreeProblem extends UserFacingError {}

/** Copies everything, including files that git ignores, since builds and tests need them. Keeps modes and times. */
export async function copyTree(options: CopyOptions): Promise<CopiedTree> {
  const { from, to, skip = [], signal } = options;
  await measure(options); // before anything is written, since a partial copy could fill the disk
  const copied = { entries: 0, bytes: 0, leftOut: [] as string[] };
  const count = (bytes: number): void => {
    signal.throwIfAborted();
    copied.entries += 1;
    copied.bytes += bytes;
  };
  /** An absolute link into the tree points into the copy; a link out of the tree keeps its target. */
  const linkInCopy = (source: string, link: string): string => {
    const place = resolve(dirname(source), link);
    if (!isInside(from, place)) return place;
    const staysInside = !isAbsolute(link) && isInside(to, resolve(to, relative(from, dirname(source)), link));
    return staysInside ? link : join(to, relative(from, place));
  };
  const copyEntry = async (source: string, target: string): Promise<void> => {
    const stats = await lstat(source);
    if (stats.isSymbolicLink()) {
      count(0);
      await symlink(linkInCopy(source, await readlink(source)), target);
      await lutimes(target, stats.atime, stats.mtime);
    } else if (stats.isFile()) {
      count(stats.size);
      await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      await chmod(target, stats.mode & 0o777);
      await utimes(target, stats.atime, stats.mtime);
    } else if (stats.isDirectory()) {
      count(0);
      await mkdir(target, { mode: 0o700 });
      await copyFolder(source, target);
      await chmod(target, stats.mode & 0o777);
      await utimes(target, stats.atime, stats.mtime);
    } else copied.leftOut.push(relative(from, source));
  };
  const copyFolder = async (source: string, target: string): Promise<void> => {
    const names = (await readdir(source)).filter((name) => !skip.includes(join(source, name)));
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const some = names.slice(at, at + AT_ONCE).map(async (name) => {
        try {
          await copyEntry(join(source, name), join(target, name));
        } catch (error) {
          if (!['EACCES', 'EPERM', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
          copied.leftOut.push(relative(from, join(source, name)));
        }
      });
      // Waits for all, so that none still writes after one has failed.
      const failed = (await Promise.allSettled(some)).find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    }
  };
  try {
    await copyEntry(from, to);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) throw error;
    throw new TreeProblem(
      `There is no room for a copy of ${from} in ${dirname(to)}. Free some space, set TMPDIR to a folder on another disk, or leave out what the session does not need with --skip DIR.`,
      { cause: error },
    );
  }
  return copied;
}

/** Throws if the tree is too large, before anything is copied. */
async function measure({ from, skip = [], limits, signal }: CopyOptions): Promise<void> {
  const { bytes: maxBytes, entries: maxEntries } = limits ?? { bytes: MAX_BYTES, entries: MAX_ENTRIES };
  let [bytes, entries] = [0, 0];
  const folders = [from];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (skip.includes(path)) continue;
      entries += 1;
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      if (entries <= maxEntries && bytes <= maxBytes) continue;
      throw new TreeProblem(
        `${from} has more than ${maxEntries} files or ${Math.round(maxBytes / 1024 ** 2)} MB, which is too much to copy. Leave out what the session does not need with --skip DIR.`,
      );
    }
  }
}

/** Removes a copy with everything in it, even read-only entries. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await makeWritable(folder);
    await rm(folder, { recursive: true, force: true });
  });
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {});
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}

export interface PutBackOptions {
  dataFolder: string;
  /** The changes of the calls to undo, oldest first. */
  changes: readonly RecordedChange[];
  /** The project; `copy` is its copy. */
  root: string;
  copy: string;
  /** The modification time of restored files. */
  date: Date;
}

/** Restores a copy to the state before the calls. Returns a sentence for each entry whose content is not kept. */
export async function putBack({ dataFolder, changes, root, copy, date }: PutBackOptions): Promise<string[]> {
  const first = new Map<string, RecordedFile>();
  for (const file of changes.flatMap(({ files }) => files.flatMap((each) => [...madeFolders(each), each]))) {
    if (!first.has(file.real)) first.set(file.real, file);
  }
  const notes = changes.flatMap(({ seen }) => (seen?.notCovered === undefined ? [] : [seen.notCovered]));
  const placed: Array<{ path: string; file: RecordedFile; state: ReturnType<typeof stateBefore> }> = [];
  for (const file of first.values()) {
    const name = relative(root, file.real);
    const path = join(copy, name);
    if (!isInside(root, file.real)) {
      notes.push(`${file.real} is outside the project, so it is left as it is now.`);
    } else if (!isInside(copy, await realPath(dirname(path)))) {
      notes.push(`${name} is now behind a link to a folder outside the project, so it is left as it is.`);
    } else placed.push({ path, file, state: stateBefore(file) });
  }
  // Removes entries first, from the innermost; then creates folders before their content.
  for (const { path, file, state } of placed.toSorted((one, other) => other.path.length - one.path.length)) {
    if (state === null) await removeMade(path, file);
  }
  for (const { path, file, state } of placed.toSorted((one, other) => one.path.length - other.path.length)) {
    if (state === null) continue;
    await mkdir(dirname(path), { recursive: true });
    if (state.kind === 'folder') {
      await mkdir(path, { recursive: true });
      continue;
    }
    const bytes =
      state.kind === 'file' && state.hash !== undefined
        ? await readBeforeImage(journalFolders(dataFolder), state.hash)
        : undefined;
    if (state.kind === 'file' && !bytes) {
      notes.push(`What ${relative(root, file.real)} held before the session is not kept, so it is as it is now.`);
      continue;
    }
    await rm(path, { recursive: true, force: true });
    if (state.kind === 'link') await symlink(state.target, path);
    else if (bytes) {
      await writeFile(path, bytes, { mode: state.mode ?? 0o644 });
      await utimes(path, date, date);
    }
  }
  return [...new Set(notes)];
}

const madeFolders = ({ folders = [] }: RecordedFile): RecordedFile[] =>
  folders.map((real) => ({ real, before: null, after: null, otherAfter: { kind: 'folder', mode: 0o755 } }));

/** A folder that is not empty stays. */
async function removeMade(path: string, { otherAfter }: RecordedFile): Promise<void> {
  if (otherAfter?.kind === 'folder') await rmdir(path).catch(() => {});
  else await rm(path, { recursive: true, force: true });
}
