import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RecordedFile, RecordedOther } from '../journal/recorded-change.js';
import { contentId, entryOf } from '../snapshots/workspace-tree.js';
import { readCurrent } from './read-current.js';
import { codeOf } from './write-failure.js';

/** What is, was or shall be at a path; null where nothing is. */
export type EntryState = FileState | { kind: 'link'; target: string } | { kind: 'folder'; mode: number } | null;

export interface FileState {
  kind: 'file';
  /** SHA-256 of the content, where it is known. */
  hash?: string;
  /** The same as long as nobody has written the file; of use where the content is not known. */
  id?: string;
  mode?: number | undefined;
  /** Why the content is not kept, where it is not. */
  unkept?: string;
  /** Of what is there now: whether it has other names, and by which all of them are known. */
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

/** What can't be undone by anybody but a person, because something else is in the way. */
export interface Obstacle {
  kind: 'obstacle';
  what: string;
}

/** What is at a real path now. Behind a link that is about to go nothing is: there was a folder in its place. */
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
    const current = await readCurrent(real).catch((error: unknown) => {
      if (codeOf(error) === 'EACCES') return 'closed' as const; // its mode can be put back all the same
      throw error;
    });
    if (current === undefined) return null;
    if (current === 'closed') return { kind: 'file', id: contentId(entry), mode };
    const others = stats.nlink > 1 ? { names: stats.nlink, inode: `${stats.dev}:${stats.ino}` } : undefined;
    return { kind: 'file', hash: current.hash, id: contentId(entry), mode, ...(others && { others }) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return null;
    return { kind: 'obstacle', what: `it can't be looked at (${codeOf(error) ?? String(error)})` };
  }
}

/** Whether two states are of one kind and hold the same, whatever their modes. */
export function isSameContent(one: EntryState, other: EntryState): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  if (one.kind !== 'file' || other.kind !== 'file') return one.kind === other.kind;
  if (one.hash !== undefined && other.hash !== undefined) return one.hash === other.hash;
  return one.id !== undefined && one.id === other.id;
}

export const modeOf = (state: EntryState): number | undefined =>
  state && state.kind !== 'link' ? state.mode : undefined;
