import { descriptorLimit } from '../descriptors.js';
import { closeOthers } from './close-others.js';

const HIGHEST = 99; // out of the way of the descriptors that commands use

/**
 * The bash script. All on one line, so that line numbers in messages are the command's own. Descriptors 3 and 4 move
 * out of the way of commands that use them, to the highest numbers that the limit of open files allows, and all
 * others are closed. The directory is reported on the control channel by a trap for commands that `exit`, and once
 * more at the end for those that set their own trap.
 */
export function shellScript({ opensPipe }: { opensPipe: boolean }): string {
  const control = Math.min(HIGHEST, descriptorLimit() - 1);
  const [task, both] = [control - 1, control - 2];
  // The pipe is opened for reading and writing for a moment: opened for writing alone, it would block until a reader
  // opens it, forever if Helve was killed.
  const openPipe = [
    `{ [ -p "$1" ] || command -p mkfifo -m 600 "$@"; [ -p "$1" ]; } && builtin printf m >&${control} && exec ${both}<>"$1" >"$1" 2>&1 ${both}>&- && builtin printf o >&${control} || exit`,
    'set --',
  ];
  return [
    closeOthers(4),
    `exec ${control}<&3 ${task}<&4 3<&- 4<&-`,
    ...(opensPipe ? openPipe : []),
    `IFS= builtin read -r -u ${control} || exit`,
    `IFS= builtin read -r -d '' -u ${task} helve_directory; IFS= builtin read -r -d '' -u ${task} helve_source`,
    `while IFS= builtin read -r -d '' -u ${task} helve_name && [ -n "$helve_name" ]; do IFS= builtin read -r -d '' -u ${task} helve_value; builtin export "$helve_name=$helve_value"; done`,
    `IFS= builtin read -r -d '' -u ${task} helve_command; exec ${task}<&-; builtin unset helve_name helve_value`,
    `builtin cd -- "$helve_directory" 2>/dev/null || exit; builtin unset OLDPWD; builtin printf "\\n\\0" >&${control}`,
    `helve_report() { local status=$?; { builtin pwd -P && builtin printf "\\0"; } >&${control}; return $status; }`,
    "trap '{ helve_report; } 2>/dev/null' EXIT",
    'if [ -f "$helve_source" ] && [ -r "$helve_source" ]; then . "$helve_source"; fi',
    'eval -- "$helve_command"',
    '{ helve_report; } 2>/dev/null',
  ].join('; ');
}
