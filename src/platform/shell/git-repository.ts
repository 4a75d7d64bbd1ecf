// Queries git about the repository around a folder: its location, configuration and submodules. Git itself is asked,
// so that includes, worktrees and every special case are read as git reads them. Answers are cached until one of the
// files that they depend on changes.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { askGit } from './ask-git.js';
import { stampsOf } from './file-stamps.js';
import { isProtected, protectiveVariables } from './git-environment.js';

// A file that changed this recently may change again within one tick of the file system's clock.
const SETTLED_MS = 2_000;
const MAX_KEPT = 100; // repositories
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** One value of git's configuration. */
export interface GitSetting {
  /** `system`, `global`, `local`, `worktree` or `command`. */
  scope: string;
  /** The file that contains it, absolute; absent if it comes from the environment. */
  file?: string;
  /** Section and name in lower case; the subsection as written. */
  key: string;
  value: string;
}

export interface GitRepository {
  /** The folder that holds `.git`. */
  root: string;
  gitFolder: string;
  /** Shared by all worktrees. */
  commonFolder: string;
  workTree: string;
  settings: readonly GitSetting[];
}

export type RepositoryLookup =
  | { kind: 'none' }
  | { kind: 'failed'; why: string }
  | { kind: 'repository'; repository: GitRepository };

export interface GitRepositories {
  /** The repository that git would use in a folder. */
  lookUp(folder: string): Promise<RepositoryLookup>;
  /** Paths, relative to the working tree, at which the index has another repository; undefined if git can't tell. */
  submodules(repository: GitRepository): Promise<readonly string[] | undefined>;
  /** The effective settings in a folder, whether in a repository or not. */
  settings(folder: string): Promise<readonly GitSetting[]>;
}

interface Kept<Value> {
  paths: readonly string[];
  stamps: string;
  value: Value;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function createGitRepositories(env: Environment, { settledMs = SETTLED_MS } = {}): GitRepositories {
  const { GIT_CONFIG_NOSYSTEM: _, ...inherited } = env;
  const asking: NodeJS.ProcessEnv = { ...inherited, ...protectiveVariables(env), LC_ALL: 'C', LANGUAGE: '' };
  const repositories = new Map<string, Kept<RepositoryLookup>>();
  const indexes = new Map<string, Kept<readonly string[]>>();
  const outside = new Map<string, Kept<readonly GitSetting[]>>();
  const redirected = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE'].some((name) => env[name]);

  /** Computes a value unless a cached one is still valid. `find` also names the files that the value depends on. */
  async function kept<Value>(
    store: Map<string, Kept<Value>>,
    key: string,
    find: () => Promise<{ value: Value; paths?: readonly string[] }>,
  ): Promise<Value> {
    const before = store.get(key);
    if (before && stampsOf(before.paths).text === before.stamps) return before.value;
    store.delete(key);
    const startedMs = Date.now();
    const { value, paths } = await find();
    if (paths === undefined || redirected) return value;
    const stamps = stampsOf(paths);
    if (stamps.changedMs + settledMs > startedMs) return value; // may have changed while git read it
    if (store.size >= MAX_KEPT) store.delete(store.keys().next().value ?? '');
    store.set(key, { paths, stamps: stamps.text, value });
    return value;
  }

  async function ask(
    folder: string,
    root: string | undefined,
  ): Promise<{ value: RepositoryLookup; paths?: readonly string[] }> {
    const [places, listed] = await Promise.all([
      askGit(
        folder,
        ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir', '--show-toplevel'],
        asking,
      ),
      askGit(folder, LIST, asking),
    ]);
    if (!places.ok) {
      const isNone = /^fatal: not a git repository/.test(places.why);
      return { value: isNone ? { kind: 'none' } : { kind: 'failed', why: places.why } };
    }
    if (!listed.ok) return { value: { kind: 'failed', why: listed.why } };
    const [gitFolder = '', commonFolder = '', workTree = ''] = places.output.split('\n');
    const settings = settingsOf(listed.output, workTree);
    if (!isProtected(settings))
      return { value: { kind: 'failed', why: 'this git is too old to be kept from programs' } };
    const repository = { root: root ?? workTree, gitFolder, commonFolder, workTree, settings };
    return { value: { kind: 'repository', repository }, paths: filesOf(repository, env) };
  }

  return {
    async lookUp(folder) {
      const real = nearestReal(folder);
      const { root, isUnclear } = discover(real);
      if (root === undefined && !isUnclear && !redirected) return { kind: 'none' };
      const key = isUnclear || redirected || root === undefined ? undefined : root;
      if (key === undefined) return (await ask(real, root)).value;
      return await kept(repositories, key, () => ask(key, root));
    },

    async submodules({ gitFolder, workTree }) {
      const index = join(gitFolder, 'index');
      try {
        return await kept(indexes, index, async () => {
          if (!redirected && !mayHoldLinks(index)) return { value: [], paths: [index] };
          const listed = await askGit(workTree, ['ls-files', '-s', '-z', '--full-name'], asking);
          if (!listed.ok) throw new Error(listed.why);
          const links = listed.output.split('\0').filter((line) => line.startsWith('160000 '));
          return { value: links.map((line) => line.slice(line.indexOf('\t') + 1)), paths: [index] };
        });
      } catch {
        return undefined;
      }
    },

    async settings(folder) {
      const around = await this.lookUp(folder);
      if (around.kind === 'repository') return around.repository.settings;
      if (around.kind === 'failed') return [];
      return await kept(outside, '', async () => {
        const listed = await askGit('/', LIST, asking);
        const value = listed.ok ? settingsOf(listed.output, '/') : [];
        return { value, ...(listed.ok && { paths: [...userFiles(env), ...value.flatMap(({ file }) => file ?? [])] }) };
      });
    },
  };
}

const LIST = ['config', '--list', '--show-origin', '--show-scope', '-z', '--includes'];

/** The real path of the folder, or of its nearest existing ancestor. */
function nearestReal(folder: string): string {
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      return realpathSync.native(path);
    } catch {
      if (dirname(path) === path) return path;
    }
  }
}

/** The nearest folder with a `.git`; unclear if a folder on the way may itself be inside a repository. */
function discover(start: string): { root?: string; isUnclear: boolean } {
  let isUnclear = false;
  for (let folder = start; ; folder = dirname(folder)) {
    if (exists(join(folder, '.git'))) return { root: folder, isUnclear };
    isUnclear ||= exists(join(folder, 'HEAD'));
    if (dirname(folder) === folder) return { isUnclear };
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true; // unreadable: git decides
  }
}

function settingsOf(listed: string, workTree: string): GitSetting[] {
  const fields = listed.split('\0');
  const settings: GitSetting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', pair = ''] = fields.slice(at, at + 3);
    const end = pair.indexOf('\n');
    const key = end < 0 ? pair : pair.slice(0, end);
    const value = end < 0 ? 'true' : pair.slice(end + 1); // a name alone means true
    const file = origin.startsWith('file:') ? resolve(workTree, origin.slice('file:'.length)) : undefined;
    settings.push({ scope, key, value, ...(file !== undefined && { file }) });
  }
  return settings;
}

/** Every file that the answer depends on, including missing ones. */
function filesOf({ root, gitFolder, commonFolder, workTree, settings }: GitRepository, env: Environment): string[] {
  const hooks = settings.findLast(({ key, scope }) => key === 'core.hookspath' && scope !== 'command')?.value;
  return [
    ...new Set([
      join(root, '.git'),
      // Git ignores a `.git` that lacks one of these, until it exists.
      ...['HEAD', 'objects', 'refs', 'config', 'commondir'].map((name) => join(root, '.git', name)),
      ...[gitFolder, commonFolder].flatMap((folder) => [folder, join(folder, 'HEAD'), join(folder, 'config')]),
      ...[gitFolder, commonFolder].map((folder) => join(folder, 'config.worktree')),
      join(gitFolder, 'commondir'),
      join(gitFolder, 'gitdir'),
      join(commonFolder, 'info', 'attributes'),
      join(workTree, '.gitattributes'),
      join(commonFolder, 'hooks', 'post-index-change'),
      ...(hooks === undefined ? [] : [join(resolve(workTree, hooks), 'post-index-change')]),
      ...userFiles(env),
      ...settings.flatMap(({ file }) => file ?? []),
      ...settings.flatMap((setting) => includedBy(setting, env)),
    ]),
  ];
}

function includedBy({ key, value, file }: GitSetting, { HOME: home = '/' }: Environment): string[] {
  if (!/^include(if\..*)?\.path$/s.test(key) || file === undefined) return [];
  const path = value.startsWith('~/') ? join(home, value.slice(2)) : value;
  return [isAbsolute(path) ? path : resolve(dirname(file), path)];
}

function userFiles({ HOME: home, XDG_CONFIG_HOME: config, ...env }: Environment): string[] {
  const { GIT_CONFIG_GLOBAL: user, GIT_CONFIG_SYSTEM: system } = env;
  const folder = config || (home && join(home, '.config'));
  return [
    system || '/etc/gitconfig',
    ...(user ? [user] : []),
    ...(home ? [join(home, '.gitconfig')] : []),
    ...(folder ? [join(folder, 'git', 'config')] : []),
  ];
}

/**
 * Whether the index may name other repositories: it contains their mode, or it is a split index. A false positive
 * only costs a query of git.
 */
function mayHoldLinks(index: string): boolean {
  const found = lstatSync(index, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile() || found.size > MAX_INDEX_BYTES) return true;
  const bytes = readFileSync(index);
  return bytes.includes(GITLINK_MODE) || bytes.includes('link\0') || bytes.includes('sdir\0');
}

const GITLINK_MODE = Buffer.from([0, 0, 0xe0, 0]);
