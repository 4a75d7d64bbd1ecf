import { type Dirent, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { entriesIn, namesIn } from '../files/lenient-reads.js';
import { realOf } from './plan-access.js';

const MAX_FOLDERS = 20_000; // a repeated scan of this many takes about 50 ms
const MAX_INNER = 500; // submodules and work trees of one repository
const FOLDERS_IN_A_ROW = 500; // then other work of the process gets a turn
const COARSE_MS = 2_100; // for file systems with a timestamp granularity of one or two seconds
const SETTLED_MS = 50; // a folder that changed within one clock tick may change again without a new timestamp
const MAX_LINK_BYTES = 8_192;
const MAX_UNDECODABLE = 2_000; // folders below one whose name is not UTF-8

/** A repository whose configuration and hooks git would use in or below a folder. */
export interface Repository {
  /** The folder with HEAD, config and hooks. */
  gitFolder: string;
  /** The `.git` file or symlink that points there, unless it is a `.git` folder. */
  link?: string;
  /** For a linked work tree: the repository whose configuration it must share. */
  commonFolder?: string;
  /** A folder with a repository whose name is not UTF-8, so that neither a sandbox option nor a message can name it. */
  undecodable?: Buffer;
}

export interface FoundRepositories {
  repositories: Repository[];
  /** The parts that were not searched, as sentences. */
  notes: string[];
}

/**
 * Finds the repositories below folders, incrementally: a folder is read again only when it has changed. Repositories
 * are `.git` folders, files and symlinks, bare repositories under any name, and the submodules and work trees inside
 * each.
 */
export function createRepositoryFinder({
  maxFolders = MAX_FOLDERS,
} = {}): (folders: readonly string[]) => Promise<FoundRepositories> {
  let known = new Map<string, KnownFolder>();
  return async (folders) => {
    const seen = new Map<string, KnownFolder>();
    const found = new Map<string, Repository>();
    const notes: string[] = [];
    const add = (one: Repository): void => {
      if (found.has(keyOf(one))) return;
      found.set(keyOf(one), one);
      for (const inner of innerRepositories(one.gitFolder)) add(inner);
    };
    for (const root of folders.flatMap((folder) => realOf(folder) ?? [])) {
      const queue = [root];
      // The list grows while it is iterated; the loop reaches the new items.
      for (const [index, folder] of queue.entries()) {
        if (index >= maxFolders) {
          notes.push(
            `${root} has more than ${maxFolders} folders, and those beyond ${folder} were not searched for git repositories: a command in the sandbox can change the configuration and hooks of repositories there.`,
          );
          break;
        }
        if (index % FOLDERS_IN_A_ROW === FOLDERS_IN_A_ROW - 1) await turn();
        if (seen.has(folder)) continue;
        const entry = readFolderEntries(folder, known);
        if (!entry) continue;
        seen.set(folder, entry);
        if (entry.isRepository) add({ gitFolder: folder });
        else queue.push(...entry.folders);
        if (entry.git !== undefined) for (const one of repositoryAt(entry.git)) add(one);
        for (const one of entry.undecodable) add({ gitFolder: one.toString('latin1'), undecodable: one });
      }
    }
    known = seen;
    return { repositories: [...found.values()], notes };
  };
}

export const keyOf = ({ gitFolder, link }: Repository): string => link ?? gitFolder;

interface KnownFolder {
  changed: number;
  isSettled: boolean;
  /**
   * Subfolders to search. Symlinks to folders are not followed, because their targets are found under their own names.
   */
  folders: string[];
  /** Its `.git`, of any kind. */
  git: string | undefined;
  /** The folder is a repository itself: a bare one, or the target of a `.git` file. */
  isRepository: boolean;
  undecodable: Buffer[];
}

/** Undefined for an unreadable folder. */
function readFolderEntries(folder: string, known: ReadonlyMap<string, KnownFolder>): KnownFolder | undefined {
  try {
    const before = known.get(folder);
    const changed = statSync(folder).ctimeMs;
    if (before?.isSettled && before.changed === changed) return before;
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name));
    const git = entries.find(({ name }) => name.toLowerCase() === '.git'); // some file systems ignore case
    const undecodable = entries.some(({ name }) => name.includes('\ufffd')) ? undecodableFolders(folder) : [];
    const isOld = Math.abs(Date.now() - changed) > (changed % 1_000 === 0 ? COARSE_MS : SETTLED_MS);
    return {
      changed,
      isSettled: isOld && !entries.some(({ name }) => name.includes('\ufffd')),
      undecodable,
      folders: entries.filter((entry) => entry !== git && entry.isDirectory()).map(({ name }) => join(folder, name)),
      git: git && join(folder, git.name),
      isRepository: isRepository(names),
    };
  } catch {
    return undefined;
  }
}

/** The same criteria as git's. */
const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));

/** Subfolders whose names are not UTF-8, if a repository is in them. */
function undecodableFolders(folder: string): Buffer[] {
  return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
    .filter((entry) => entry.isDirectory() && entry.name.toString('utf8').includes('\ufffd'))
    .map(({ name }) => Buffer.concat([Buffer.from(`${folder}/`), name]))
    .filter(holdsRepository);
}

function holdsRepository(start: Buffer): boolean {
  const queue = [start];
  for (const [index, folder] of queue.entries()) {
    if (index >= MAX_UNDECODABLE) return true; // unknown, so assume that it is one
    let entries: Dirent<Buffer>[];
    try {
      entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
    } catch {
      continue;
    }
    const names = new Set(entries.map(({ name }) => name.toString('latin1').toLowerCase()));
    if (names.has('.git') || names.has('head')) return true;
    for (const { name } of entries.filter((entry) => entry.isDirectory()))
      queue.push(Buffer.concat([folder, Buffer.from('/'), name]));
  }
  return false;
}

function repositoryAt(git: string): Repository[] {
  const stats = statSync(git, { throwIfNoEntry: false });
  const target = linkTarget(git);
  if (target !== undefined) return [{ gitFolder: realOf(target) ?? target, link: git }];
  return stats?.isDirectory() ? [{ gitFolder: git }] : [];
}

/** The target of a `.git` file or symlink. */
function linkTarget(git: string): string | undefined {
  try {
    return resolve(dirname(git), readlinkSync(git));
  } catch {
    const text = textOf(git);
    if (text === undefined) return undefined; // a folder
    const [, target = ''] = /^gitdir:\s*(.*?)[\r\n]*$/s.exec(text.slice(0, MAX_LINK_BYTES)) ?? [];
    return resolve(dirname(git), target);
  }
}

/** The repositories of submodules and linked work trees, which lie inside the project's repository. */
function innerRepositories(gitFolder: string): Repository[] {
  const found: Repository[] = subfolders(join(gitFolder, 'worktrees')).map((folder) => ({
    gitFolder: folder,
    commonFolder: gitFolder,
  }));
  const queue = subfolders(join(gitFolder, 'modules'));
  // The name of a submodule may contain slashes.
  for (const [index, folder] of queue.entries()) {
    if (index >= MAX_INNER) break;
    const names = new Set(namesIn(folder));
    const isRepository = ['HEAD', 'config', 'hooks', 'commondir'].some((name) => names.has(name));
    if (isRepository) found.push({ gitFolder: folder });
    else queue.push(...subfolders(folder));
  }
  return found;
}

function subfolders(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

export const isDotGit = (path: string): boolean => basename(path).toLowerCase() === '.git';
