import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { VERSION_CONTROL } from '../search/query.js';
import { GitIgnore, ruleFiles } from './git-ignore.js';
import { codeOf } from './write-failure.js';

const SLICE_MS = 10; // work at a stretch, before others have their turn
const UNSETTLED_MS = 50; // clocks of file systems tick every few milliseconds

/** What is at a path, as far as the system tells without opening it. */
export interface Entry {
  kind: 'file' | 'folder' | 'link';
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  mode: number;
  /** Whether it had been left alone for long enough that another change would show in its times. */
  settled: boolean;
  /** Where a link leads; undefined where that is not text. */
  target: string | undefined;
}

/** Whether nothing has happened to the entry in between, provided that the first was settled. */
export const isUntouched = (one: Entry, other: Entry): boolean =>
  one.ctimeMs === other.ctimeMs && one.mode === other.mode && one.kind === other.kind && isUnwritten(one, other);

/** The same for its content alone. */
export const isUnwritten = (one: Entry, other: Entry): boolean =>
  one.mtimeMs === other.mtimeMs && one.size === other.size && one.ino === other.ino;

/** The same as long as the content is not written. */
export const contentId = ({ ino, size, mtimeMs }: Entry): string => `${ino}:${size}:${mtimeMs}`;

interface Listing {
  folder: Entry;
  /** Those of its entries that are not ignored. */
  names: readonly string[];
  hasRules: boolean;
  ruleStamp: string;
  above: GitIgnore;
  rules: GitIgnore;
}

/** The files of a workspace that git does not ignore, with their folders, by path. */
export interface Tree {
  entries: Map<string, Entry>;
  listings: Map<string, Listing>;
  /** What could not be looked at. */
  unreadable: string[];
}

export interface TreeLimits {
  maxEntries: number;
  maxMs: number;
}

/** Lets others have their turn now and then while much is done at a stretch. */
export class Pace {
  #until = monotonicMs() + SLICE_MS;
  readonly #signal: AbortSignal | undefined;
  readonly #restMs: number;

  /** With a rest, the work is done beside other work rather than before it, and keeps no process from ending. */
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

/**
 * Looks at the whole workspace. What an earlier look has found out about folders that are as they were is used again.
 * Undefined where it has more entries, or takes longer, than the limits allow. Synchronous in slices, because asking
 * for thousands of files one by one takes several times as long.
 */
export async function readTree(
  root: string,
  { earlier, excluded, limits, pace }: { earlier: Tree | undefined; excluded: string; limits: TreeLimits; pace: Pace },
): Promise<Tree | undefined> {
  const until = monotonicMs() + limits.maxMs;
  const tree: Tree = { entries: new Map(), listings: new Map(), unreadable: [] };
  const above = earlier?.listings.get(root)?.above ?? GitIgnore.above(root);
  const top = entryAt(root);
  if (top) tree.entries.set(root, top);
  const waiting: Array<{ folder: string; above: GitIgnore }> = [{ folder: root, above }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const listing = listFolder(next.folder, next.above, earlier?.listings.get(next.folder), tree);
    if (!listing) continue;
    tree.listings.set(next.folder, listing);
    for (const name of listing.names) {
      const path = next.folder === sep ? sep + name : next.folder + sep + name; // nothing to be made normal in it
      if (path === excluded) continue;
      const entry = entryAt(path);
      if (!entry) {
        if (name.includes('\uFFFD')) tree.unreadable.push(path); // a name that is no text can't be asked for
        continue;
      }
      tree.entries.set(path, entry);
      if (entry.kind === 'folder') waiting.push({ folder: path, above: listing.rules });
    }
    if (tree.entries.size > limits.maxEntries || monotonicMs() > until) return undefined;
    await pace.breathe();
  }
  return tree;
}

function listFolder(folder: string, above: GitIgnore, earlier: Listing | undefined, tree: Tree): Listing | undefined {
  const stats = lookAt(folder);
  if (!stats?.isDirectory()) return undefined; // gone, or replaced this moment
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
  const names = all.filter((name) => {
    if (versionControl.has(name)) return false;
    const path = join(folder, name);
    return !rules.ignores(path, { isFolder: lookAt(path)?.isDirectory() ?? false });
  });
  return { folder: entry, names, hasRules, ruleStamp, above, rules };
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

/** Whether nothing is at the path, as far as can be said: where we may not look, something may be. */
export function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return codeOf(error) === 'ENOTDIR';
  }
}

/** What is at the path; undefined where nothing is, or nothing that could be put back. */
export function entryAt(path: string): Entry | undefined {
  const stats = lookAt(path);
  if (!stats || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) return undefined;
  const entry = entryOf(stats);
  if (entry.kind === 'link') entry.target = targetOf(path);
  return entry;
}

export function entryOf(stats: Stats): Entry {
  const { ino, size, mtimeMs, ctimeMs, mode } = stats;
  return {
    kind: stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'file',
    ino,
    size,
    mtimeMs,
    ctimeMs,
    mode: mode & 0o7777,
    settled: Date.now() - Math.max(mtimeMs, ctimeMs) > UNSETTLED_MS,
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

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder above it is closed to us, or was replaced by a file
  }
}
