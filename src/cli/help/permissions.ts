export const help = `helve permissions: show what is allowed here, and why, without running anything

  helve permissions explain TOOL WORDS  would this call be allowed: its parts, every matching rule, the answer;
                                        for example helve permissions explain Bash 'git push'
  helve permissions explain TOOL JSON   the same with all parameters
  helve permissions explain --stdin     one object per line in, one answer per line out:
                                        {"id"?, "cwd"?, "home"?, "settings"?, "mode"?, "walls"?, "tool", "input"}
  helve permissions test FILE           test a policy by examples: {"tests": [{"name"?, "tool", "input", "expect"}]}
  helve permissions list                the rules that apply here, with file and line

Options
  --permission-mode MODE                judge by default, acceptEdits, plan, dontAsk or bypassPermissions
  --dangerously-skip-permissions        the same as --permission-mode bypassPermissions
  --allowed-tools RULES                 allow rules in addition to settings (also --allowedTools)
  --disallowed-tools RULES              deny rules, likewise (also --disallowedTools)
  --walls full|none                     judge as if commands could be confined here, or could not; default: the real state
  --add-dir DIR                         treat DIR as part of the project; may be given several times
  --settings FILE                       settings with precedence over project and user, as a file or as JSON
  --trust                               as if the folder were trusted
  --json                                as JSON

Exit status: 0 judged, whatever the answer, or all tests pass; 1 a test fails, or list finds invalid settings;
2 wrong usage, or an invalid policy`;
