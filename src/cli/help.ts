export const help = `helve: lets a language model use real tools on this machine

  helve -p "…"              run one prompt and print the answer; what is piped in comes with it
  helve tools               the tools that a conversation here would have
  helve call TOOL JSON      run one tool call down the whole path, without a model
  helve call --stdin        the same for many: one JSON object a line in, one a line out
  helve permissions explain TOOL JSON   would this call be allowed, and why; --stdin for many, --json for programs
  helve permissions test FILE, list     check a policy by examples; the rules that hold here, and where they stand
  helve audit list|show|verify   what was decided and done in a session, and whether the log is as it was written
  helve config list|get|set settings, where they stand, and which folders are trusted
  helve sessions            the conversations that are kept; show, delete or export one
  helve replay ID           play a session's calls again in a copy of the project, and show what differs;
                            --from-start, --policy FILE, --strict, --skip DIR, --settings FILE, --no-sandbox, --keep, --json
  helve undo                take back what the last call did to files; --list to choose
  helve models              the providers, what runs on this machine, and the models that are known
  helve doctor              check the set-up
  helve demo                see it work without a key: a script plays the model, all the rest is real

Options of -p
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE (default: HELVE_MODEL)
  --effort LEVEL            how much to think: none, low, medium, high or max (default: up to the model)
  --fallback-model A,B      at most three models to ask in turn while the one before is overloaded
  --output-format FORMAT    text (default), json, or stream-json
  --input-format FORMAT     text (default), or stream-json: another program drives the session, line by line, with
                            --permission-prompt-tool stdio, --include-partial-messages, --replay-user-messages
  --json-schema SCHEMA      the answer as an object that fits a JSON Schema, given as JSON or as a file
  --max-turns N             at most N requests to the model
  --max-budget-usd N        no request after N US dollars are spent
  --system-prompt T         T in the place of Helve's own instructions; --append-system-prompt T adds to them
  --continue, --resume ID   take up the last session of this folder, or another; --fork leaves it as it is
  --session-id UUID         the id of the new session
  --no-save                 keep nothing of this conversation
  --debug, --debug-file F   write what happens to a log in Helve's data folder, or to F (also HELVE_DEBUG=1 or a path)

Options of -p, tools and call
  --permission-mode MODE    default: reading the project is free, all else is asked, and denied where nobody can answer
                            acceptEdits: changing files of the project is free too
                            plan: nothing but reading    dontAsk: deny what would be asked
                            bypassPermissions: allow all (refused to root unless IS_SANDBOX=1)
  --dangerously-skip-permissions   the same as --permission-mode bypassPermissions
  --allowed-tools RULES, --disallowed-tools RULES   rules beside those of settings, as "Read,Bash(git log:*)"
  --add-dir DIR             count DIR as part of the project
  --settings FILE           settings above those of the project and the user, as a file or as JSON
  --trust                   trust this folder for this run: its hooks, servers and allow rules count
  --simple                  only the tools Bash, Read and Edit (also HELVE_SIMPLE=1)

Options of tools, models and doctor
  --json                    as JSON; helve tools --all adds those that are switched off here

Environment
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL and those that helve models lists;
  HELVE_MODEL, HELVE_SMALL_MODEL, HELVE_HOME; HELVE_PASS_ENV=NAME,… lets commands see keys that are kept from them
  HELVE_MAX_RETRIES, HELVE_RETRY_BASE_MS, HELVE_STREAM_IDLE_MS   how often and how soon a request is sent again

Exit status: 0 fine, 1 the run or a call failed, 2 wrong usage, 129, 130 and 143 on signals`;
