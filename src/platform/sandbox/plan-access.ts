import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { SandboxPolicy } from './sandbox.js';

/** The access to a path and everything below it, until a deeper rule overrides it. */
export interface AccessRule {
  path: string;
  access: Access;
  folder: boolean;
}

type Access = 'write' | 'read' | 'none';

export interface AccessPlan {
  /** From the root down: each entry overrides those before it. Every entry has an effect. */
  rules: AccessRule[];
  /** Writable folders above a read-only path: renaming one would move the read-only path away and free its name. */
  pinned: string[];
  /** Read-only in the policy, in a writable folder, and missing. */
  missing: string[];
  /**
   * Read-only in the policy, in a writable folder, and a symlink: its target can be mounted read-only, the link itself
   * can't.
   */
  links: string[];
  notes: string[];
}

/** The part of a policy that is about files. */
export type AccessPolicy = Omit<SandboxPolicy, 'network' | 'temp'> & Partial<Pick<SandboxPolicy, 'temp'>>;

interface Circumstances {
  /** Folders that are private to a command. */
  privatePlaces: readonly string[];
  /** Placeholders for missing folders while commands run. */
  placeholders: { has(path: string): boolean };
}

/**
 * Resolves a policy against the current state of the disk, with all symlinks resolved. By default everything is
 * readable and nothing is writable, except that the content of private folders is not visible. Everything is
 * synchronous: about a hundred cached lookups take less time than one round trip through the thread pool.
 */
export function planAccess(policy: AccessPolicy, { privatePlaces, placeholders }: Circumstances): AccessPlan {
  const notes: string[] = [];
  const rules = new Map<string, AccessRule>();
  const add = (path: string | undefined, access: Access): void => {
    const stats = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (path !== undefined && stats) rules.set(path, { path, access, folder: stats.isDirectory() });
  };
  const look = cachedLookup();
  const waysToReadOnly = policy.readOnly.map((path) => wayTo(path, placeholders, look));
  // For the same path, the later rule wins.
  for (const path of policy.workspace) add(realOf(path), 'write');
  for (const { end } of waysToReadOnly) add(end, 'read');
  for (const path of policy.hidden) add(realOf(path), 'none');
  for (const path of policy.writable) {
    const place = placeToOpen(path, policy.home, notes);
    // A new file in a private folder is created in the command's own copy: the host's folder must not be opened for
    // it.
    if (place !== undefined && !privatePlaces.includes(place)) add(place, 'write');
  }
  if (policy.temp !== undefined) add(realOf(policy.temp), 'write');
  for (const path of policy.unreadable ?? []) {
    const real = realOf(path);
    if (real === undefined) continue;
    for (const other of [...rules.keys()].filter((one) => contains(real, one))) rules.delete(other);
    add(real, 'none');
  }

  const accessAt = (path: string): Access => {
    for (let at = path; ; at = dirname(at)) {
      const rule = rules.get(at);
      if (rule) return rule.access;
      if (privatePlaces.includes(at)) return 'none';
      if (at === dirname(at)) return 'read';
    }
  };
  const isExposed = (path: string): boolean => accessAt(dirname(path)) === 'write';
  const needed = [...rules.values()].filter(
    ({ path, access }) => path === dirname(path) || accessAt(dirname(path)) !== access,
  );
  const missing = unique(waysToReadOnly.flatMap(({ missing }) => missing ?? []).filter(isExposed));
  const links = unique(waysToReadOnly.flatMap(({ links }) => links).filter(isExposed));
  const held = [...needed.filter(({ access }) => access !== 'write').map(({ path }) => path), ...missing, ...links];
  const mounted = new Set(needed.map(({ path }) => path));
  const pinned = unique(held.flatMap((path) => writableAbove(path, accessAt))).filter((path) => !mounted.has(path));
  return {
    rules: needed.toSorted((a, b) => fromTheRootDown(a.path, b.path)),
    pinned: pinned.toSorted(fromTheRootDown),
    missing,
    links,
    notes,
  };
}

interface Way {
  /** The existing path; or, if a file blocks the way (the `.git` file of a work tree, for `.git/hooks`), that file. */
  end?: string;
  /** The first component that does not exist: `.git` outside a repository. */
  missing?: string;
  links: string[];
}

/** All paths start with the same few folders, so their lookups are cached. */
function cachedLookup(): (path: string) => Stats | undefined {
  const seen = new Map<string, Stats | undefined>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, lstatSync(path, { throwIfNoEntry: false }));
    return seen.get(path);
  };
}

function wayTo(
  path: string,
  placeholders: Circumstances['placeholders'],
  look: (path: string) => Stats | undefined,
): Way {
  const links: string[] = [];
  let end: string = sep;
  for (const name of path.split(sep).filter(Boolean)) {
    const here = look(end);
    if (!here?.isDirectory() || isEmptyRepository(end)) return { end, links };
    const place = join(end, name);
    const stats = look(place);
    if (!stats || placeholders.has(place)) return { missing: place, links };
    if (stats.isSymbolicLink()) links.push(place);
    const real = stats.isSymbolicLink() ? realOf(place) : place;
    if (real === undefined) return { links };
    end = real;
  }
  return { end, links };
}

/**
 * A placeholder that another Helve process put there for its command in the same project. Adding anything to it would
 * prevent its removal.
 */
function isEmptyRepository(path: string): boolean {
  return basename(path) === '.git' && readdirSync(path).length === 0;
}

/**
 * To create an approved path that is missing, its parent folder must be writable. The home folder and its ancestors
 * are too broad to open for that.
 */
function placeToOpen(path: string, home: string, notes: string[]): string | undefined {
  const real = realOf(path);
  if (real !== undefined) return real;
  const folder = nearestReal(dirname(path));
  if (!contains(folder, realOf(home) ?? home)) return folder;
  notes.push(
    `${path} does not exist, and to let a command make it the sandbox would have to open all of ${folder}, so it stays closed. Create it first, or run the command outside the sandbox.`,
  );
  return undefined;
}

function writableAbove(path: string, accessAt: (path: string) => Access): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); accessAt(at) === 'write' && at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** Undefined if the path is missing, including a dangling or circular symlink. */
export function realOf(path: string): string | undefined {
  try {
    // Most of these paths are missing, and `throwIfNoEntry: false` is cheaper than an exception.
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function nearestReal(path: string): string {
  return realOf(path) ?? nearestReal(dirname(path));
}

export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

const fromTheRootDown = (a: string, b: string): number => depth(a) - depth(b) || (a < b ? -1 : 1);

const depth = (path: string): number => path.split(sep).filter(Boolean).length;
