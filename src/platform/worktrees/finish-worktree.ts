// The end of a worktree: removed if nothing in it is new; otherwise its changes are committed on its own branch, and the
// branch is merged into the project or kept.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorktreeEnd, WorktreeOutcome } from '../../contract/worktree.js';
import { messageOf } from '../message-of.js';
import type { WorktreeHooks } from './hooked-worktree.js';
import type { OwnGit } from './own-git.js';
import { discard } from './repair-worktrees.js';
import { inTheWay, settleMerge } from './settle-merge.js';
import { changesIn, type WorktreeChanges } from './worktree-changes.js';
import { WorktreeProblem } from './worktree-problem.js';
import { exclusively, readRecord, recordPath, saveRecord, type WorktreeRecord } from './worktree-record.js';

interface FinishOptions {
  end: WorktreeEnd;
  /** Of the commit with changes that the session has not committed itself. */
  message: string;
  /** For a worktree that a hook has made. */
  hooks?: WorktreeHooks | undefined;
}

/** No process may work in it any more. */
export async function finishWorktree(
  record: WorktreeRecord,
  git: OwnGit,
  { end, message, hooks }: FinishOptions,
): Promise<WorktreeOutcome> {
  const first = await changesIn(git, record);
  if (!first.hasWork) {
    await removeWorktree(record, git, first, hooks);
    return { outcome: 'removed', files: [], holds: [] };
  }
  const committed = await commitAll(record, git, { changes: first, message });
  const changes = committed ? await changesIn(git, record) : first;
  const { files, holds } = changes;
  const merged = end === 'merge' ? await mergeWorktree(record, git, changes) : undefined;
  if (merged?.isMerged && holds.length === 0) {
    await removeWorktree(record, git, changes, hooks);
    return { outcome: 'merged', files, holds };
  }
  await release(record);
  const outcome = merged?.isMerged ? 'merged' : 'kept';
  return { outcome, files, holds, ...(merged?.why !== undefined && { whyNotMerged: merged.why }) };
}

/** It is kept, and no process uses it any more. A merge that could not be taken back is completed by the next start. */
export async function release(given: WorktreeRecord): Promise<void> {
  const now = readRecord(recordPath(given));
  const { owner: _, ...record } = now?.state === 'merging' ? now : given;
  await saveRecord(record);
}

/** Commits everything on the branch of the worktree. False if there was nothing to commit, or it can't be. */
async function commitAll(
  record: WorktreeRecord,
  git: OwnGit,
  { changes, message }: { changes: WorktreeChanges; message: string },
): Promise<boolean> {
  const { folder, branch } = record;
  const nested = changes.uncommitted.filter((path) => path.endsWith('/'));
  const isBusy = changes.holds.some((what) => what.endsWith(' is in progress') || what.startsWith('it is not on'));
  if (changes.isGone || isBusy || changes.uncommitted.length === nested.length) return false;
  if ((await git.ask(folder, ['symbolic-ref', '--quiet', 'HEAD'])) !== `refs/heads/${branch}`) return false;
  // Only paths that git sees: to exclude an ignored one makes `git add` fail.
  const left = [...nested, ...changes.leftOut];
  const paths = [':(top)', ...left.map((path) => `:(top,exclude,literal)${path}`)];
  // Without `--sparse`, git skips files outside of a sparse checkout, or fails.
  const isSparse = (await git.ask(folder, ['config', '--bool', 'core.sparseCheckout'])) === 'true';
  const options = ['--all', ...(isSparse ? ['--sparse'] : []), '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git.must(folder, ['add', ...options], {
    input: paths.join('\0'),
  });
  const staged = await git.run(folder, ['diff', '--cached', '--quiet']);
  if (staged.code === 0) return false;
  await git.must(folder, ['commit', '--quiet', '--no-verify', '--cleanup=verbatim', '--file=-'], {
    input: `${message}\n`,
    env: await identityFor(git, folder),
  });
  return true;
}

/** The user's name for commits; a name of its own if git knows none. */
async function identityFor(git: OwnGit, folder: string): Promise<Record<string, string>> {
  if ((await git.run(folder, ['var', 'GIT_COMMITTER_IDENT'])).code === 0) return {};
  const [name, email] = ['Helve', 'helve@localhost'];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/**
 * Merges the branch into the one that is checked out in the project. The merge is computed in the object store first, so
 * that a conflict changes nothing; then the project's branch moves forward in one step.
 */
export async function mergeWorktree(
  record: WorktreeRecord,
  git: OwnGit,
  { tip }: Pick<WorktreeChanges, 'tip'>,
): Promise<{ isMerged: boolean; why?: string }> {
  const { top, branch, folder, commonFolder } = record;
  if (tip === undefined) return { isMerged: false, why: `its branch ${branch} is not there any more` };
  if (tip === record.base) return { isMerged: false, why: `its branch ${branch} has no commit of its own` };
  return await exclusively(record, async () => {
    const why = await whyNotNow(git, top);
    if (why !== undefined) return { isMerged: false, why };
    const from = await git.must(top, ['rev-parse', 'HEAD']);
    const planned = await mergedCommit(git, { top, branch, from, tip, folder });
    if (planned.to === undefined) return { isMerged: false, why: planned.why };
    const { to } = planned;
    if (to === from) return { isMerged: true };
    const untracked = await inTheWay(top, git, { from, to });
    if (untracked.length > 0) return { isMerged: false, why: `files in no commit are in its way: ${named(untracked)}` };
    const merging: WorktreeRecord = { ...record, state: 'merging', merging: { from, to } };
    await saveRecord(merging);
    const { code, errors } = await git.run(top, ['merge', '--quiet', '--ff-only', '--no-stat', to]);
    if (code !== 0) {
      // As with a full disk: git has written a part of the files. If they can't be put back now, the next start does it.
      const left = await settleMerge(merging, git, 'from').then((found) => found?.why, messageOf);
      if (left !== undefined) throw new WorktreeProblem(halfMerged(merging, errors, left));
    }
    await saveRecord(record);
    if (code === 0) return { isMerged: true };
    const refused = /unable to write|write error|No space/i.test(errors)
      ? `git could not write the files, so the project is as before; is the disk full? (${firstLines(errors)})`
      : `git refused: ${firstLines(errors)}`;
    return { isMerged: false, why: refused };
  }).catch((error: unknown) => {
    if (existsSync(commonFolder)) throw error;
    return { isMerged: false, why: `the repository ${commonFolder} is not there any more` };
  });
}

const firstLines = (text: string): string => text.split('\n').slice(0, 4).join(' ');

const halfMerged = ({ name, top }: WorktreeRecord, errors: string, left: string): string =>
  `The merge into ${top} failed half-way (${firstLines(errors)}), and could not be taken back (${firstLines(left)}). Make room on the disk, or correct what is named; then helve worktree list completes the merge of ${name}. All of it is in commits.`;

async function whyNotNow(git: OwnGit, top: string): Promise<string | undefined> {
  const head = await git.ask(top, ['symbolic-ref', '--quiet', 'HEAD']);
  if (head === undefined) return `no branch is checked out in ${top}`;
  const status = await git.run(top, ['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames']);
  if (status.code !== 0) return `git can't tell the state of ${top}: ${status.errors}`;
  if (status.output !== '') return `${top} has changes that are not committed`;
  const gitFolder = await git.must(top, ['rev-parse', '--absolute-git-dir']);
  const busy = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'];
  if (busy.some((name) => existsSync(join(gitFolder, name)))) return `a merge or rebase is in progress in ${top}`;
  return undefined;
}

interface MergePlan {
  top: string;
  folder: string;
  branch: string;
  from: string;
  tip: string;
}

async function mergedCommit(
  git: OwnGit,
  { top, folder, branch, from, tip }: MergePlan,
): Promise<{ to: string } | { to: undefined; why: string }> {
  const contains = async (one: string, other: string): Promise<boolean> =>
    (await git.run(top, ['merge-base', '--is-ancestor', other, one])).code === 0;
  if (await contains(from, tip)) return { to: from };
  if (await contains(tip, from)) return { to: tip };
  const { code, output, errors } = await git.run(top, [
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    '--no-messages',
    from,
    tip,
  ]);
  const [tree = '', ...conflicts] = output.split('\0').filter((field) => field !== '');
  if (code === 1) return { to: undefined, why: `it conflicts with the project in ${named(conflicts)}` };
  if (code !== 0) return { to: undefined, why: `git could not merge it (version 2.38 or newer is needed): ${errors}` };
  const args = ['commit-tree', tree, '-p', from, '-p', tip, '-m', `Merge branch '${branch}'`];
  return { to: await git.must(top, args, { env: await identityFor(git, folder) }) };
}

function named(paths: readonly string[]): string {
  const some = [...new Set(paths)];
  return some.length <= 5 ? some.join(', ') : `${some.slice(0, 5).join(', ')} and ${some.length - 5} other files`;
}

/** Removes the worktree, and its branch at the commit that was looked at. */
export async function removeWorktree(
  record: WorktreeRecord,
  git: OwnGit,
  { tip }: Pick<WorktreeChanges, 'tip'>,
  hooks?: WorktreeHooks,
): Promise<void> {
  const leaving: WorktreeRecord = { ...record, state: 'removing', ...(tip !== undefined && { removes: tip }) };
  await saveRecord(leaving);
  await discard(leaving, git, hooks);
}
