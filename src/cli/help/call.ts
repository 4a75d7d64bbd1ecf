import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve call: run tool calls with all checks, without a model

  helve call TOOL WORDS     one call, for example helve call Read README.md or helve call Bash 'npm test'
  helve call TOOL JSON      the same with all parameters: helve call Read '{"file_path": "README.md", "limit": 3}'
  helve call --stdin        many calls in one session: {"id"?, "tool", "input"} per line in,
                            {"id", "tool", "content", "is_error"} per line out, strictly one after the other

Options
  --text, --json            print the result as text (default on a terminal) or as JSON (default in a pipe)
${engineFlagsHelp}

Exit status: 0 all succeeded; 1 a call failed or was denied; 2 wrong usage`;
