import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { SandboxPolicy } from './sandbox.js';

/** What may be done at a path and below it, until a deeper rule says otherwise. */
export interface AccessRule {
  path: string;
  access: Access;
  folder: boolean;
}

type Access = 'write' | 'read' | 'none';

export interface AccessPlan {
  /** From the root down: each one overrides those before it. None of them is without effect. */
  rules: AccessRule[];
  /** Writable folders above something that is not: moved away, they would take it along and leave its name free. */
  pinned: string[];
  /** Read-only in the policy, in a writable folder, and not there. */
  missing: string[];
  /** Read-only in the policy, in a writable folder, and a symlink: its target can be held, the link itself can't. */
  links: string[];
  notes: string[];
}

/** The part of a policy that is about files. */
export type AccessPolicy = Omit<SandboxPolicy, 'network' | 'temp'> & Partial<Pick<SandboxPolicy, 'temp'>>;

interface Circumstances {
  /** Folders that a command has for itself. */
  privatePlaces: readonly string[];
  /** Folders that stand for missing ones while commands run. */
  placeholders: { has(path: string): boolean };
}

/**
 * What a policy means on this disk at this moment, with all symlinks resolved. Where no rule applies, everything can be
 * read and nothing written, except in the private places, of which nothing is to be seen. Nothing here waits: these are
 * a hundred looks at names that the system has at hand, in less time than one look through the thread pool takes.
 */
export function planAccess(policy: AccessPolicy, { privatePlaces, placeholders }: Circumstances): AccessPlan {
  const notes: string[] = [];
  const rules = new Map<string, AccessRule>();
  const add = (path: string | undefined, access: Access): void => {
    const stats = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (path !== undefined && stats) rules.set(path, { path, access, folder: stats.isDirectory() });
  };
  const look = lookingOnce();
  const waysToReadOnly = policy.readOnly.map((path) => wayTo(path, placeholders, look));
  // The later one holds at the very same path.
  for (const path of policy.workspace) add(realOf(path), 'write');
  for (const { end } of waysToReadOnly) add(end, 'read');
  for (const path of policy.hidden) add(realOf(path), 'none');
  for (const path of policy.writable) {
    const place = placeToOpen(path, policy.home, notes);
    // A new file in a private place is made in the command's own: the one of the host must not be opened for it.
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
  /** What exists at the end; or, where a file is in the way (`.git` of a worktree, for `.git/hooks`), that file. */
  end?: string;
  /** The first name on the way that does not exist: `.git`, where there is no repository. */
  missing?: string;
  links: string[];
}

/** All the ways begin with the same few folders. */
function lookingOnce(): (path: string) => Stats | undefined {
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

/** What another Helve puts there while a command runs in the same project. Nothing may be added to it, or it could not be removed. */
function isEmptyRepository(path: string): boolean {
  return basename(path) === '.git' && readdirSync(path).length === 0;
}

/** What is approved and missing is made by writing to its folder. The home folder and those above it are too much to open for that. */
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

/** Undefined for what is not there, also where a symlink leads nowhere or in a circle. */
export function realOf(path: string): string | undefined {
  try {
    // Most of what is asked for is not there, and a look that says so is cheaper than an error that does.
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
