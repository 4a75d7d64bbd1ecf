export const help = `helve: lets a language model use real tools on this machine

  helve -p "…"              run one prompt and print the answer; what is piped in comes with it
  helve tools               the tools that a conversation here would have
  helve call TOOL JSON      run one tool call down the whole path, without a model
  helve call --stdin        the same for many: one JSON object a line in, one a line out
  helve doctor              check the set-up
  helve demo                see it work without a key: a script plays the model, all the rest is real

Options of -p
  --model NAME              anthropic/NAME, a bare claude-… name, or scripted/FILE (default: HELVE_MODEL)
  --output-format FORMAT    text (default), json, or stream-json
  --max-turns N             at most N requests to the model
  --append-system-prompt T  add T to the system prompt

Options of -p, tools and call
  --permission-mode MODE    default: reading the project is free, all else is asked, and denied where nobody can answer
                            plan: nothing but reading    dontAsk: deny what would be asked
                            bypassPermissions: allow all (refused to root unless IS_SANDBOX=1)
  --add-dir DIR             count DIR as part of the project
  --simple                  only the tools Bash, Read and Edit (also HELVE_SIMPLE=1)

Environment
  ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, HELVE_MODEL, HELVE_HOME

Exit status: 0 fine, 1 the run or a call failed, 2 wrong usage, 130 and 143 on signals`;
