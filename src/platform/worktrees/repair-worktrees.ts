// Finishes what a killed process has left of its work on worktrees. Nothing that a session may have written is removed:
// a worktree without a session yet is cleared away, a removal that was agreed is completed, everything else is kept.
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { realPathSync } from '../files/paths.js';
import { withLock } from '../files/private-file.js';
import { messageOf } from '../message-of.js';
import { clause } from '../text/clause.js';
import type { WorktreeHooks } from './hooked-worktree.js';
import { type GitVariables, OwnGit } from './own-git.js';
import { settleMerge, type Unsettled } from './settle-merge.js';
import { changesIn } from './worktree-changes.js';
import {
  dropRecord,
  exclusively,
  findRecords,
  hasWorktrees,
  isUsed,
  lockPath,
  readRecord,
  recordPath,
  saveRecord,
  type WorktreeRecord,
} from './worktree-record.js';

/** Repairs all worktrees whose process has ended in the middle. Returns sentences for the person. */
export async function repairWorktrees(dataFolder: string, env: GitVariables): Promise<string[]> {
  if (!hasWorktrees(dataFolder)) return [];
  const { records } = findRecords(realPathSync(dataFolder));
  const told: string[] = [];
  for (const record of records.filter(({ state }) => state !== 'ready')) {
    if (!(await isUsed(record))) told.push(...(await repairWorktree(record, new OwnGit(env))));
  }
  return told;
}

/** For one that no process uses. */
export async function repairWorktree(found: WorktreeRecord, git: OwnGit): Promise<string[]> {
  if (found.state === 'ready') return [];
  return await withLock(lockPath(found), async () => {
    const record = readRecord(recordPath(found));
    if (!record || (await isUsed(record))) return []; // another process was faster
    const { name, branch, top } = record;
    const { owner: _, ...left } = record;
    switch (record.state) {
      case 'creating': {
        if (record.slot !== undefined && record.slot === record.folder) {
          await dropRecord(record);
          return [
            `A WorktreeCreate hook was making the worktree ${name} when its session was killed. What the hook has left, if anything, is not known to Helve.`,
          ];
        }
        const tip = await git.ask(top, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
        if (tip !== undefined && tip !== record.base) {
          await saveRecord({ ...left, state: 'ready' });
          return [`The worktree ${name} was not finished when its session was killed, but has commits, so it is kept.`];
        }
        await discard(record, git);
        return [`A worktree that was being made when its session was killed (${name}) was cleared away.`];
      }
      case 'removing':
        await discard(record, git);
        return [`The removal of the worktree ${name}, which was cut off, was completed.`];
      case 'merging': {
        const unsettled = await exclusively(record, () => finishMerge(record, git)).catch(
          (error: unknown): Unsettled => ({ why: messageOf(error), isPassing: true }),
        );
        if (unsettled) {
          const { why, isPassing } = unsettled;
          await saveRecord(isPassing ? left : { ...left, state: 'ready' });
          const next = isPassing ? 'The next start tries again' : `Then merge it again: helve worktree merge ${name}`;
          return [
            `The merge of ${branch} was cut off, and could not be completed: ${clause(why)}. Look at "git -C ${top} status". ${next}. All of it is in commits.`,
          ];
        }
        const { merging: _, ...merged } = left;
        const ready: WorktreeRecord = { ...merged, state: 'ready' };
        await saveRecord(ready);
        const { tip, uncommitted, holds, isGone } = await changesIn(git, ready);
        const told = `The merge of ${branch} into ${top}, which was cut off, was completed.`;
        const isAll = tip !== undefined && (await contains(git, top, tip));
        if (isGone || uncommitted.length > 0 || holds.length > 0 || !isAll) {
          return [`${told} The worktree has more than that and stays: ${record.folder}`];
        }
        await discard({ ...ready, state: 'removing', removes: tip }, git);
        return [`${told} The worktree ${name} was removed.`];
      }
      case 'ready':
        return [];
    }
  });
}

const contains = async (git: OwnGit, top: string, commit: string): Promise<boolean> =>
  (await git.run(top, ['merge-base', '--is-ancestor', commit, 'HEAD'])).code === 0;

/** Undefined if the merge is complete. */
async function finishMerge(record: WorktreeRecord, git: OwnGit): Promise<Unsettled | undefined> {
  const { top, merging } = record;
  if (!existsSync(top)) return { why: `${top} is not there any more`, isPassing: false };
  const isMerged = merging && (await contains(git, top, merging.to));
  return isMerged ? undefined : await settleMerge(record, git, 'to');
}

/**
 * Removes the worktree, its branch if it still is at the commit that may go, and its record last. Safe to repeat after it
 * was cut off anywhere.
 */
export async function discard(record: WorktreeRecord, git: OwnGit, hooks?: WorktreeHooks): Promise<void> {
  if (record.slot !== undefined && existsSync(record.folder)) await hooks?.remove(record.folder);
  await exclusively(record, () => discardNow(record, git));
}

async function discardNow(record: WorktreeRecord, git: OwnGit): Promise<void> {
  const { top, folder, branch, commonFolder, base, state } = record;
  if (existsSync(folder)) {
    // Fails with submodules in it, or if a part is gone already.
    await git.run(top, ['worktree', 'remove', '--force', folder]);
    // The folder that a hook has named is removed by git alone, which checks that it is a worktree.
    if (record.slot === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    else if (existsSync(join(folder, '.git'))) throw new Error(`git did not remove the worktree ${folder}`);
  }
  await forgetWorktree(commonFolder, folder);
  const expected = state === 'creating' ? base : record.removes;
  if (expected !== undefined && existsSync(commonFolder)) {
    const exists = await git.run(commonFolder, [
      '--git-dir',
      commonFolder,
      'show-ref',
      '--verify',
      '--quiet',
      `refs/heads/${branch}`,
    ]);
    // With the old value: a commit that was added meanwhile keeps the branch.
    if (exists.code === 0) {
      await git.run(commonFolder, ['--git-dir', commonFolder, 'update-ref', '-d', `refs/heads/${branch}`, expected]);
    }
  }
  await dropRecord(record);
}

/** Removes git's own entry of this worktree. `git worktree prune` would also remove those of others. */
async function forgetWorktree(commonFolder: string, folder: string): Promise<void> {
  const entries = join(commonFolder, 'worktrees');
  for (const name of await readdir(entries).catch(() => [])) {
    const text = await readFile(join(entries, name, 'gitdir'), 'utf8').catch(() => '');
    if (text.trim() === '' || dirname(resolve(join(entries, name), text.trim())) !== folder) continue;
    await rm(join(entries, name), { recursive: true, force: true });
  }
}
