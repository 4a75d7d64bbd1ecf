// Lists what is in a workspace.
import { readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../../platform/clock.js';
import { namesIn, pathIn, statusOf } from './tree-files.js';
import { WorkspaceProblem } from './workspace-problem.js';

const MAX_ENTRIES = 1_000_000;
const SLICE_MS = 10;

/** Changes within the smallest step of the file system's clock leave times as they are. */
const CLOCK_STEP_NS = 20_000_000n;

export interface ScannedEntry {
  kind: 'file' | 'folder' | 'link';
  mode: number;
  mtimeMs: number;
  size: number;
  /** Of a link; a character for each byte. */
  target: string;
  /** Another one if the entry was written since. Undefined if it was written so recently that the times can't show it. */
  stamp: string | undefined;
}

/**
 * What of the repository's own folder is kept: commits, branches, the index and what git is in the middle of. Not its
 * configuration and hooks, which name programs.
 */
const OF_GIT = new Set(
  'HEAD ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD packed-refs index refs logs objects rebase-merge rebase-apply sequencer'.split(
    ' ',
  ),
);
const UNFINISHED = /(?:\.lock|\/tmp_(?:obj|pack|idx|rev)_[^/]*)$/;

const isKept = (path: string): boolean => {
  if (path === '.git' || !path.startsWith('.git/')) return true;
  const [, name = '', below] = path.split('/');
  return OF_GIT.has(name) && !(name === 'objects' && below === 'info') && !UNFINISHED.test(path);
};

/** Where git keeps what its branches refer to: to be read after them, since git writes it before them. */
export const OBJECTS = '.git/objects';

/** The entries below a folder of the workspace, parents first. `skipped`: a folder that is not looked into. */
export async function scanWorkspace(
  root: string,
  { from = '', skipped = '' } = {},
): Promise<Map<string, ScannedEntry>> {
  const found = new Map<string, ScannedEntry>();
  const now = BigInt(Date.now()) * 1_000_000n;
  let until = monotonicMs() + SLICE_MS;
  if (from !== '' && !statusOf(pathIn(root, from))?.isDirectory()) return found;
  const folders = [from];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of namesIn(folder === '' ? Buffer.from(root) : pathIn(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!isKept(path)) continue;
      const entry = entryAt(pathIn(root, path), now);
      if (!entry || (path === '.git' && entry.kind !== 'folder')) continue;
      found.set(path, entry);
      if (entry.kind === 'folder' && path !== skipped) folders.push(path);
    }
    if (found.size > MAX_ENTRIES) {
      throw new WorkspaceProblem(
        `The workspace has more than ${MAX_ENTRIES} files, so no snapshot of it was stored, and the session goes back to the one before. Tell the session to make fewer files, such as by another folder for a cache.`,
      );
    }
    if (monotonicMs() < until) continue;
    await setImmediate();
    until = monotonicMs() + SLICE_MS;
  }
  return found;
}

/** Undefined if it is not there, or a pipe, a socket or a device. */
function entryAt(path: Buffer, now: bigint): ScannedEntry | undefined {
  const stats = statusOf(path);
  if (!stats) return undefined;
  const { ino, size, mtimeNs, ctimeNs } = stats;
  const isRecent = ctimeNs > now - CLOCK_STEP_NS;
  const facts = {
    mode: Number(stats.mode) & 0o7777,
    mtimeMs: Math.floor(Number(mtimeNs) / 1_000_000),
    size: Number(size),
    stamp: isRecent ? undefined : `${ino}:${size}:${mtimeNs}:${ctimeNs}`,
  };
  if (stats.isFile()) return { kind: 'file', target: '', ...facts };
  if (stats.isDirectory()) return { kind: 'folder', target: '', ...facts };
  if (!stats.isSymbolicLink()) return undefined;
  try {
    return { kind: 'link', ...facts, target: readlinkSync(path, { encoding: 'buffer' }).toString('latin1') };
  } catch {
    return undefined; // gone meanwhile
  }
}
