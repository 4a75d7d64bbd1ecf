// What a worktree holds that is nowhere else. Whether one may be removed without a question depends on this alone, so
// everything that is not known to be elsewhere counts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfFile } from './copy-included.js';
import { fieldsOf, type OwnGit } from './own-git.js';
import type { WorktreeRecord } from './worktree-record.js';

export interface WorktreeChanges {
  /** The folder is not there, or is no working tree of the repository. */
  isGone: boolean;
  /** The commit of the branch; undefined if the branch is not there. */
  tip: string | undefined;
  /** Commits of the branch that the commit it started from does not have. */
  commits: number;
  /** Paths that differ from the commit that it started from, with uncommitted and untracked files. */
  files: string[];
  /** Paths with changes that are not committed. */
  uncommitted: string[];
  /**
   * Paths with changes that do not count and are not committed: they are as the set-up command has left them, or are copies
   * that are not ignored any more.
   */
  leftOut: string[];
  /** Why it can't be committed as a whole or removed without loss, beside the changes above. */
  holds: string[];
  /** Whether removing the worktree and its branch would lose something. */
  hasWork: boolean;
}

const MAX_PREPARED = 500; // files; each is read at the end

const IN_PROGRESS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
};

export async function changesIn(git: OwnGit, record: WorktreeRecord): Promise<WorktreeChanges> {
  const { folder, branch, base } = record;
  const top = existsSync(record.top) ? record.top : folder; // that of a child agent may have been removed before it
  const found: WorktreeChanges = {
    isGone: true,
    tip: await git.ask(top, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]),
    commits: 0,
    files: [],
    uncommitted: [],
    leftOut: [],
    holds: [],
    hasWork: false,
  };
  if (found.tip !== undefined && found.tip !== base) {
    found.commits = Number(await git.ask(top, ['rev-list', '--count', `${base}..${found.tip}`])) || 1;
    found.files = fieldsOf((await git.ask(top, ['diff', '--name-only', '-z', '--no-renames', base, found.tip])) ?? '');
  }
  const gitFolder = existsSync(folder) ? await git.ask(folder, ['rev-parse', '--absolute-git-dir']) : undefined;
  // With its `.git` file gone, git would answer for a repository around the data folder.
  if (gitFolder === undefined || !existsSync(join(folder, '.git'))) {
    found.hasWork = found.tip !== undefined && found.tip !== base;
    if (existsSync(folder)) found.holds.push('its .git file is missing or leads nowhere');
    found.hasWork ||= found.holds.length > 0;
    return found;
  }
  found.isGone = false;
  found.holds = await otherContent(git, record, gitFolder);
  const status = await git.run(folder, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);
  if (status.code !== 0) found.holds.push(`git can't tell its state (${status.errors})`);
  // Copied files are untracked if the ignore rules were changed.
  const passedOver = new Set([...record.copied.map(({ path }) => path), ...(await asPrepared(record))]);
  const differing = fieldsOf(status.output).map((line) => line.slice(3));
  found.leftOut = differing.filter((path) => passedOver.has(path));
  found.uncommitted = differing.filter((path) => !passedOver.has(path));
  for (const path of found.uncommitted.filter((one) => one.endsWith('/'))) {
    found.holds.push(`${path} is a repository of its own`);
  }
  const head = await git.ask(folder, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const onBranch = (await git.ask(folder, ['symbolic-ref', '--quiet', 'HEAD'])) === `refs/heads/${branch}`;
  if (!onBranch && head !== base) found.holds.push(`it is not on its branch ${branch}, but on commit ${head}`);
  found.files = [...new Set([...found.files, ...found.uncommitted])].toSorted();
  found.hasWork =
    found.commits > 0 || found.tip !== base || found.uncommitted.length > 0 || found.holds.length > 0 || head !== base;
  return found;
}

async function otherContent(git: OwnGit, record: WorktreeRecord, gitFolder: string): Promise<string[]> {
  const { folder, copied, ignored } = record;
  const holds = Object.entries(IN_PROGRESS)
    .filter(([name]) => existsSync(join(gitFolder, name)))
    .map(([, what]) => `${what} is in progress`);
  if (existsSync(join(gitFolder, 'modules'))) holds.push('its submodules have repositories of their own');
  for (const { path, hash } of copied) {
    const now = await hashOfFile(join(folder, path)).catch(() => undefined);
    if (now !== undefined && now !== hash) holds.push(`${path}, a copy of an ignored file, was changed`);
  }
  const known = new Set([...ignored, ...copied.map(({ path }) => path)]);
  const made = (await ignoredFiles(git, folder)).filter((path) => !known.has(path));
  if (made.length > 0) {
    const others = made.length > 3 ? ` and ${made.length - 3} others` : '';
    holds.push(`it has new ignored files: ${made.slice(0, 3).join(', ')}${others}`);
  }
  return holds;
}

async function asPrepared({ folder, prepared }: WorktreeRecord): Promise<string[]> {
  const same = await Promise.all(
    prepared.map(async ({ path, hash }) => (await hashOrNone(join(folder, path))) === hash),
  );
  return prepared.flatMap(({ path }, index) => (same[index] ? [path] : []));
}

const hashOrNone = async (path: string): Promise<string> => await hashOfFile(path).catch(() => '');

/** What the set-up command has changed. With very many files, all of them count as changes. */
export async function preparedFiles(git: OwnGit, folder: string): Promise<WorktreeRecord['prepared']> {
  const status = await git.ask(folder, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);
  const paths = fieldsOf(status ?? '').map((line) => line.slice(3));
  if (paths.length > MAX_PREPARED) return [];
  return await Promise.all(paths.map(async (path) => ({ path, hash: await hashOrNone(join(folder, path)) })));
}

/** Ignored files outside ignored folders. The folders hold what a build or an installation makes again. */
export async function ignoredFiles(git: OwnGit, folder: string): Promise<string[]> {
  const { output } = await git.run(folder, [
    'status',
    '--porcelain',
    '-z',
    '--ignored',
    '--untracked-files=normal',
    '--no-renames',
  ]);
  return fieldsOf(output)
    .filter((line) => line.startsWith('!! ') && !line.endsWith('/'))
    .map((line) => line.slice(3));
}
