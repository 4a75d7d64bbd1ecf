import type { CommandEffect } from '../contract/effect.js';

/** Maps other agents' names for tools to Helve's: models know them from training. */
export function aliasOf(name: string): string | undefined {
  const spelled = name.toLowerCase().replaceAll('-', '_');
  return Object.hasOwn(aliases, spelled) ? aliases[spelled] : undefined;
}

/** A call that was typed into another tool: the call that it means, and what rules about the other tool see. */
export interface TypedCall {
  name: string;
  input: { input: string };
  /** The effect of the typed command, for rules. The command is not run. */
  command: CommandEffect;
}

/**
 * The call that another call means: a patch typed into a shell, by models that know apply_patch as a program, becomes a
 * call of apply_patch. Undefined for all other calls.
 */
export function meantCall(name: string, input: unknown): TypedCall | undefined {
  if (name !== 'Bash' || typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  const { command } = input;
  const [, , , patch] = (typeof command === 'string' ? PATCH_COMMAND.exec(command) : undefined) ?? [];
  if (patch === undefined) return undefined;
  const typed: CommandEffect = { kind: 'command', text: 'apply_patch', argv: ['apply_patch'], harmless: true };
  return { name: 'apply_patch', input: { input: patch }, command: typed };
}

const PATCH_COMMAND = /^\s*apply_patch\s*<<-?\s*(['"]?)(\w+)\1[ \t]*\n([\s\S]*?\n)\2\s*$/;

/** The reverse: the Bash input that means this apply_patch input. Undefined if the input has another shape. */
export function typedInput(input: Readonly<Record<string, unknown>>): { command: string } | undefined {
  const { input: patch = input['patch'] } = input;
  if (typeof patch !== 'string') return undefined;
  let mark = 'EOF';
  while (patch.split('\n').some((line) => line.startsWith(mark))) mark += '_';
  return { command: `apply_patch <<'${mark}'\n${patch.replace(/\n$/, '')}\n${mark}` };
}

// Only unambiguous names, and tools that do the same with the same kind of input.
const aliases: Readonly<Record<string, string>> = {
  read_file: 'Read',
  view_file: 'Read',
  open_file: 'Read',
  write_file: 'Write',
  create_file: 'Write',
  edit_file: 'Edit',
  str_replace: 'Edit',
  replace: 'Edit',
  multi_edit: 'MultiEdit',
  list_dir: 'LS',
  list_directory: 'LS',
  list_files: 'LS',
  find_files: 'Glob',
  file_search: 'Glob',
  grep_search: 'Grep',
  search_file_content: 'Grep',
  agent: 'Task',
  dispatch_agent: 'Task',
  agent_output: 'AgentOutput',
  agentoutputtool: 'AgentOutput',
  shell: 'Bash',
  run_command: 'Bash',
  execute_command: 'Bash',
  run_shell_command: 'Bash',
  todo_write: 'TodoWrite',
  google_web_search: 'WebSearch',
  web_fetch: 'WebFetch',
  ask_user_question: 'AskUserQuestion',
  enter_plan_mode: 'EnterPlanMode',
  exit_plan_mode: 'ExitPlanMode',
};
