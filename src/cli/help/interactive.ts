import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve: a conversation in the terminal

  helve                     start one; without a model you can call the tools by hand
  helve "fix the tests"     start with a prompt; after --, the first word is never taken as a command
  helve --continue          resume the last session of this folder; --fork continues in a copy
  helve --resume [ID]       resume another one; without an id, choose it from a list
  helve --worktree [NAME]   work in a git worktree on a branch of its own; when you leave, it asks what to do with changes

Options of helve -p that work here too
  --model, --effort, --fallback-model, --max-turns, --max-time, --system-prompt, --append-system-prompt, --no-instructions,
  --goal, --until, --max-budget-usd, --max-budget-tokens, --max-budget-turns, --max-budget-minutes, --disable-slash-commands, --init, --maintenance, --debug, --continue, --resume, --fork, --session-id, --no-save,
  --worktree, --worktree-end
  --screen-reader           plain lines, nothing redrawn (also HELVE_SCREEN_READER=1, and if TERM is dumb)

In it
  /help lists commands and keys; Tab completes; @file names a file; !command runs in the shell; #note is saved
  Esc stops the work, twice goes back to an earlier prompt; Shift-Tab switches the permission mode
  Ctrl-O expands results; Ctrl-B moves a running command to the background; Ctrl-C twice exits
  A pasted path of an image attaches the image; Ctrl-V attaches the one in the clipboard
  Prompts typed while the model works are sent with its next step

Permissions and tools
${engineFlagsHelp}

Environment
  NO_COLOR, FORCE_COLOR     never use colours, or always
  VISUAL, EDITOR            the editor that Ctrl-G opens; default nano, vim or vi
  HELVE_NOTIFY              how to notify you: auto (default), bell, osc9, osc777, osc99 or off

Exit status: 0 when you exit, 1 something failed, 2 wrong usage, 129, 130 and 143 on signals`;
