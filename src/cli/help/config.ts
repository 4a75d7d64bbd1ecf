export const help = `helve config: show and change settings, and trust folders

  helve config list             the values in effect here, with file and line; then what has no effect, and why
  helve config get KEY          one setting, or a group such as permissions
  helve config set KEY VALUE    set it; VALUE is a text or JSON. A single value is added to an existing list
  helve config unset KEY        remove it
  helve config path             the settings files, the highest precedence first, and whether they exist
  helve config keys             every setting
  helve config schema           the JSON Schema of a settings file, for editors
  helve config trust            show what trusting this folder would enable, and ask
  helve config untrust          revoke trust in this folder

Options
  --user, --project, --local    of set and unset: which file to change; your own (default), .helve/settings.json,
                                or .helve/settings.local.json
  --settings FILE               of list, get and path: a file, or JSON, with precedence over project and user
  --trust                       of list and get: as if the folder were trusted
  --yes                         of trust: do not ask
  --json                        of list, get, path and keys: as JSON

KEY is a dotted name, such as permissions.deny, model or env.NAME.
Exit status: 0 success; 1 not set, answered no, or invalid settings; 2 wrong usage, nothing was written`;
