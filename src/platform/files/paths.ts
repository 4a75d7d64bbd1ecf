import { realpathSync, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { safeCut } from '../text/truncate.js';

const MAX_LINKS = 40; // as the kernel has it
const MAX_SHOWN_CHARS = 240;

/**
 * The absolute form of a path as a model writes it: relative to `cwd`, with a leading `~` for the home folder. Where
 * there is no home folder, `~` is a name like any other.
 */
export function resolveIn(cwd: string, path: string, findHome: () => string | undefined = homeFolder): string {
  const home = startsInHome(path) ? findHome() : undefined;
  return home === undefined ? resolve(cwd, path) : join(home, path.slice(1));
}

/** Whether the path leads elsewhere when the working directory is another. */
export const dependsOnCwd = (path: string): boolean =>
  !isAbsolute(path) && !(startsInHome(path) && homeFolder() !== undefined);

const startsInHome = (path: string): boolean => path === '~' || path.startsWith('~/');

// HOME may be empty or relative, by mistake or in a container; a path that depends on the process must not come of it.
export function homeFolder(): string | undefined {
  return homeBy(homedir) ?? homeBy(() => userInfo().homedir);
}

function homeBy(find: () => string): string | undefined {
  try {
    const home = find();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined; // the user has no entry in the system's list
  }
}

/**
 * The path with every symlink resolved. What does not exist yet is taken through its nearest existing ancestor, so that
 * a new file below a linked folder, or behind a link whose target is missing, is named where it would really be.
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
  throw Object.assign(failure, { code: 'ELOOP' }); // as the system calls the same
}

/**
 * Where the system would look for a path as it is written: for it, `link/..` is the parent of what the link leads to, and
 * not the folder that the link is in.
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
    return undefined; // not a link, or not there
  }
}

/** The same for a folder of our own, where nobody has put links that lead nowhere. */
export function realPathSync(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error) || path === dirname(path)) throw error;
    return join(realPathSync(dirname(path)), basename(path));
  }
}

/** A folder by its written and its real name; where the real one can't be told, the written one has to do. */
export function folderNames(folder: string): string[] {
  const written = resolve(folder);
  return [...new Set([written, realName(written)])];
}

/** The real name of a folder, or the written one where it is not ours to look at or leads nowhere. */
export function realName(folder: string): string {
  try {
    return realPathSync(folder);
  } catch {
    return folder;
  }
}

/** Helve's own folder, as it is written: `HELVE_HOME`, else `~/.helve`. */
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
 * Device and inode as one word, or undefined where nothing is at the path. At once: whoever asks has just resolved the
 * path, so that the system knows the answer.
 */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // gone, or not ours to look at: the name alone has to do
  }
}

/** Whether `path` is `folder` or lies below it, compared by components: `/a/bc` is not inside `/a/b`. */
export function isInside(folder: string, path: string): boolean {
  const [outer, inner] = [comparable(folder), comparable(path)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** The path as a person in `cwd` would write it: relative where it lies below, absolute elsewhere. */
export function shortPath(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) || '.' : path;
}

/** The path as a message names it: the middle of a very long one helps nobody. */
export function elidedPath(path: string): string {
  if (path.length <= MAX_SHOWN_CHARS) return path;
  const half = MAX_SHOWN_CHARS / 2;
  return `${path.slice(0, safeCut(path, half))} … ${path.slice(safeCut(path, path.length - half))}`;
}

// Volumes that fold case are the rule on macOS and Windows. Folding there on a volume that does not can only make two
// names seem one, which errs on the side of waiting and asking.
const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

const comparable = (path: string): string => (foldsCase ? path.normalize('NFC').toLowerCase() : path);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
