import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { codeOf } from '../error-code.js';
import { GitIgnore, ruleFiles } from '../files/git-ignore.js';
import type { DeclaredPath } from '../journal/declared-writes.js';
import { VERSION_CONTROL } from '../search/query.js';

const SLICE_MS = 10; // work at a stretch before yielding to the event loop
const UNSETTLED_MS = 50; // file system clocks tick every few milliseconds
const COARSE_MS = 2_100; // some have a granularity of one or two seconds

/** The entry at a path, from `lstat` alone. */
export interface TreeEntry {
  kind: 'file' | 'folder' | 'link';
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  mode: number;
  /** The mode including the file type bits. */
  fullMode: number;
  /** Whether it had been unchanged for long enough that another change would alter its timestamps. */
  settled: boolean;
  /** A symlink's target; undefined if it is not valid text. */
  target: string | undefined;
}

/** Whether the entry is unchanged, provided that the first state was settled. */
export const isUntouched = (one: TreeEntry, other: TreeEntry): boolean =>
  one.ctimeMs === other.ctimeMs && one.mode === other.mode && one.kind === other.kind && isUnwritten(one, other);

/** The same for its content alone. */
export const isUnwritten = (one: TreeEntry, other: TreeEntry): boolean =>
  one.mtimeMs === other.mtimeMs && one.size === other.size && one.ino === other.ino;

/** Identifies the content until the file is written. */
export const contentId = ({ ino, size, mtimeMs }: TreeEntry): string => `${ino}:${size}:${mtimeMs}`;

interface Listing {
  folder: TreeEntry;
  /**
   * The paths of its entries that are not ignored; cached, because building thousands of these strings takes as long
   * as the scan.
   */
  paths: readonly string[];
  hasRules: boolean;
  ruleStamp: string;
  above: GitIgnore;
  rules: GitIgnore;
}

/** The files of a workspace that git does not ignore, with their folders, by path. */
export interface Tree {
  entries: Map<string, TreeEntry>;
  listings: Map<string, Listing>;
  /** Paths that could not be read. */
  unreadable: string[];
  /** Folders that were not scanned, for lack of time or because there were too many files. */
  unseen: string[];
  /** Entries that are not the same `TreeEntry` object as in the earlier scan: everything that may have changed. */
  fresh: string[];
  /** The number of entries that are files. */
  files: number;
  /** Paths that commands declare as written and that were scanned completely, ignored or not. */
  named: DeclaredPath[];
  namedPaths: string[];
  /** Declared paths that were not scanned because they are too large. */
  tooMuch: string[];
}

export const emptyTree = (): Tree => ({
  entries: new Map(),
  listings: new Map(),
  unreadable: [],
  unseen: [],
  fresh: [],
  files: 0,
  named: [],
  namedPaths: [],
  tooMuch: [],
});

export interface TreeLimits {
  maxEntries: number;
  maxMs: number;
  /** This many are scanned in any case. */
  leastEntries: number;
}

/** Yields to the event loop from time to time during long synchronous work. */
export class Pace {
  #until = monotonicMs() + SLICE_MS;
  readonly #signal: AbortSignal | undefined;
  readonly #restMs: number;

  /** With a rest, the work runs in the background at low priority, and does not keep the process alive. */
  constructor(signal?: AbortSignal, { restMs = 0 }: { restMs?: number } = {}) {
    this.#signal = signal;
    this.#restMs = restMs;
  }

  async breathe(): Promise<void> {
    if (monotonicMs() < this.#until) return;
    if (this.#restMs === 0) await setImmediate();
    else await setTimeout(this.#restMs, undefined, { ref: false, ...(this.#signal && { signal: this.#signal }) });
    this.#signal?.throwIfAborted();
    this.#until = monotonicMs() + SLICE_MS;
  }
}

export interface ScanOptions {
  earlier: Tree | undefined;
  isExcluded(path: string): boolean;
  /** Paths that are not scanned and count as unreadable. */
  secrets?: ReadonlySet<string>;
  limits: TreeLimits;
  pace: Pace;
  /** Folders that are not scanned. */
  skipped?: readonly string[] | undefined;
}

/**
 * Scans the whole workspace, or as much of it as the limits allow. Results of an earlier scan are reused for
 * unchanged folders, and an unchanged entry is the same `TreeEntry` object. Synchronous in slices, because thousands of
 * asynchronous `lstat` calls take several times as long.
 */
export async function readTree(roots: readonly string[], options: ScanOptions): Promise<Tree> {
  const { earlier, limits } = options;
  const until = monotonicMs() + limits.maxMs;
  const tree = emptyTree();
  for (const root of roots) {
    if (tree.listings.has(root)) continue; // it lies inside another root
    const top = entryAt(root, earlier?.entries.get(root));
    if (top && !tree.entries.has(root)) add(tree, root, top, earlier?.entries.get(root));
    const above = earlier?.listings.get(root)?.above ?? GitIgnore.above(root);
    await readBelow({ folder: root, above }, tree, until, options);
  }
  return tree;
}

function add(tree: Tree, path: string, entry: TreeEntry, old: TreeEntry | undefined): void {
  tree.entries.set(path, entry);
  if (entry.kind === 'file') tree.files += 1;
  if (entry !== old) tree.fresh.push(path);
}

interface Waiting {
  folder: string;
  above: GitIgnore;
}

async function readBelow(
  top: Waiting,
  tree: Tree,
  until: number,
  { earlier, isExcluded, secrets, limits, pace, skipped = [] }: ScanOptions,
): Promise<void> {
  const isSkipped = new Set(skipped);
  const waiting = [top];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { size } = tree.entries;
    const isOver = size > limits.maxEntries || (size >= limits.leastEntries && monotonicMs() > until);
    if (isOver || isSkipped.has(next.folder)) {
      tree.unseen.push(next.folder);
      continue;
    }
    const listing = listFolder(next.folder, next.above, earlier?.listings.get(next.folder), tree);
    if (!listing) continue;
    tree.listings.set(next.folder, listing);
    for (const path of listing.paths) {
      if (isExcluded(path)) continue;
      if (secrets?.has(path)) {
        if (lookAt(path)) tree.unreadable.push(path);
        continue;
      }
      const old = earlier?.entries.get(path);
      const entry = entryAt(path, old);
      if (!entry) {
        if (path.includes('\uFFFD')) tree.unreadable.push(path); // a name that is not valid UTF-8 can't be looked up
        continue;
      }
      add(tree, path, entry, old);
      if (entry.kind === 'folder' && !tree.listings.has(path)) waiting.push({ folder: path, above: listing.rules });
    }
    await pace.breathe();
  }
}

function listFolder(folder: string, above: GitIgnore, earlier: Listing | undefined, tree: Tree): Listing | undefined {
  const stats = lookAt(folder);
  if (!stats?.isDirectory()) return undefined; // gone, or being replaced
  const entry = entryOf(stats);
  const isSame = earlier?.folder.settled === true && isUntouched(earlier.folder, entry) && earlier.above === above;
  if (isSame && !earlier.hasRules) return earlier;
  const ruleStamp = ruleFiles.map((name) => stampAt(join(folder, name))).join();
  if (isSame && earlier.ruleStamp === ruleStamp && isSettled(ruleStamp)) return earlier;

  let all: string[];
  try {
    all = readdirSync(folder);
  } catch {
    tree.unreadable.push(folder);
    return undefined;
  }
  const hasRules = all.includes('.gitignore') || all.includes('.git');
  const known = earlier?.above === above && earlier.hasRules && earlier.ruleStamp === ruleStamp;
  const rules = !hasRules ? above : known && isSettled(ruleStamp) ? earlier.rules : above.within(folder);
  const paths = all
    .filter((name) => !versionControl.has(name))
    .map((name) => join(folder, name))
    .filter((path) => !rules.ignores(path, { isFolder: lookAt(path)?.isDirectory() ?? false }));
  return { folder: entry, paths, hasRules, ruleStamp, above, rules };
}

const versionControl: ReadonlySet<string> = new Set(VERSION_CONTROL);
const UNSETTLED = 'unsettled';
const isSettled = (ruleStamp: string): boolean => !ruleStamp.includes(UNSETTLED);

function stampAt(path: string): string {
  const stats = lookAt(path);
  if (!stats) return 'none';
  const entry = entryOf(stats);
  return entry.settled ? `${contentId(entry)}:${entry.ctimeMs}` : UNSETTLED;
}

/**
 * Whether nothing is at the path that could be restored: nothing at all, or a pipe or a device. If the path can't be
 * read, something may be there.
 */
export function isGone(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined || !isCovered(stats);
  } catch (error) {
    return codeOf(error) === 'ENOTDIR';
  }
}

/**
 * The entry at the path, the earlier object if it is unchanged; undefined if there is nothing that could be restored.
 */
export function entryAt(path: string, earlier?: TreeEntry): TreeEntry | undefined {
  const stats = lookAt(path);
  if (!stats) return undefined;
  if (earlier?.settled && matchesStats(earlier, stats)) return earlier;
  if (!isCovered(stats)) return undefined;
  const entry = entryOf(stats);
  if (entry.kind === 'link') entry.target = targetOf(path);
  return entry;
}

const isCovered = (stats: Stats): boolean => stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();

/** Like `isUntouched`, without allocating an entry for each of thousands of files. */
const matchesStats = (earlier: TreeEntry, { ctimeMs, mtimeMs, ino, size, mode }: Stats): boolean =>
  earlier.ctimeMs === ctimeMs &&
  earlier.mtimeMs === mtimeMs &&
  earlier.ino === ino &&
  earlier.size === size &&
  earlier.fullMode === mode;

export function entryOf(stats: Stats): TreeEntry {
  const { ino, size, mtimeMs, ctimeMs, mode } = stats;
  return {
    kind: stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'file',
    ino,
    size,
    mtimeMs,
    ctimeMs,
    mode: mode & 0o7777,
    fullMode: mode,
    settled: Date.now() - Math.max(mtimeMs, ctimeMs) > (ctimeMs % 1_000 === 0 ? COARSE_MS : UNSETTLED_MS),
    target: undefined,
  };
}

function targetOf(path: string): string | undefined {
  try {
    const bytes = readlinkSync(path, { encoding: 'buffer' });
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? text : undefined;
  } catch {
    return undefined;
  }
}

const withoutError = { throwIfNoEntry: false } as const;

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, withoutError);
  } catch {
    return undefined; // an ancestor is unreadable, or was replaced by a file
  }
}
