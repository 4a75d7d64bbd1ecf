/** The git worktree that a session or a child agent works in. Paths have symlinks resolved. */
export interface SessionWorktree {
  readonly name: string;
  /** Its own branch. */
  readonly branch: string;
  /** The folder that it was made for, whose settings, rules and notes hold. */
  readonly project: string;
  /** The folder in it that corresponds to the project: the root of the session. */
  readonly root: string;
  /** The top of the worktree. */
  readonly folder: string;
  /** The working tree that it was made from; it may be a worktree itself. */
  readonly top: string;
  /** The parts of the repository that git writes for a commit in the worktree. */
  readonly gitWrites: readonly string[];
  /** The parts in them that decide what git runs and where, and must stay as they are. */
  readonly gitKeeps: readonly string[];
}

/** How a worktree with changes ends. `keep`: its branch stays. `merge`: into the branch of the project, if git can without a conflict. */
export type WorktreeEnd = (typeof worktreeEnds)[number];

export const worktreeEnds = ['keep', 'merge'] as const;

/** What became of a worktree. */
export interface WorktreeOutcome {
  /** `removed`: nothing in it was new, so it is gone with its branch. */
  readonly outcome: 'removed' | 'kept' | 'merged';
  /** Paths that differ from the commit that it started from. */
  readonly files: readonly string[];
  /** Why it was not merged, though that was asked for. */
  readonly whyNotMerged?: string | undefined;
  /** What it holds that is not in a commit, and why. */
  readonly holds: readonly string[];
}
