import type { DescribeContext } from '../../contract/tool-context.js';
import { grouped } from '../../platform/text/digits.js';
import { DEFAULT_TIMEOUT_MS, MAX_OUTPUT_CHARS, MAX_TIMEOUT_MS } from './limits.js';

const simpleAdvice = ['Read instead of cat, head and tail', 'Edit instead of sed and awk'];
const advice = [
  'Read instead of cat, head and tail',
  'Glob instead of find and ls',
  'Grep instead of grep and rg',
  'Edit instead of sed and awk',
  'Write instead of echo > and cat <<EOF',
];

const seconds = (ms: number): string => `${ms / 1000} s`;

/** Names only tools that the set has. */
export const description = ({
  mode,
}: Pick<
  DescribeContext,
  'mode'
>): string => `Run a command in bash and get its output, standard output and error together.

Use it for what has no tool of its own: builds, tests, git, package managers, running programs.
Use these instead where they fit, for they are checked, faster to approve and easier to undo:
${(mode === 'simple' ? simpleAdvice : advice).map((line) => `- ${line}`).join('\n')}
To say something, write it in your answer, not with echo.

- Each command runs in a new bash. The working directory carries over to the next command; variables, functions, aliases and everything else of the environment do not. Set what a command needs in that same command.
- Quote paths that contain spaces. Chain commands that depend on each other with &&; send independent ones as separate calls.
- Nobody can answer a prompt: input is empty, there is no terminal, editors and pagers are off. Pass -y, --no-edit, -m and the like.
- Risky commands are put to the user first. Do not look for another way around a refusal.
- A command is stopped after ${seconds(DEFAULT_TIMEOUT_MS)}, or after timeout, at most ${seconds(MAX_TIMEOUT_MS)}, together with all it has started.
- Output beyond ${grouped(MAX_OUTPUT_CHARS)} characters is cut in the middle; the whole is kept in a file that you can Read.
- For a server or a long build set run_in_background: the call returns at once with an ID, and you are told when the command ends. ${mode === 'simple' ? 'Read shows what it has written.' : 'BashOutput shows what it has written since you last looked, KillShell ends it.'} Don't wait for it with sleep.
- A process that a command leaves behind with & runs on until the session ends; so does everything in the background.`;
