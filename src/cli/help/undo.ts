export const help = `helve undo: undo what calls of a session did to files

  helve undo                  asks: everything since your last prompt, or the last call; without a terminal the last call
  helve undo --calls N        the last N calls
  helve undo --turn           everything since your last prompt
  helve undo --prompts N      everything since the Nth last prompt
  helve undo --list           the calls that changed files, with their prompts, to choose from
  helve undo --sessions       the sessions that changed files here, including helve call, to choose from
  helve undo --call ID        one call, anywhere in the list; or an undo, to redo it

Options
  --session ID                in this session, not in the last one that changed files here; the beginning of an id is enough
  --yes                       do not ask; without a terminal, this or --dry-run is required
  --dry-run                   only show what would be done
  --force                     replace later changes, undo the rest if not everything can be undone, undo what may be
                              another session's work, and what a still running command has done so far
  --json                      the list, or the plan and the result, as one object

Exit status: 0 done, or shown; 1 refused, nothing to undo, or you answered no; 2 wrong usage`;
