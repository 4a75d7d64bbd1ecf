// All commands of the terminal, and how one is found and run.
import { existsSync } from 'node:fs';
import { messageOf } from '../../platform/message-of.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import { nearestWords, wordSimilarity } from '../../platform/text/similar-text.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import type { CompletedCommand } from '../input/completion.js';
import { addDir } from './add-dir.js';
import { agents } from './agents.js';
import { problem } from './answers.js';
import { clear } from './clear.js';
import { compact } from './compact.js';
import { config } from './config.js';
import { context } from './context.js';
import { copy } from './copy.js';
import { cost } from './cost.js';
import { diff } from './diff.js';
import { doctor } from './doctor.js';
import { effort } from './effort.js';
import { exportConversation } from './export.js';
import { goal } from './goal.js';
import { help } from './help.js';
import { hooks } from './hooks.js';
import { init } from './init.js';
import { key } from './key.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { loop } from './loop.js';
import { mcp } from './mcp.js';
import { memory } from './memory.js';
import { model } from './model.js';
import { permissions } from './permissions.js';
import { quit } from './quit.js';
import { rename } from './rename.js';
import { resume } from './resume.js';
import { review } from './review.js';
import { rewind } from './rewind.js';
import { skills } from './skills.js';
import { status } from './status.js';
import { tasks } from './tasks.js';
import { theme } from './theme.js';
import { todos } from './todos.js';
import { tools } from './tools.js';
import { trust } from './trust.js';
import { undo } from './undo.js';
import { vim } from './vim.js';

export { remember } from './remember.js';

const TYPO = 0.7; // of two short words that are one or two slips apart

/** In the order in which help lists them. */
export const terminalCommands: readonly TerminalCommand[] = [
  clear,
  resume,
  rewind,
  compact,
  rename,
  copy,
  exportConversation,
  quit,
  diff,
  undo,
  review,
  init,
  goal,
  loop,
  todos,
  tasks,
  model,
  effort,
  key,
  login,
  logout,
  context,
  cost,
  status,
  tools,
  mcp,
  skills,
  agents,
  hooks,
  memory,
  doctor,
  help,
  config,
  permissions,
  trust,
  addDir,
  theme,
  vim,
];

export const findCommand = (name: string, commands = terminalCommands): TerminalCommand | undefined =>
  commands.find((command) => command.name === name) ?? commands.find(({ aliases }) => aliases?.includes(name));

/**
 * Runs a slash command. The user's own commands go to the model as typed, where they are expanded. Errors are shown,
 * never thrown.
 */
export async function runCommand(
  { name, args }: { name: string; args: string },
  session: CommandSession,
): Promise<CommandAnswer> {
  try {
    const command = findCommand(name, session.builtIn);
    if (command && !command.yields) return await command.run(args, session);
    const own = await session.commands();
    const typed = `/${name}${args === '' ? '' : ` ${args}`}`;
    const isOwn = own.some((one) => one.name === name || one.name.endsWith(`:${name}`));
    if (command && !isOwn) return await command.run(args, session);
    // An MCP server may still be connecting; and a path at the start of a prompt is not a command.
    if (isOwn || isMcpName(name) || existsSync(`/${name}`)) return { type: 'prompt', text: typed };
    const nearest = meant(
      name,
      [...session.builtIn, ...own].map((one) => one.name),
    );
    return problem(
      `There is no command /${name}. ${nearest === undefined ? '/help lists all commands.' : `Did you mean /${nearest}?`}`,
    );
  } catch (error) {
    return problem(`/${name} did not work: ${messageOf(error)}`);
  }
}

/** The name that was probably meant: a typo of it, or its beginning. A wrong guess would mislead. */
function meant(name: string, names: readonly string[]): string | undefined {
  const [nearest] = nearestWords(name, names);
  if (nearest !== undefined && wordSimilarity(name, nearest) >= TYPO) return nearest;
  return name.length >= 2 ? names.find((one) => one.startsWith(name)) : undefined;
}

/** All completions after a slash: the terminal's commands, then the user's own. */
export async function completedCommands(session: CommandSession): Promise<CompletedCommand[]> {
  const own = await session.commands();
  return [
    ...session.builtIn.map((command) => ({
      name: command.name,
      description: command.description,
      argumentHint: command.argumentHint,
      complete: (typed: string) => command.complete?.(typed, session) ?? [],
    })),
    ...own.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })),
  ];
}
