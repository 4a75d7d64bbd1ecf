import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve -p: run one prompt and print the answer

  helve -p "…"              piped input is added to the prompt, or is the prompt
  helve -p -- "-x is what?" a prompt that begins with a dash

Options (-p is short for --print)
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE; without it, model in settings, then
                            HELVE_MODEL, then the default that helve models shows
  --effort LEVEL            how much to think: none, low, medium, high or max (default: the model decides)
  --fallback-model A,B      at most three models to use in turn while the one before is overloaded
  --goal TEXT               go on until this is true: a model judges, or --until decides
  --until COMMAND           go on until this command exits with 0
  --max-turns N             at most N requests to the model
  --max-time TIME           a time limit, such as 90s, 10m or 2h
  --max-budget-usd N        no request after N US dollars are spent
  --max-budget-tokens N, --max-budget-turns N, --max-budget-minutes N   the same for tokens, requests and time
  --system-prompt T         replace Helve's own instructions by T
  --append-system-prompt T  add T to them
  --no-instructions         leave out HELVE.md, AGENTS.md and CLAUDE.md
  --init, --maintenance     run hooks of the event Setup first, with this trigger
  --disable-slash-commands  no commands and no skills: a leading slash is an ordinary character
  --debug, --debug-file F   write a debug log to Helve's data folder, or to F (also HELVE_DEBUG=1 or a path)

Sessions
  --continue, -c            resume the last session of this folder
  --resume ID, -r ID        resume another, by its id, the beginning of it, or last
  --fork                    with either: continue in a copy, and leave the session unchanged (also --fork-session)
  --session-id UUID         the id of the new session
  --worktree NAME, -w NAME  work in the git worktree of that name, on a branch of its own; without NAME, in a new one
  --worktree-end keep|merge what to do with its changes at the end (default: the setting worktree.end, else keep)
  --no-save                 do not save this conversation (also --no-session-persistence)

Input and output
  --output-format FORMAT    text (default), json, or stream-json
  --json-schema SCHEMA      the answer as an object that matches a JSON Schema, given as JSON or as a file
  --input-format FORMAT     text (default), or stream-json: another program controls the session, line by line
  --permission-prompt-tool stdio   with it: ask the program for permission
  --permission-prompt-tool mcp__SERVER__TOOL   ask that tool for permission
  --replay-user-messages    with it: repeat prompts in the output
  --include-hook-events     with it: a line when a hook of the program is called, and when it has answered
  --setting-sources LIST    of user, project and local settings, use these; restrictions of the others still apply
  --tools LIST              the only built-in tools, or default for all
  --agent NAME              hold the conversation with this type of agent; --agents JSON defines more of them
  --include-partial-messages   with --output-format stream-json: also the model's text while it is written
  --quiet, -q               on a terminal: only the answer, as it is, without steps and without the session's id
  --verbose                 accepted and without effect

Permissions and tools
${engineFlagsHelp}

Exit status: 0 success, 1 the run failed, 2 wrong usage, 129, 130 and 143 on signals`;
