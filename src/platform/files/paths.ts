import { realpathSync, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { safeCut } from '../text/truncate.js';

const MAX_LINKS = 40; // the kernel's limit
const MAX_SHOWN_CHARS = 240;

/**
 * Makes a path from a model absolute: relative to `cwd`, with a leading `~` for the home folder. If there is no home
 * folder, `~` is an ordinary name.
 */
export function resolveIn(cwd: string, path: string, findHome: () => string | undefined = homeFolder): string {
  const home = startsInHome(path) ? findHome() : undefined;
  return home === undefined ? resolve(cwd, path) : join(home, path.slice(1));
}

/** Whether the path depends on the working directory. */
export const dependsOnCwd = (path: string): boolean =>
  !isAbsolute(path) && !(startsInHome(path) && homeFolder() !== undefined);

const startsInHome = (path: string): boolean => path === '~' || path.startsWith('~/');

// HOME may be empty or relative, by mistake or in a container; the result must not depend on the process's directory.
export function homeFolder(): string | undefined {
  return homeBy(homedir) ?? homeBy(() => userInfo().homedir);
}

function homeBy(find: () => string): string | undefined {
  try {
    const home = find();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined; // the user has no passwd entry
  }
}

/**
 * The path with every symlink resolved. A missing path is resolved through its nearest existing ancestor, so that a
 * new file below a symlinked folder, or behind a dangling symlink, gets its real name.
 */
export async function realPath(path: string): Promise<string> {
  let existing = resolve(path);
  let missing: string[] = [];
  for (let links = 0; links <= MAX_LINKS; ) {
    try {
      return join(realpathSync.native(existing), ...missing);
    } catch (error) {
      if (!isMissing(error) || existing === dirname(existing)) throw error;
    }
    const target = await linkTarget(existing);
    if (target === undefined) {
      missing = [basename(existing), ...missing];
      existing = dirname(existing);
    } else {
      links += 1;
      existing = resolve(await realPath(dirname(existing)), target);
    }
  }
  const failure = new Error(
    `${elidedPath(path)} leads through more than ${MAX_LINKS} symlinks, so it can't be resolved.`,
  );
  throw Object.assign(failure, { code: 'ELOOP' }); // the system's code for this error
}

/**
 * Resolves a path the way the kernel does: `link/..` is the parent of the link's target, not the folder that the link
 * is in.
 */
export async function realPathAsWritten(path: string): Promise<string> {
  const names = path.split(sep).filter((name) => name !== '' && name !== '.');
  if (!names.includes('..')) return await realPath(path);
  let folder = resolve(sep);
  let pending: string[] = [];
  for (const name of names) {
    if (name !== '..') {
      pending.push(name);
      continue;
    }
    folder = dirname(await realPath(join(folder, ...pending)));
    pending = [];
  }
  return await realPath(join(folder, ...pending));
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined; // not a symlink, or missing
  }
}

/** The same for a folder of our own, which has no dangling symlinks. */
export function realPathSync(path: string): string {
  try {
    return realpathSync.native(path); // one call; the other form asks the system about each folder of the path
  } catch (error) {
    if (!isMissing(error) || path === dirname(path)) throw error;
    return join(realPathSync(dirname(path)), basename(path));
  }
}

/** The written and the real name of a folder; just the written one if the real one can't be determined. */
export function folderNames(folder: string): string[] {
  const written = resolve(folder);
  return [...new Set([written, realName(written)])];
}

/** The real name of a folder, or the written one if it is unreadable or missing. */
export function realName(folder: string): string {
  try {
    return realPathSync(folder);
  } catch {
    return folder;
  }
}

/** Helve's data folder as written: `HELVE_HOME`, else `~/.helve`. */
export function dataFolderOf({
  env = process.env,
  home = homeFolder(),
}: {
  env?: Readonly<Record<string, string | undefined>>;
  home?: string | undefined;
} = {}): string {
  return resolve(env['HELVE_HOME'] || join(home ?? tmpdir(), '.helve'));
}

/**
 * Device and inode as one string, or undefined if nothing is at the path. Synchronous: the caller has just resolved
 * the path, so the answer is cached.
 */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // gone, or unreadable: callers fall back to the name alone
  }
}

/** Whether `path` is `folder` or lies below it, compared by components: `/a/bc` is not inside `/a/b`. */
export function isInside(folder: string, path: string): boolean {
  const [outer, inner] = [comparable(folder), comparable(path)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** The path relative to `cwd` if it lies below, else absolute. */
export function shortPath(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) || '.' : path;
}

/** The path for messages: the middle of a very long one is elided. */
export function elidedPath(path: string): string {
  if (path.length <= MAX_SHOWN_CHARS) return path;
  const half = MAX_SHOWN_CHARS / 2;
  return `${path.slice(0, safeCut(path, half))} … ${path.slice(safeCut(path, path.length - half))}`;
}

// Case-insensitive volumes are the rule on macOS and Windows. Folding case on a case-sensitive volume there can only
// make two names seem equal, which errs on the side of waiting and asking.
const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

const comparable = (path: string): string => (foldsCase ? path.normalize('NFC').toLowerCase() : path);

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
