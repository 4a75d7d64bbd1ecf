/** The flags of every command that runs calls, or shows with which tools it would. */
export const engineFlagsHelp = `  --permission-mode MODE    default: reading the project is free, all else is asked, and denied where nobody can answer
                            acceptEdits: changing files of the project is free too
                            plan: nothing but reading    dontAsk: deny what would be asked
                            bypassPermissions: allow all (refused to root unless IS_SANDBOX=1)
  --dangerously-skip-permissions   the same as --permission-mode bypassPermissions
  --allowed-tools RULES     rules that allow, beside those of settings, as "Read,Bash(git log:*)" (also --allowedTools)
  --disallowed-tools RULES  rules that deny, likewise (also --disallowedTools)
  --add-dir DIR             count DIR as part of the project; may be given several times
  --settings FILE           settings above those of the project and the user, as a file or as JSON
  --trust                   trust this folder for this run: its hooks, servers and allow rules count
  --mcp-config FILE         MCP servers beside those of settings, as a file or as JSON; may be given several times
  --strict-mcp-config       no MCP servers but those of --mcp-config
  --simple                  only the tools Bash, Read and Edit (also HELVE_SIMPLE=1)`;
