import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve tools: list the tools that a conversation here would have

  helve tools               one line for each tool, and how many tokens they take in a request

Options
  --all                     also those that are deferred, hidden or switched off here
  --json                    as an array of {name, description, input_schema, source, exposure, enabled}
${engineFlagsHelp}`;
