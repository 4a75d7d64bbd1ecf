import type { DescribeContext } from '../../contract/tool-context.js';
import { grouped } from '../../platform/text/digits.js';
import { DEFAULT_TIMEOUT_MS, MAX_OUTPUT_CHARS } from './limits.js';

const simpleAdvice = 'Read (cat, head), Edit (sed)';
const advice = 'Read (cat, head), Glob (find), Grep (rg), Edit (sed), Write (echo >)';

const seconds = (ms: number): string => `${ms / 1000} s`;

/** Names only tools that are enabled. */
export const description = ({
  mode,
}: Pick<DescribeContext, 'mode'>): string => `Run a command in bash; standard output and error come together.
For builds, tests, git and programs. Not where a tool does it: ${mode === 'simple' ? simpleAdvice : advice}.
- Each is a new bash: the working directory carries over, variables and functions do not.
- Send independent commands as separate calls. No terminal, no input: pass -y, --no-edit, -m.
- Risky commands ask the user. Do not look for another way around a refusal.
- Stopped after ${seconds(DEFAULT_TIMEOUT_MS)} or timeout. Output over ${grouped(MAX_OUTPUT_CHARS)} characters is cut; a file has the whole.
- run_in_background, for servers and long builds, gives an ID at once. You are told when it ends, so don't sleep. ${mode === 'simple' ? 'Read shows its output.' : 'BashOutput shows its output, KillShell ends it.'} It ends with the session, as does what & leaves behind.`;
