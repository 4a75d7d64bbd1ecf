// Paths that commands declare as written are scanned completely, whether or not git ignores them, within a size
// limit.
import { dirname, join } from 'node:path';
import { namesIn } from '../files/lenient-reads.js';
import { type DeclaredPath, namesPath, segmentsOf } from '../journal/declared-writes.js';
import { VERSION_CONTROL } from '../search/query.js';
import { entryAt, type Pace, type Tree, type TreeEntry } from './workspace-tree.js';

export interface NamedLimits {
  /** The number of files and folders. */
  maxNamedEntries: number;
  /** The total size. */
  maxNamedBytes: number;
}

/** The limits in words. */
export const namedLimit = ({ maxNamedEntries, maxNamedBytes }: NamedLimits): string =>
  `${maxNamedEntries} files or ${maxNamedBytes / 1_000_000} MB`;

export interface NamedOptions {
  earlier: Tree | undefined;
  isExcluded(path: string): boolean;
  pace: Pace;
  /** No limits for paths that were scanned before: their current state is needed, however large they are. */
  limits?: NamedLimits;
}

/**
 * Adds the declared paths to the tree. One that exceeds the limits is left out as a whole and listed in
 * `tree.tooMuch`.
 */
export async function addNamed(tree: Tree, paths: readonly DeclaredPath[], options: NamedOptions): Promise<void> {
  const left = {
    entries: options.limits?.maxNamedEntries ?? Infinity,
    bytes: options.limits?.maxNamedBytes ?? Infinity,
  };
  for (const declared of paths) {
    const found = await entriesOf(declared, tree, left, options);
    const isHidden = found.some(([path]) => !tree.entries.has(path));
    if (found.length > left.entries || bytesOf(found) > left.bytes) {
      if (isHidden) tree.tooMuch.push(declared.real);
      continue;
    }
    left.entries -= found.length;
    left.bytes -= bytesOf(found);
    tree.named.push(declared);
    for (const [path, entry] of found) {
      tree.namedPaths.push(path);
      if (tree.entries.has(path)) continue;
      tree.entries.set(path, entry);
      if (entry.kind === 'file') tree.files += 1;
      if (entry !== options.earlier?.entries.get(path)) tree.fresh.push(path);
    }
  }
}

const bytesOf = (found: ReadonlyArray<[string, TreeEntry]>): number =>
  found.reduce((sum, [, { kind, size }]) => sum + (kind === 'file' ? size : 0), 0);

/** All entries of a declared path, or slightly more than the limit. */
async function entriesOf(
  declared: DeclaredPath,
  tree: Tree,
  { entries: most }: { entries: number },
  { earlier, isExcluded, pace }: NamedOptions,
): Promise<Array<[string, TreeEntry]>> {
  const { real, tree: isTree, pattern } = declared;
  const found: Array<[string, TreeEntry]> = [];
  const depth = pattern === undefined ? 0 : segmentsOf(pattern).length;
  // If it has become a symlink since, the files behind it are different ones.
  const waiting = hasLinkAbove(real) ? [] : [real];
  for (let path = waiting.pop(); path !== undefined && found.length <= most; path = waiting.pop()) {
    if (isExcluded(path) || segmentsOf(path).some((name) => versionControl.has(name))) continue;
    const entry = tree.entries.get(path) ?? entryAt(path, earlier?.entries.get(path));
    if (!entry) continue;
    if (namesPath({ paths: [declared], isExact: true }, path)) found.push([path, entry]);
    else if (segmentsOf(path).length >= depth) continue; // a glob matches nothing further down
    if (isTree && entry.kind === 'folder') waiting.push(...namesIn(path).map((name) => join(path, name)));
    await pace.breathe();
  }
  return found;
}

function hasLinkAbove(path: string): boolean {
  const above = dirname(path);
  return above !== path && (entryAt(above)?.kind === 'link' || hasLinkAbove(above));
}

const versionControl: ReadonlySet<string> = new Set(VERSION_CONTROL);
