import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.js';
import type { RecordedFile, RecordedOther } from '../journal/recorded-change.js';
import { contentId, entryOf } from '../snapshots/workspace-tree.js';
import { hashCurrent } from './read-current.js';

/** The current, past or intended state of a path; null if nothing is there. */
export type EntryState = FileState | { kind: 'link'; target: string } | { kind: 'folder'; mode: number } | null;

export interface FileState {
  kind: 'file';
  /** SHA-256 of the content, if it is known. */
  hash?: string;
  /** Identifies the content until the file is written; used if the content is not known. */
  id?: string;
  mode?: number | undefined;
  /** Why the content is not kept, if it is not. */
  unkept?: string;
  /** For an existing file: whether it has other hard links, and its device and inode. */
  others?: { names: number; inode: string };
}

export const stateBefore = ({ before, otherBefore, mode }: RecordedFile): EntryState =>
  stateOf(before, otherBefore, mode);

export const stateAfter = ({ after, otherAfter, mode, modeAfter }: RecordedFile): EntryState =>
  stateOf(after, otherAfter, modeAfter ?? mode);

function stateOf(hash: string | null, other: RecordedOther | undefined, mode: number | undefined): EntryState {
  if (hash !== null) return { kind: 'file', hash, mode };
  if (other?.kind !== 'unkept') return other ?? null;
  return { kind: 'file', id: other.id, unkept: other.why, mode };
}

/** A path that only a person can resolve, because something else is in the way. */
export interface Obstacle {
  kind: 'obstacle';
  what: string;
}

/**
 * The current state of a real path. Nothing counts as existing behind a symlink that is about to be removed: it
 * replaces a folder.
 */
export async function currentState(real: string, goingLinks: ReadonlySet<string>): Promise<EntryState | Obstacle> {
  const folder = dirname(real);
  for (let above = folder; above !== dirname(above); above = dirname(above)) if (goingLinks.has(above)) return null;
  const led = await realpath(folder).catch(() => undefined);
  if (led !== undefined && led !== folder) return { kind: 'obstacle', what: `its folder is a link to ${led} by now` };
  try {
    const stats = await lstat(real);
    const entry = entryOf(stats);
    const { mode } = entry;
    if (stats.isDirectory()) return { kind: 'folder', mode };
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(real) };
    if (!stats.isFile()) return { kind: 'obstacle', what: 'it is neither a file, a folder nor a link by now' };
    const hash = await hashCurrent(real).catch((error: unknown) => {
      if (codeOf(error) === 'EACCES') return 'closed' as const; // its mode can be restored all the same
      throw error;
    });
    if (hash === undefined) return null;
    if (hash === 'closed') return { kind: 'file', id: contentId(entry), mode };
    const others = stats.nlink > 1 ? { names: stats.nlink, inode: `${stats.dev}:${stats.ino}` } : undefined;
    return { kind: 'file', hash, id: contentId(entry), mode, ...(others && { others }) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return null;
    return { kind: 'obstacle', what: `it can't be looked at (${codeOf(error) ?? String(error)})` };
  }
}

/** Whether two states have the same kind and content, regardless of their modes. */
export function isSameContent(one: EntryState, other: EntryState): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  if (one.kind !== 'file' || other.kind !== 'file') return one.kind === other.kind;
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash;
  return one.id !== undefined && one.id === other.id;
}

export const modeOf = (state: EntryState): number | undefined =>
  state && state.kind !== 'link' ? state.mode : undefined;
