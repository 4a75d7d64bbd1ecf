// Compares two consecutive snapshots of a workspace for entries that are in only one of them.
import { dirname } from 'node:path';
import { namesPath } from '../journal/declared-writes.js';
import { entryAt, type Tree, type TreeEntry } from './workspace-tree.js';

/** Two consecutive snapshots, and the entries that are missing in the later one. */
export interface SnapshotPair {
  earlier: Tree;
  now: Tree;
  gone: readonly string[];
}

export function removedSince(earlier: Tree | undefined, now: Tree): string[] {
  if (!earlier) return [];
  const replaced = now.fresh.filter((path) => earlier.entries.has(path)).length;
  const left = now.entries.size - now.fresh.length + replaced;
  return left === earlier.entries.size ? [] : [...earlier.entries.keys()].filter((path) => !now.entries.has(path));
}

/** Whether an ancestor is no longer a folder: entries behind a symlink have another path. */
export function isCutOff(path: string, { entries }: Tree): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const above = entries.get(at);
    if (above) return above.kind !== 'folder'; // and so are its own ancestors
    const { kind = 'folder' } = entryAt(at) ?? {};
    if (kind !== 'folder') return true;
  }
  return false;
}

export function forgetEntry(tree: Tree, path: string): void {
  const entry = tree.entries.get(path);
  if (!entry) return;
  tree.entries.delete(path);
  tree.fresh = tree.fresh.filter((fresh) => fresh !== path);
  if (entry.kind === 'file') tree.files -= 1;
}

/** Whether a new entry may have existed before without having been scanned. */
export function wasHidden(before: Tree, now: Tree, path: string, { kind }: TreeEntry): boolean {
  const { entries, listings, unreadable, unseen, named } = before;
  if (namesPath({ paths: named, isExact: true }, path)) return false;
  const isNew = [{ path, isFolder: kind === 'folder' }];
  for (let at = path; ; at = dirname(at)) {
    if (unreadable.includes(at) || unseen.includes(at)) return true;
    if (at === dirname(at)) return !entries.has(at); // of a folder that was added to the workspace since
    // By the ignore rules of that time, as far as they are known: the entry itself, and every folder that was not
    // scanned.
    const above = dirname(at);
    const isKnown = entries.get(above)?.kind === 'folder' && !unreadable.includes(above) && !unseen.includes(above);
    const listing = listings.get(above) ?? (isKnown ? now.listings.get(above) : undefined);
    if (listing) return isNew.some((one) => listing.rules.ignores(one.path, one));
    isNew.push({ path: dirname(at), isFolder: true });
  }
}
