export const help = `helve: lets a language model use real tools on this machine

  helve, helve "a prompt"   a conversation at the terminal; see helve help interactive. Without a terminal: the demo
  helve -p "…"              run one prompt and print the answer; what is piped in comes with it
  helve tools               the tools that a conversation here would have
  helve call TOOL JSON      run one tool call down the whole path, without a model
  helve call --stdin        the same for many: one JSON object a line in, one a line out
  helve permissions explain|test|list   would a call be allowed, and why; check a policy by examples; the rules here
  helve audit list|show|verify   what was decided and done in a session, and whether the log is as it was written
  helve config list|get|set settings, where they stand, and which folders are trusted
  helve sessions            the conversations that are kept; show, delete or export one
  helve replay ID           play a session's calls again in a copy of the project, and show what differs
  helve undo                take back what the last call did to files; --list to choose
  helve mcp                 the MCP servers that Helve uses: add, list, get, remove, doctor; or serve its own tools
  helve models              the providers, what runs on this machine, and the models that are known
  helve doctor              check the set-up
  helve completion bash|zsh|fish   a script by which the shell completes commands, flags, sessions and models
  helve demo                see it work without a key: a script plays the model, all the rest is real

helve COMMAND --help has all that a command takes, and helve -p --help all options of -p. The ones most used:
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE
  --output-format FORMAT    text (default), json, or stream-json
  --continue, --resume ID   take up the last session of this folder, or another; --fork leaves it as it is
  --permission-mode MODE    default, acceptEdits, plan, dontAsk or bypassPermissions
  --allowed-tools RULES, --disallowed-tools RULES   rules beside those of settings, as "Read,Bash(git log:*)"
  --trust                   trust this folder for this run: its hooks, servers and allow rules count

Environment
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL and those that helve models lists;
  HELVE_MODEL, HELVE_SMALL_MODEL, HELVE_HOME; HELVE_PASS_ENV=NAME,… lets commands see keys that are kept from them
  HELVE_MAX_RETRIES, HELVE_RETRY_BASE_MS, HELVE_STREAM_IDLE_MS   how often and how soon a request is sent again

Exit status: 0 fine, 1 the run or a call failed, 2 wrong usage, 129, 130 and 143 on signals`;
