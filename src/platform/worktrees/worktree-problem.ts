import { UserFacingError } from '../../contract/user-facing-error.js';

/** Why a worktree can't be made, opened, merged or removed, and what to do. */
export class WorktreeProblem extends UserFacingError {
  override readonly name = 'WorktreeProblem';
}
