// Copies the ignored files that `.worktreeinclude` names (in gitignore syntax) into a new worktree: a checkout has only
// what git tracks, and most projects do not run without their `.env`.
import { constants, createReadStream, lstatSync, readlinkSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, realpath, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256 } from '../crypto.js';
import { isInside } from '../files/paths.js';
import { messageOf } from '../message-of.js';
import { fieldsOf, type OwnGit } from './own-git.js';
import type { WorktreeRecord } from './worktree-record.js';

export const INCLUDE_FILE = '.worktreeinclude';

const MAX_FILES = 2_000; // it is for settings and keys; dependencies belong to the set-up command
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_NAMED = 5;

export interface CopiedFiles {
  copied: WorktreeRecord['copied'];
  bytes: number;
  /** What was left out, and why. */
  notes: string[];
}

export async function copyIncluded(
  git: OwnGit,
  { top, folder }: Pick<WorktreeRecord, 'top' | 'folder'>,
): Promise<CopiedFiles> {
  const done: CopiedFiles = { copied: [], bytes: 0, notes: [] };
  const file = join(top, INCLUDE_FILE);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return done;
  if (!stats.isFile()) return { ...done, notes: [`${INCLUDE_FILE} is not a file, so nothing was copied.`] };
  const paths = await includedPaths(git, top, file);
  const leftOut: string[] = [];
  for (const [index, path] of paths.entries()) {
    if (index >= MAX_FILES) {
      done.notes.push(
        `${INCLUDE_FILE} names ${paths.length} files; the first ${MAX_FILES} were copied. Name fewer, and let a set-up command make the others.`,
      );
      break;
    }
    try {
      await copyOne({ top, folder, path }, done);
    } catch (error) {
      leftOut.push(`${path} (${messageOf(error)})`);
    }
  }
  if (leftOut.length > 0) {
    const others = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} others` : '';
    done.notes.push(`Not copied into the worktree: ${leftOut.slice(0, MAX_NAMED).join(', ')}${others}.`);
  }
  return done;
}

/** Files that match and that git ignores: what is tracked is in the checkout anyway. */
async function includedPaths(git: OwnGit, top: string, file: string): Promise<string[]> {
  const listed = await git.must(top, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`]);
  const matching = fieldsOf(listed).filter((path) => !path.endsWith('/')); // a repository inside is not copied
  if (matching.length === 0) return [];
  const { code, output, errors } = await git.run(top, ['check-ignore', '-z', '--stdin'], {
    input: matching.join('\0'),
  });
  if (code !== 0 && code !== 1) throw new Error(`git check-ignore failed: ${errors}`);
  return fieldsOf(output).toSorted();
}

interface OneFile {
  top: string;
  folder: string;
  path: string;
}

async function copyOne({ top, folder, path }: OneFile, done: CopiedFiles): Promise<void> {
  const [from, to] = [join(top, path), join(folder, path)];
  const stats = await lstat(from);
  if (!isInside(top, await realpath(dirname(from)))) throw new Error('its folder is a link that leads out');
  await mkdir(dirname(to), { recursive: true });
  if (!isInside(folder, await realpath(dirname(to)))) throw new Error('its folder in the worktree is a link');
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(from);
    const leads = resolve(dirname(from), target);
    if (isAbsolute(target) || !isInside(top, leads)) throw new Error(`it is a link to ${target}, out of the project`);
    await symlink(target, to);
    return;
  }
  if (!stats.isFile()) throw new Error('it is neither a file nor a link');
  if (done.bytes + stats.size > MAX_BYTES) {
    throw new Error(`with it, more than ${MAX_BYTES / 1024 / 1024} MiB would be copied`);
  }
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, stats.mode & 0o777);
  done.bytes += stats.size;
  done.copied.push({ path, hash: await hashOfFile(to) });
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = sha256();
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
