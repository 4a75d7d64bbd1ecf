export const help = `helve: a coding agent for the terminal

  helve, helve "a prompt"   a conversation in the terminal; see helve help interactive. Without one, helve plays the demo
  helve -p "…"              run one prompt and print the answer; piped input is added to it
  helve bg "…"              run a prompt in the background (also helve --bg)
  helve ps                  list the sessions of this machine, with what each does now and which wait for you
  helve attach ID           follow a background session, answer its questions and send it prompts
  helve logs ID             show what a session has done; helve stop ID interrupts one and closes it
  helve host                the process that runs background sessions: status, stop
  helve worker              run prompts of a fleet: many machines that meet in a PostgreSQL database
  helve fleet               send prompts to the workers, list their sessions, stop and answer them
  helve tools               list the tools that a conversation here would have
  helve call TOOL JSON      run one tool call with all checks, without a model
  helve call --stdin        the same for many calls: one JSON object per line in, one per line out
  helve permissions explain|test|list   would a call be allowed, and why; test a policy; list the rules
  helve audit list|show|verify   show the log of a session's decisions and calls, and check that it is intact
  helve auth status         say whether a provider is set up
  helve login NAME          sign in to a provider: openai (a ChatGPT plan), openrouter or copilot; helve logout NAME
  helve config list|get|set show and change settings, and trust folders
  helve sessions            list saved conversations; show, delete or export one
  helve worktree            list the git worktrees of sessions and child agents; merge, remove or clean them up
  helve schedule            run prompts at times of the day or the week: add, list, remove, run
  helve replay ID           replay a session's calls in a copy of the project, and show what differs
  helve undo                undo what the last call did to files; --list to choose
  helve mcp                 manage the MCP servers that Helve uses: add, list, get, remove, doctor; or serve its own tools
  helve serve               the sessions of this machine over HTTP and WebSocket, for browsers, editors and programs
  helve acp                 run inside an editor: speak the Agent Client Protocol on standard input and output
  helve plugin              add, list, update, approve and remove plugins of Claude Code, Codex and Gemini
  helve models              list providers, model servers on this machine, and known models
  helve doctor              check the set-up
  helve completion bash|zsh|fish   print a completion script for the shell
  helve demo                see it work without a key: a script plays the model, everything else is real

helve COMMAND --help lists all options of a command, and helve -p --help those of -p. The most common ones:
  --model NAME              PROVIDER/NAME, sonnet, opus, haiku, or scripted/FILE
  --output-format FORMAT    text (default), json, or stream-json
  --continue, --resume ID   resume the last session of this folder, or another; --fork resumes a copy
  --permission-mode MODE    default, acceptEdits, plan, dontAsk or bypassPermissions
  --allowed-tools RULES, --disallowed-tools RULES   rules in addition to settings, as "Read,Bash(git log:*)"
  --trust                   trust this folder for this run: its hooks, servers and allow rules apply

Environment
  ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL and those that helve models lists;
  HELVE_MODEL, HELVE_SMALL_MODEL, HELVE_HOME; HELVE_PASS_ENV=NAME,… passes keys to commands that are otherwise withheld
  HELVE_MAX_RETRIES, HELVE_RETRY_BASE_MS, HELVE_STREAM_IDLE_MS   how often and how soon a request is retried

Exit status: 0 success, 1 the run or a call failed, 2 wrong usage, 129, 130 and 143 on signals`;
