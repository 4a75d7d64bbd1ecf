import { descriptorLimit } from '../descriptors.js';
import { closeOthers } from './close-others.js';

const HIGHEST = 99; // out of the way of the descriptors that commands use

/**
 * The bash script that waits for a command and runs it. It starts with the control channel on descriptor 3 and the
 * task on 4, and with the name of its output pipe as its first argument if it opens the pipe itself.
 */
export function shellScript({ opensPipe }: { opensPipe: boolean }): string {
  const control = Math.min(HIGHEST, descriptorLimit() - 1);
  const [task, both] = [control - 1, control - 2];
  return onOneLine(String.raw`
    # Close what this process has inherited beside its own descriptors.
    ${closeOthers(4)};
    # Move 3 and 4 out of the way of commands that use them, to the highest numbers that the limit of open files allows.
    exec ${control}<&3 ${task}<&4 3<&- 4<&-;
    ${opensPipe ? openPipe(control, both) : ''}
    # Wait until the task is written. The channel ends without a line if Helve has ended.
    IFS= builtin read -r -u ${control} || exit;
    # Read the task, whose fields end with NUL: the directory, a script to source first,
    IFS= builtin read -r -d '' -u ${task} helve_directory;
    IFS= builtin read -r -d '' -u ${task} helve_source;
    # names and values of variables up to an empty name,
    while IFS= builtin read -r -d '' -u ${task} helve_name && [ -n "$helve_name" ]; do
      IFS= builtin read -r -d '' -u ${task} helve_value;
      builtin export "$helve_name=$helve_value";
    done;
    # and the command.
    IFS= builtin read -r -d '' -u ${task} helve_command;
    exec ${task}<&-;
    builtin unset helve_name helve_value;
    # Enter the directory, and report that the command begins.
    builtin cd -- "$helve_directory" 2>/dev/null || exit;
    builtin unset OLDPWD;
    builtin printf "\n\0" >&${control};
    # Report the directory at the end: by a trap for commands that exit, and once more below for those that set their
    # own trap.
    helve_report() {
      local status=$?;
      { builtin pwd -P && builtin printf "\0"; } >&${control};
      return $status;
    };
    trap '{ helve_report; } 2>/dev/null' EXIT;
    # Run the command.
    if [ -f "$helve_source" ] && [ -r "$helve_source" ]; then . "$helve_source"; fi;
    eval -- "$helve_command";
    { helve_report; } 2>/dev/null
  `);
}

const openPipe = (control: number, both: number): string => `
    # Create the output pipe, and those of later shells, unless that has been done. Tell that it can be opened.
    { [ -p "$1" ] || command -p mkfifo -m 600 "$@"; [ -p "$1" ]; } && builtin printf m >&${control} &&
    # Open it for reading and writing for a moment: opened for writing alone, it would block until a reader opens it,
    # forever if Helve was killed. Tell that it is open.
    exec ${both}<>"$1" >"$1" 2>&1 ${both}>&- && builtin printf o >&${control} || exit;
    # Leave no arguments to the command.
    set --;
`;

/** Without comments, and on one line: line numbers in messages of bash are then those of the command. */
const onOneLine = (script: string): string =>
  script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join(' ');
