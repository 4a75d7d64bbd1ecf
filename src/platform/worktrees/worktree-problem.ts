/** Why a worktree can't be made, opened, merged or removed, and what to do. */
export class WorktreeProblem extends Error {
  override readonly name = 'WorktreeProblem';
}
