import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve attach: follow a background session, answer its questions and send it prompts

  helve attach [ID]         by the id of the session, or the beginning of it, or last; helve ps lists them.
                            If there is only one, the id can be left out

At a terminal: the interface of helve, over the session. Enter sends a prompt, Esc interrupts, /detach or Ctrl-D leaves,
and the session goes on. Several terminals may attach to one session; the first answer to a question counts. If the host
process was ended in the middle of the work, the session goes on from there, with the environment of this terminal.

Options
  --screen-reader           plain lines: nothing is overdrawn, and questions are numbered
  --json                    one JSON object a line, until the session has nothing to do

A session that was closed or interrupted is opened again, and takes the same options as helve bg: --model,
--fallback-model, --effort, --max-turns, --max-time, --max-budget-usd, --max-budget-tokens, --max-budget-turns,
--max-budget-minutes, --goal, --until, --system-prompt, --append-system-prompt, --no-instructions,
--disable-slash-commands, and these

Permissions and tools
${engineFlagsHelp}

Exit status: 0 success; 1 the session can't be opened; 2 no such session, or one that is not in the background`;
