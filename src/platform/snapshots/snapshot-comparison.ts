// What two looks at a workspace, one after the other, say about entries that one of them has not found.
import { dirname } from 'node:path';
import { namesPath } from '../journal/declared-writes.js';
import { type Entry, entryAt, type Tree } from './workspace-tree.js';

/** Two looks, one after the other, and what the later one has not found any more. */
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

/** Whether a folder above it is no folder any more: what is found behind a link has another path. */
export function isCutOff(path: string, { entries }: Tree): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const above = entries.get(at);
    if (above) return above.kind !== 'folder'; // and so are those above it
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

/** Whether a new entry may have been there before without having been seen. */
export function wasHidden(before: Tree, now: Tree, path: string, { kind }: Entry): boolean {
  const { entries, listings, unreadable, unseen, named } = before;
  if (namesPath({ paths: named, isExact: true }, path)) return false;
  const isNew = [{ path, isFolder: kind === 'folder' }];
  for (let at = path; ; at = dirname(at)) {
    if (unreadable.includes(at) || unseen.includes(at)) return true;
    if (at === dirname(at)) return !entries.has(at); // of a folder that has come to the workspace since
    // By the rules of then, as far as they are known: the entry itself, and every folder that was not looked into.
    const above = dirname(at);
    const isKnown = entries.get(above)?.kind === 'folder' && !unreadable.includes(above) && !unseen.includes(above);
    const listing = listings.get(above) ?? (isKnown ? now.listings.get(above) : undefined);
    if (listing) return isNew.some((one) => listing.rules.ignores(one.path, one));
    isNew.push({ path: dirname(at), isFolder: true });
  }
}
