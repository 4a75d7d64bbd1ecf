export const help = `helve worktree: the git worktrees that sessions and child agents work in

  helve worktree [list]         all of this machine, with state, changes and size
  helve worktree merge WORKTREE     commit its changes on its branch, and merge that into the branch of the project
  helve worktree remove WORKTREE    remove it with its branch, if all of it is merged or nothing changed
  helve worktree clean          remove all that are unchanged or merged, and complete what a killed process left

Options
  --json                        of list: as JSON
  --force, -f                   of remove: also with changes that are nowhere else; they are lost

To start a session in one: helve --worktree [NAME]. A merge that would conflict changes nothing.
Exit status: 0 success; 1 not merged; 2 wrong usage, or a worktree with changes that was not removed`;
