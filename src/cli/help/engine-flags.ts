/** The flags of every command that runs calls, or shows with which tools it would. */
export const engineFlagsHelp = `  --permission-mode MODE    default: read the project, ask about everything else; deny if no one can answer
                            acceptEdits: also change files of the project without asking
                            plan: only read    dontAsk: deny instead of asking
                            bypassPermissions: allow all (refused for root unless IS_SANDBOX=1)
  --dangerously-skip-permissions   the same as --permission-mode bypassPermissions
  --allowed-tools RULES     allow rules in addition to settings, as "Read,Bash(git log:*)" (also --allowedTools)
  --disallowed-tools RULES  deny rules, likewise (also --disallowedTools)
  --add-dir DIR             treat DIR as part of the project; may be given several times
  --settings FILE           settings with precedence over project and user, as a file or as JSON
  --trust                   trust this folder for this run: its hooks, servers and allow rules apply
  --mcp-config FILE         MCP servers in addition to settings, as a file or as JSON; may be given several times
  --strict-mcp-config       use only the MCP servers of --mcp-config
  --plugin-dir DIR          use the plugin in DIR, once it was approved; may be given several times
  --simple                  only the tools Bash, Read and Edit (also HELVE_SIMPLE=1)
  --profile full|small      small: few tools in few words, and the others on request (also toolProfile in settings)`;
