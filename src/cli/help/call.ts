import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve call: run tool calls with all checks, without a model

  helve call TOOL JSON      one call, for example helve call Read '{"file_path": "README.md"}'; prints its result
  helve call --stdin        many calls in one session: {"id"?, "tool", "input"} per line in,
                            {"id", "tool", "content", "is_error"} per line out, strictly one after the other

Options
${engineFlagsHelp}

Exit status: 0 all succeeded; 1 a call failed or was denied; 2 wrong usage`;
