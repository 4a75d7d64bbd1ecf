import { cwd } from 'node:process';
import { dataFolderOf, folderNames, isInside } from '../platform/files/paths.js';
import type { RunFlags } from './run-flags.js';
import { UsageProblem } from './usage-problem.js';
import type { WantedWorktree } from './worktree/session-worktree.js';

/** The worktree that a run is for; undefined for most. Its code is loaded only if there may be one. */
export async function worktreeOf({
  worktree,
  worktreeEnd,
  resume,
}: Pick<RunFlags, 'worktree' | 'worktreeEnd' | 'resume'>): Promise<WantedWorktree | undefined> {
  const here = folderNames(cwd());
  const isInOurs = folderNames(dataFolderOf()).some((folder) => here.some((name) => isInside(folder, name)));
  if (worktree === undefined && worktreeEnd === undefined && resume === undefined && !isInOurs) return undefined;
  const { wantedWorktree } = await import('./worktree/session-worktree.js');
  const wanted = await wantedWorktree({ worktree, resume }, process.env);
  if (!wanted && worktreeEnd !== undefined) {
    throw new UsageProblem('--worktree-end is for a session in a worktree. Add --worktree, or leave it out.');
  }
  return wanted;
}
