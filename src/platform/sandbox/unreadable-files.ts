import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { UnreadableFiles } from '../../contract/tool-context.js';
import { contains, realOf } from './plan-access.js';

const MAX_FOLDERS = 20_000; // below the workspace; a repeated scan of this many takes a few hundredths of a second
const MAX_FOLDERS_ELSEWHERE = 2_000; // a rule such as ~/**/*.pem covers a whole home folder
const MAX_HIDDEN = 500; // each is a mount of its own
const MAX_MS = 2_000;
const COARSE_MS = 2_100; // the same for file systems with second granularity
const SLICE_MS = 8; // of preparation at a stretch, so that key presses and streams are not delayed
const SETTLED_MS = 50; // within one clock tick a folder can change again without a new timestamp

/** Virtual file systems: their entries come and go, and a sandbox mounts its own. */
const NOT_ON_DISK = ['/proc', '/sys', '/dev'];

export interface UnreadableSearch {
  files: UnreadableFiles;
  /** Scanned first, and with a higher limit. */
  workspace: readonly string[];
  /** Paths that a command needs. If one lies in a denied folder, everything else in that folder is hidden. */
  needed: readonly string[];
}

export interface Unreadable {
  paths: string[];
  /** The parts that could not be covered, as sentences. */
  notes: string[];
  /** There are more of them than can be hidden. */
  isTooMany?: boolean;
}

export interface FinderLimits {
  maxFolders?: number;
  maxFoldersElsewhere?: number;
  maxHidden?: number;
  maxMs?: number;
  now?: () => number;
}

export interface UnreadableFinder {
  /** Synchronous, like the planning of access. */
  find(search: UnreadableSearch): Unreadable;
  /** Scans every folder once, with pauses, so that a later `find` is fast. */
  prepare(search: UnreadableSearch): Promise<void>;
}

/**
 * Finds the files that rules deny reading, incrementally for the commands of a session: a folder is read again only
 * when it has changed.
 */
export function createUnreadableFinder(limits: FinderLimits = {}): UnreadableFinder {
  let key = '';
  let known = new Map<string, KnownFolder>();
  const steps = (search: UnreadableSearch): Steps => {
    const wanted = JSON.stringify([search.files.key, search.workspace]);
    if (wanted !== key) known = new Map();
    key = wanted;
    return findUnreadable(search, known, limits);
  };
  return {
    find(search) {
      const folders = steps(search);
      let step = folders.next();
      while (!step.done) step = folders.next();
      return step.value;
    },
    async prepare(search) {
      const folders = steps(search);
      let pauseAt = performance.now() + SLICE_MS;
      while (!folders.next().done) {
        if (performance.now() < pauseAt) continue;
        await pause();
        pauseAt = performance.now() + SLICE_MS;
      }
    },
  };
}

/** One iteration for each scanned folder. */
type Steps = Generator<undefined, Unreadable, void>;

/** The relevant entries of a folder. */
interface KnownFolder {
  /** The folder's ctime, which also changes with the names in it. Unlike mtime, it can't be set by a program. */
  changed: number;
  isSettled: boolean;
  denied: FoundEntry[];
  /** Folders that may contain denied paths. */
  open: FoundEntry[];
}

interface FoundEntry {
  path: string;
  isFolder: boolean;
  /** The target of a symlink that has to be followed under its own name. */
  linkedTo?: string;
}

function* findUnreadable(
  { files, workspace, needed }: UnreadableSearch,
  known: Map<string, KnownFolder>,
  {
    maxFolders = MAX_FOLDERS,
    maxFoldersElsewhere = MAX_FOLDERS_ELSEWHERE,
    maxHidden = MAX_HIDDEN,
    maxMs = MAX_MS,
    now = Date.now,
  }: FinderLimits,
): Steps {
  const roots = realNames(workspace);
  const kept = realNames(needed);
  const isInWorkspace = (path: string): boolean => roots.some((root) => contains(root, path));
  const found = new Set<string>();
  const notes: string[] = [];
  const visited = new Set<string>();
  const deadline = performance.now() + maxMs;

  const hide = ({ path, isFolder }: FoundEntry, queue: FoundEntry[]): void => {
    const real = realOf(path);
    if (real === undefined) return;
    if (!roots.includes(real) && kept.includes(real)) return;
    if (isFolder && [...roots, ...kept].some((one) => contains(real, one))) queue.push({ path, isFolder });
    else found.add(real);
  };
  function* walk(start: string, most: number): Generator<undefined, void, void> {
    const queue: FoundEntry[] = [{ path: start, isFolder: true }];
    let looked = 0;
    // The list grows while it is iterated; the loop reaches the new items.
    for (const { path: folder, linkedTo = folder } of queue) {
      if (visited.has(linkedTo) || NOT_ON_DISK.includes(linkedTo)) continue;
      visited.add(linkedTo);
      looked += 1;
      if (looked > most || performance.now() > deadline || found.size > maxHidden) {
        notes.push(
          `Rules keep files below ${start} from being read, and not all of them could be looked for: the search ended at ${folder}. Commands in the sandbox can read what lies beyond.`,
        );
        return;
      }
      const entry = readFolderEntries(folder, { files, known, roots, now });
      for (const one of entry?.denied ?? []) hide(one, queue);
      queue.push(...(entry?.open ?? []));
      yield;
    }
  }

  const starts = files.starts.toSorted((one, other) => Number(isInWorkspace(other)) - Number(isInWorkspace(one)));
  for (const start of new Set([...roots.filter((root) => files.mayMatchBelow(root)), ...starts])) {
    const stats = statSync(start, { throwIfNoEntry: false });
    if (!stats) continue;
    const entry = { path: start, isFolder: stats.isDirectory() };
    const toWalk: FoundEntry[] = [];
    if (files.matches(start, entry)) hide(entry, toWalk);
    else if (entry.isFolder) toWalk.push(entry);
    for (const { path } of toWalk) yield* walk(path, isInWorkspace(path) ? maxFolders : maxFoldersElsewhere);
  }
  const paths = [...found].slice(0, maxHidden);
  if (found.size > paths.length) {
    notes.push(
      `Rules keep more than ${maxHidden} files from being read, which is more than the sandbox can hide: commands can read ${[...found][maxHidden]} and others. Deny their folder as a whole.`,
    );
  }
  const isTooMany = found.size > paths.length;
  return { paths, notes: [...notes, ...noteLinks(paths)], ...(isTooMany && { isTooMany }) };
}

/** A file with several hard links: hiding one name leaves the others, and they can't be found. */
function noteLinks(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.nlink < 2) return [];
    return [
      `${path} may not be read and is hidden from commands, but it has ${stats.nlink - 1} more names (hard links), by which they can read it.`,
    ];
  });
}

interface Looking {
  files: UnreadableFiles;
  known: Map<string, KnownFolder>;
  roots: readonly string[];
  now: () => number;
}

/** Undefined for an unreadable folder: a command can't read it either. */
function readFolderEntries(folder: string, looking: Looking): KnownFolder | undefined {
  const { known, now } = looking;
  try {
    const before = known.get(folder);
    const changed = statSync(folder).ctimeMs;
    if (before?.isSettled && before.changed === changed) return before;
    const entries = readdirSync(folder, { withFileTypes: true }).map((entry) => judge(folder, entry, looking));
    const found: KnownFolder = {
      changed,
      isSettled: Math.abs(now() - changed) > (changed % 1_000 === 0 ? COARSE_MS : SETTLED_MS),
      denied: entries.flatMap(({ denied }) => denied ?? []),
      open: entries.flatMap(({ open }) => open ?? []),
    };
    known.set(folder, found);
    return found;
  } catch {
    known.delete(folder);
    return undefined;
  }
}

function judge(folder: string, entry: Dirent, { files, roots }: Looking): { denied?: FoundEntry; open?: FoundEntry } {
  const path = folder === sep ? sep + entry.name : `${folder}${sep}${entry.name}`;
  if (!entry.isSymbolicLink()) {
    const found = { path, isFolder: entry.isDirectory() };
    if (files.matches(path, found)) return { denied: found };
    return found.isFolder && files.mayMatchBelow(path) ? { open: found } : {};
  }
  const real = realOf(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === undefined || !stats) return {};
  const found = { path: real, isFolder: stats.isDirectory() };
  if (files.matches(path, found) || files.matches(real, found)) return { denied: found };
  // A rule may mean a symlink's target by the link's own name. Targets in the workspace are scanned anyway.
  const isElsewhere = !roots.some((root) => contains(root, real) || contains(real, root));
  const isOpen = found.isFolder && isElsewhere && files.mayMatchBelow(path);
  return isOpen ? { open: { path, isFolder: true, linkedTo: real } } : {};
}

const realNames = (paths: readonly string[]): string[] => [...new Set(paths.flatMap((path) => realOf(path) ?? []))];
