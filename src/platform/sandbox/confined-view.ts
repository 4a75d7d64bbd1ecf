// Confines a command with bubblewrap to a view of the disk that starts empty: a path that no rule shows is absent.
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { entriesIn } from '../files/lenient-reads.js';
import { mountOf } from './bubblewrap.js';
import { type AccessPlan, type AccessPolicy, type AccessRule, contains, planAccess, realOf } from './plan-access.js';
import { gitSettings, systemFolders } from './system-folders.js';
import { type NewEntryWatch, watchNewEntries } from './watch-new-entries.js';

const SCRATCH_BYTES = 256 * 1024 * 1024; // enough to sort a large file; it is memory
const MAX_PINNED = 300; // entries of a folder; each is a mount of its own and costs about 0.1 ms

const NO_PLACEHOLDERS = { has: () => false };

/**
 * The paths that a confined command sees beside the system folders. For overlapping entries, the deeper one wins. All
 * paths are absolute.
 */
export interface ConfinedView {
  /** The project and the folders added to it, under all their names. */
  workspace: readonly string[];
  /** Other readable files and folders. */
  readable: readonly string[];
  /** Writable files and folders, including their contents. */
  writable: readonly string[];
  /** Folders in which the command may create entries. Existing entries stay read-only. */
  extendable: readonly string[];
  /** The entries that it is expected to create there; other new names are reported when it has ended. */
  expected: readonly string[];
  /**
   * Read-only paths inside writable ones. One that is missing before the command and exists after it is moved aside.
   */
  readOnly: readonly string[];
  /** Unreadable paths. */
  hidden: readonly string[];
  /** Unreadable paths, regardless of what the view says about them or about paths below them. */
  unreadable: readonly string[];
  /** Folders that are replaced by an empty private folder, except for the paths named above. */
  home: string;
  /** The working directory. If the view does not show it, an empty folder is put there. */
  directory?: string;
  /** The command sees the host's processes and their names, but can neither signal nor inspect them. */
  seesProcesses?: boolean;
}

export interface ConfinedMounts {
  /** Arguments for bwrap. */
  mounts: string[];
  /** Entries that the command could create but should not have; checked when it has ended. */
  watch: NewEntryWatch;
}

export interface MountOptions {
  path: string | undefined;
  /** Whether this version of bwrap can limit the size of a tmpfs. */
  limitsSize: boolean;
  kernelSettings: readonly string[];
}

export const confinedNamespaces = ({ seesProcesses }: ConfinedView): string[] => [
  '--unshare-user',
  ...(seesProcesses ? [] : ['--unshare-pid']),
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-net',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--new-session',
  ...['--cap-drop', 'ALL'],
];

/** Computed from the current state of the disk. */
export function confinedMounts(view: ConfinedView, { path, limitsSize, kernelSettings }: MountOptions): ConfinedMounts {
  const home = realOf(view.home) ?? view.home;
  const { shown, links, hidden } = systemFolders({ path, home });
  const plan = planAccess(policyOf(view, { home, shown, hidden }), {
    privatePlaces: [sep], // nothing is shown unless a rule shows it
    placeholders: NO_PLACEHOLDERS,
  });
  const isShown = (place: string): boolean => accessIn(plan, place) !== undefined;
  const scratch = ['/tmp', '/var/tmp', home].filter((place) => !isShown(place) && place !== sep);
  const size = limitsSize ? ['--size', String(SCRATCH_BYTES)] : [];
  const steps: Step[] = [
    ...links
      .filter((link) => !isShown(link.path))
      .map((link) => step(link.path, ['--symlink', link.target, link.path])),
    ...scratch.map((place) => step(place, [...size, '--perms', place === home ? '0700' : '1777', '--tmpfs', place])),
    ...plan.rules.map((rule) => step(rule.path, mountOf(rule))),
    ...plan.pinned.map((place) => step(place, ['--bind', place, place])),
    ...otherNames(view, isShown),
    ...gitSettings(view.home).flatMap((file) => settingsFile(file, isShown)),
  ];
  const { directory } = view;
  if (directory !== undefined && !isShown(realOf(directory) ?? directory))
    steps.push(step(directory, ['--dir', directory]));
  const emptied = plan.rules
    .filter(({ access, folder }) => access === 'none' && folder)
    .map(({ path: place }) => place);
  return {
    mounts: [
      ...['--dev', '/dev'],
      ...(view.seesProcesses ? ['--ro-bind', '/proc', '/proc'] : ['--proc', '/proc']),
      ...(view.seesProcesses ? [] : kernelSettings.flatMap((place) => ['--ro-bind', place, place])),
      ...steps.toSorted((one, other) => one.depth - other.depth).flatMap(({ args }) => args),
      ...[...emptied, '/dev', sep].flatMap((place) => ['--remount-ro', place]),
    ],
    watch: watchNewEntries(view, plan),
  };
}

interface Step {
  depth: number;
  args: string[];
}

const step = (path: string, args: string[]): Step => ({ depth: path.split(sep).filter(Boolean).length, args });

function policyOf(
  view: ConfinedView,
  { home, shown, hidden }: { home: string; shown: readonly string[]; hidden: readonly string[] },
): AccessPolicy {
  const extended = view.extendable.flatMap((path) => realOf(path) ?? []);
  const workspace = view.workspace.flatMap((path) => realOf(path) ?? []);
  // A protected name may be a symlink out of the view; binding it must not bring its target in.
  const isInView = (path: string): boolean => {
    const real = realOf(path);
    return real === undefined || workspace.some((folder) => contains(folder, real));
  };
  return {
    workspace: [],
    writable: [...extended, ...view.writable.flatMap((path) => realOf(path) ?? [])],
    hidden: [...hidden, ...view.hidden],
    unreadable: view.unreadable,
    readOnly: [
      ...shown,
      ...view.workspace,
      ...view.readable,
      ...extended.flatMap((folder) => pinnedIn(folder, view)),
      ...view.readOnly.filter(isInView),
    ],
    home,
  };
}

/** The existing entries of such a folder, except for those that are writable themselves. */
function pinnedIn(folder: string, { writable, extendable }: ConfinedView): string[] {
  const entries = entriesIn(folder);
  if (entries.length > MAX_PINNED) return [];
  return entries
    .filter((entry) => !entry.isSymbolicLink()) // the target of a symlink may lie outside the view
    .map(({ name }) => join(folder, name))
    .filter((path) => !writable.includes(path) && !extendable.includes(path));
}

/** The access that the plan gives to a path; undefined if the path is not shown. */
function accessIn({ rules }: AccessPlan, path: string): AccessRule['access'] | undefined {
  const [nearest] = rules
    .filter((rule) => contains(rule.path, path))
    .toSorted((one, other) => other.path.length - one.path.length);
  return nearest && nearest.access !== 'none' ? nearest.access : undefined;
}

/** Other names of shown paths: symlinks to them that lie outside the shown paths. */
function otherNames({ workspace, readable, writable }: ConfinedView, isShown: (place: string) => boolean): Step[] {
  return [...new Set([...workspace, ...readable, ...writable])].flatMap((path) => {
    const real = realOf(path);
    if (real === undefined || real === path || isShown(path)) return [];
    const parent = realOf(dirname(path));
    // A link further up covers this one, or it lies inside a shown path.
    if (parent !== undefined && isShown(parent)) return [];
    return [step(path, ['--symlink', real, path])];
  });
}

function settingsFile(path: string, isShown: (place: string) => boolean): Step[] {
  const real = realOf(path);
  if (real === undefined || isShown(path) || !lstatSync(real).isFile() || !existsSync(real)) return [];
  return [step(path, ['--ro-bind', real, path])];
}
