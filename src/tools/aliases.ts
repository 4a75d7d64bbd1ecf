/** The name here of a tool that other agents call by another: models know these names from elsewhere. */
export function aliasOf(name: string): string | undefined {
  const spelled = name.toLowerCase().replaceAll('-', '_');
  return Object.hasOwn(aliases, spelled) ? aliases[spelled] : undefined;
}

// Only names that leave no doubt, and tools that do the same with the same kind of input.
const aliases: Readonly<Record<string, string>> = {
  read_file: 'Read',
  view_file: 'Read',
  open_file: 'Read',
  write_file: 'Write',
  create_file: 'Write',
  edit_file: 'Edit',
  str_replace: 'Edit',
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
  ask_user_question: 'AskUserQuestion',
  enter_plan_mode: 'EnterPlanMode',
  exit_plan_mode: 'ExitPlanMode',
};
