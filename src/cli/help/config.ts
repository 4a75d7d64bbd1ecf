export const help = `helve config: settings, where they stand, and which folders are trusted

  helve config list             what holds here, and the file and line that says so; then what has no effect, and why
  helve config get KEY          one setting, or a group such as permissions
  helve config set KEY VALUE    write it down; VALUE is a text or JSON. An element is added to a list that is there
  helve config unset KEY        take it out again
  helve config path             the files that are looked for, the strongest first, and whether they are there
  helve config keys             every setting that there is
  helve config schema           the JSON Schema of a settings file, for editors
  helve config trust            show what this folder brings, and trust it after a question
  helve config untrust          trust it no longer

Options
  --user, --project, --local    of set and unset: which file to change; your own (default), .helve/settings.json,
                                or .helve/settings.local.json
  --settings FILE               of list, get and path: a file, or JSON, above those of the project and the user
  --trust                       of list and get: as if the folder were trusted
  --yes                         of trust: do not ask
  --json                        of list, get, path and keys: as JSON

KEY is a name with dots, as permissions.deny, model or env.NAME.
Exit status: 0 fine; 1 not set, answered no, or settings that are not understood; 2 wrong usage, nothing was written`;
