// Completes a merge into the project that was cut off, or takes it back. The merge moves the project's branch from one
// commit to another: each file that differs between them must have the content of one of both, else a person has changed
// it since, and nothing is touched. Safe to repeat after it was cut off anywhere.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { fieldsOf, type OwnGit } from './own-git.js';
import type { WorktreeRecord } from './worktree-record.js';

const GIT_WAIT_MS = 60_000; // git may still be at work after the process that started it was killed
const LOOK_MS = 100;
const LOCK_MS = 1_000; // a lock of another git is gone or written by then
const SUBMODULE = '160000';

interface ChangedPath {
  path: string;
  from: Side;
  to: Side;
}

/** Undefined where there is no such file. */
type Side = { mode: string; blob: string } | undefined;

/** Why the project is not at the wanted side; nothing was changed then. */
export interface Unsettled {
  why: string;
  /** It may work another time. A person has changed the project otherwise. */
  isPassing: boolean;
}

/** Undefined if the project is at the wanted side now. Rejects if git fails, as with a full disk. */
export async function settleMerge(
  { top, merging }: Pick<WorktreeRecord, 'top' | 'merging'>,
  git: OwnGit,
  side: 'from' | 'to',
): Promise<Unsettled | undefined> {
  const changedSince = (why: string): Unsettled => ({ why, isPassing: false });
  if (!merging) return changedSince('its record does not say what was merged');
  const { from, to } = merging;
  if ((await git.ask(top, ['rev-parse', 'HEAD'])) !== from) {
    return changedSince(`another commit is checked out in ${top}`);
  }
  const locked = await freeIndex(top, git, to);
  if (locked !== undefined) return { why: locked, isPassing: true };
  const isAt = async (commit: string): Promise<boolean> =>
    (await git.run(top, ['diff-index', '--cached', '--quiet', commit])).code === 0;
  if (!(await isAt(from)) && !(await isAt(to))) {
    return changedSince(`other changes are staged in ${top}`);
  }
  const changed = await changedPaths(top, git, { from, to });
  if (changed.some(({ from: one, to: other }) => [one?.mode, other?.mode].includes(SUBMODULE))) {
    return changedSince('it changes submodules');
  }
  const foreign = await foreignPaths(top, git, { changed, to });
  if (foreign.length > 0) return changedSince(`changed since: ${foreign.slice(0, 5).join(', ')}`);
  for (const { path, ...sides } of changed) if (!sides[side]) await removeFile(top, path); // first, as it makes room
  await git.must(top, ['read-tree', '--reset', side === 'to' ? to : from]); // the index alone
  const written = changed.filter((one) => one[side]).map(({ path }) => path);
  if (written.length > 0) {
    await git.must(top, ['checkout-index', '--force', '--index', '-z', '--stdin'], { input: written.join('\0') });
  }
  if (side === 'to') await git.must(top, ['update-ref', '-m', 'merge: Fast-forward', 'HEAD', to, from]);
  return undefined;
}

/** Waits for a git that still merges. Removes the lock of one that was killed; returns why it can't be removed. */
async function freeIndex(top: string, git: OwnGit, to: string): Promise<string | undefined> {
  const until = monotonicMs() + GIT_WAIT_MS;
  while (isAtWork(to)) {
    if (monotonicMs() > until) return `git is still at work in ${top}`;
    await delay(LOOK_MS);
  }
  const lock = join(await git.must(top, ['rev-parse', '--absolute-git-dir']), 'index.lock');
  const before = statOf(lock);
  if (!before) return undefined;
  await delay(LOCK_MS);
  const after = statOf(lock);
  if (!after) return undefined;
  const isSame = after.ino === before.ino && after.mtimeMs === before.mtimeMs;
  // git leaves the lock empty until all files are written; then it has the index of the merge.
  const isOurs =
    after.size === 0 || (await git.ask(top, ['write-tree'], { GIT_INDEX_FILE: lock })) === (await treeOf());
  if (!isSame || !isOurs || !existsSync('/proc/self')) {
    return `git's lock ${lock} is there. If no git is at work in ${top}, remove the lock`;
  }
  await rm(lock, { force: true });
  return undefined;

  async function treeOf(): Promise<string | undefined> {
    return await git.ask(top, ['rev-parse', `${to}^{tree}`]);
  }
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/** Whether a process has the commit among its arguments, as the merge has. */
function isAtWork(to: string): boolean {
  try {
    return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && argumentsOf(pid).split('\0').includes(to));
  } catch {
    return false; // without /proc, no lock is removed
  }
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}

async function changedPaths(
  top: string,
  git: OwnGit,
  { from, to }: { from: string; to: string },
): Promise<ChangedPath[]> {
  const fields = fieldsOf(await git.must(top, ['diff-tree', '-r', '-z', '--no-renames', from, to]));
  const changed: ChangedPath[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[index] ?? '').slice(1).split(' ');
    const sideOf = (mode: string, blob: string): Side => (/^0+$/.test(blob) ? undefined : { mode, blob });
    changed.push({ path: fields[index + 1] ?? '', from: sideOf(oldMode, oldBlob), to: sideOf(newMode, newBlob) });
  }
  return changed;
}

/** New files of the merge in whose place there is something already, which is in no commit. */
export async function inTheWay(top: string, git: OwnGit, merging: { from: string; to: string }): Promise<string[]> {
  const added = (await changedPaths(top, git, merging)).filter(({ from }) => !from).map(({ path }) => path);
  return added.filter((path) => lstatSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() === false);
}

/**
 * Those whose content is neither that before nor that after the merge, nor the beginning of that after it: git was killed
 * while it wrote the file, or the disk was full.
 */
async function foreignPaths(
  top: string,
  git: OwnGit,
  { changed, to }: { changed: readonly ChangedPath[]; to: string },
): Promise<string[]> {
  const foreign: string[] = [];
  const files: ChangedPath[] = [];
  for (const one of changed) {
    const stat = lstatSync(join(top, one.path), { throwIfNoEntry: false });
    if (!stat) {
      // A file that both sides have was removed by a person, or by the merge just before it was to write it again.
      continue;
    }
    if (stat.isFile() && !one.path.includes('\n')) files.push(one);
    else if (stat.isDirectory()) {
      // A folder is in the place of a file on one of the sides: its own files are looked at.
      if (!changed.some(({ path }) => path.startsWith(`${one.path}/`))) foreign.push(one.path);
    } else if (!(stat.isSymbolicLink() && (await isOfSide(one, await linkBlob(top, git, one.path))))) {
      foreign.push(one.path);
    }
  }
  if (files.length === 0) return foreign;
  const input = files.map(({ path }) => path).join('\n');
  const blobs = (await git.must(top, ['hash-object', '--stdin-paths'], { input })).split('\n');
  for (const one of files.filter((file, index) => !isOfSide(file, blobs[index]))) {
    if (!one.to || !(await isBeginning(top, git, `${to}:${one.path}`, one.path))) foreign.push(one.path);
  }
  return foreign;
}

async function isBeginning(top: string, git: OwnGit, object: string, path: string): Promise<boolean> {
  const { code, output } = await git.run(top, ['cat-file', '--filters', object], { encoding: 'latin1' });
  return code === 0 && output.startsWith(readFileSync(join(top, path), 'latin1'));
}

const isOfSide = ({ from, to }: ChangedPath, blob: string | undefined): boolean =>
  blob !== undefined && (blob === from?.blob || blob === to?.blob);

const linkBlob = async (top: string, git: OwnGit, path: string): Promise<string> =>
  await git.must(top, ['hash-object', '--no-filters', '--stdin'], { input: readlinkSync(join(top, path)) });

async function removeFile(top: string, path: string): Promise<void> {
  const stat = lstatSync(join(top, path), { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) await rm(join(top, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const isGone = await rmdir(join(top, folder)).then(
      () => true,
      () => false, // it has other files
    );
    if (!isGone) return;
  }
}
