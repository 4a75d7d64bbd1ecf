export const help = `helve permissions: what is allowed here, and why, without running anything

  helve permissions explain TOOL JSON   would this call be allowed: its parts, every rule that matched, the answer
  helve permissions explain --stdin     one object a line in, one answer a line out:
                                        {"id"?, "cwd"?, "home"?, "settings"?, "mode"?, "walls"?, "tool", "input"}
  helve permissions test FILE           check a policy by examples: {"tests": [{"name"?, "tool", "input", "expect"}]}
  helve permissions list                the rules that hold here, and where they stand

Options
  --permission-mode MODE                judge by default, acceptEdits, plan, dontAsk or bypassPermissions
  --dangerously-skip-permissions        the same as --permission-mode bypassPermissions
  --allowed-tools RULES                 rules that allow, beside those of settings (also --allowedTools)
  --disallowed-tools RULES              rules that deny, likewise (also --disallowedTools)
  --walls full|none                     judge as if commands could be confined here, or could not; default: as it is
  --add-dir DIR                         count DIR as part of the project; may be given several times
  --settings FILE                       settings above those of the project and the user, as a file or as JSON
  --trust                               as if the folder were trusted
  --json                                as JSON

Exit status: 0 judged, whatever the answer, or all tests pass; 1 a test fails, or settings of list are not understood;
2 wrong usage, or a policy of test that is not understood`;
