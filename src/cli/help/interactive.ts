import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve: a conversation at the terminal

  helve                     begin one; without a model the tools can be called by hand
  helve "fix the tests"     begin with a prompt; behind --, the first word is never taken for a command
  helve --continue          take up the last session of this folder; --fork goes on in a copy
  helve --resume [ID]       take up another one; without an id, choose it from a list

Options beside those below, as helve -p has them
  --model, --effort, --fallback-model, --max-turns, --max-time, --system-prompt, --append-system-prompt, --no-instructions,
  --disable-slash-commands, --init, --maintenance, --debug, --continue, --resume, --fork, --session-id, --no-save
  --screen-reader           plain lines, nothing painted over (also HELVE_SCREEN_READER=1, and where TERM is dumb)

In it
  /help lists commands and keys; Tab completes; @file names a file; !command runs in the shell; #note is remembered
  Esc stops the work, twice goes back to an earlier prompt; Shift-Tab goes through the permission modes
  Ctrl-O shows results whole; Ctrl-B moves a running command to the background; Ctrl-C twice leaves
  The path of a picture that is pasted is attached; Ctrl-V attaches the one in the clipboard
  What is typed while the model works goes to it with its next step

Permissions and tools
${engineFlagsHelp}

Environment
  NO_COLOR, FORCE_COLOR     no colours, or colours all the same
  VISUAL, EDITOR            the editor that Ctrl-G opens; else nano, vim or vi
  HELVE_NOTIFY              how to tell that you are waited for: auto (default), bell, osc9, osc777, osc99 or off

Exit status: 0 when you leave, 1 something failed, 2 wrong usage, 129, 130 and 143 on signals`;
