export const help = `helve undo: take back what calls of a session did to files

  helve undo                  the last call
  helve undo --calls N        the last N calls
  helve undo --turn           all since you last said something
  helve undo --prompts N      all since the Nth last prompt
  helve undo --list           the calls that changed files, with their prompts, to choose from
  helve undo --sessions       the sessions that changed files here, those of helve call too, to choose from
  helve undo --call ID        one of them, wherever it stands in the list; also an undo, which takes it back

Options
  --session ID                in this session, not in the last one that changed files here; the beginning of an id will do
  --yes                       do not ask; where there is no terminal, this or --dry-run is needed
  --dry-run                   only show what would be done
  --force                     replace what was changed since, undo the rest of what can't be undone as a whole, what may be
                              another session's work, and what a command that still runs has done so far
  --json                      the list, or the plan and what was done, as one object

Exit status: 0 done, or shown; 1 refused, nothing to undo, or you answered no; 2 wrong usage`;
