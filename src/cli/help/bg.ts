import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve bg: run a prompt in the background

  helve bg "…"              hand the prompt to the host process, and return; piped input is added to it
  helve --bg "…"            the same

It prints the id of the session, which goes on without this terminal, in this folder and with this environment. The host
process starts when it is needed and ends when it is idle. helve ps lists sessions, helve attach ID answers questions.

Options
  --resume ID, -r ID        send the prompt to a saved session: by its id, the beginning of it, or last
  --session-id UUID         the id of the new session
  --prompt-id TEXT          an id of the prompt: one that was sent before does not run again
  --worktree NAME, -w NAME  work in the git worktree of that name, on a branch of its own; without NAME, in a new one
  --worktree-end keep|merge what helve stop does with its changes (default: the setting worktree.end, else keep); with
                            merge, it is also merged when the session has had nothing to do for half a minute
  --json                    print the ids as JSON
  --bg, --background        needed if the word bg does not come first
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE
  --fallback-model A,B      models to use while the first is overloaded
  --effort LEVEL            how much to think: none, low, medium, high or max
  --max-turns N             at most N requests to the model for each prompt
  --max-time TIME           a time limit for each prompt, such as 90s, 10m or 2h
  --max-budget-usd N        stop at this cost; also --max-budget-tokens, --max-budget-turns, --max-budget-minutes
  --goal TEXT, --until COMMAND   work on until this is met; without --goal, the prompt is the goal
  --system-prompt TEXT, --append-system-prompt TEXT   instructions instead of Helve's own, or after them
  --no-instructions         leave out HELVE.md, AGENTS.md and CLAUDE.md
  --disable-slash-commands  no commands and no skills

Permissions and tools
${engineFlagsHelp}

Exit status: 0 the prompt is kept and runs, 1 it could not be handed over and does not run, 2 wrong usage`;
