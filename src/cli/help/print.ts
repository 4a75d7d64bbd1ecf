import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve -p: run one prompt and print the answer

  helve -p "…"              what is piped in comes with the prompt, or is the prompt
  helve -p -- "-x is what?" a prompt that begins with a dash

Options (-p is short for --print)
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE; without it, model in settings, then
                            HELVE_MODEL, then what helve models says
  --effort LEVEL            how much to think: none, low, medium, high or max (default: up to the model)
  --fallback-model A,B      at most three models to ask in turn while the one before is overloaded
  --max-turns N             at most N requests to the model
  --max-time TIME           at most so long, such as 90s, 10m or 2h
  --max-budget-usd N        no request after N US dollars are spent
  --system-prompt T         T in the place of Helve's own instructions
  --append-system-prompt T  adds T to them
  --no-instructions         leave out HELVE.md, AGENTS.md and CLAUDE.md
  --init, --maintenance     run hooks of the event Setup first, with this trigger
  --disable-slash-commands  no commands and no skills: a leading slash is a character like any other
  --debug, --debug-file F   write what happens to a log in Helve's data folder, or to F (also HELVE_DEBUG=1 or a path)

Sessions
  --continue, -c            take up the last session of this folder
  --resume ID, -r ID        take up another, by its id, the beginning of it, or last
  --fork                    with either: go on in a copy, and leave the session as it is (also --fork-session)
  --session-id UUID         the id of the new session
  --no-save                 keep nothing of this conversation (also --no-session-persistence)

What goes in and out
  --output-format FORMAT    text (default), json, or stream-json
  --json-schema SCHEMA      the answer as an object that fits a JSON Schema, given as JSON or as a file
  --input-format FORMAT     text (default), or stream-json: another program drives the session, line by line
  --permission-prompt-tool stdio   with it: the program is asked for permission
  --permission-prompt-tool mcp__SERVER__TOOL   that tool is asked for permission
  --replay-user-messages    with it: prompts are repeated in the output
  --include-partial-messages   with --output-format stream-json: also what the model writes while it writes
  --verbose                 accepted and without effect

Permissions and tools
${engineFlagsHelp}

Exit status: 0 fine, 1 the run failed, 2 wrong usage, 129, 130 and 143 on signals`;
