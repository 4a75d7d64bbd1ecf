// What rules know about tools by name: which ones a path rule speaks for, and what a tool was called elsewhere.

/** The tools that `Read` speaks for, and the ones that `Edit` does. */
export const READING_TOOLS: readonly string[] = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'];
export const EDITING_TOOLS: readonly string[] = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'];

/** The field that a rule's specifier is about, so that a rule on it as a parameter would say the same twice. */
const primaryFields: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  WebFetch: ['url', 'domain'],
  Task: ['subagent_type'],
  Skill: ['skill', 'name'],
  SlashCommand: ['command'],
};

export const isPrimaryField = (tool: string, field: string): boolean =>
  (primaryFields[tool] ?? (isFileTool(tool) ? ['file_path', 'path', 'notebook_path'] : [])).includes(field);

export const isFileTool = (tool: string): boolean => READING_TOOLS.includes(tool) || EDITING_TOOLS.includes(tool);

/** Names whose patterns may hold a colon of their own: only these fields make a parameter rule of it. */
const namedFields: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command', 'timeout', 'description', 'run_in_background', 'dangerouslyDisableSandbox'],
  Skill: ['skill', 'args'],
  SlashCommand: [],
};

const FILE_FIELDS = [
  ...['file_path', 'path', 'notebook_path', 'offset', 'limit', 'pages', 'content', 'old_string', 'new_string'],
  ...['replace_all', 'expected_replacements', 'pattern', 'glob', 'type', 'output_mode', 'multiline', 'head_limit'],
  ...['cell_id', 'cell_type', 'edit_mode', 'new_source'],
];

export function isFieldOf(tool: string, field: string): boolean {
  const fields = namedFields[tool] ?? (isFileTool(tool) ? FILE_FIELDS : undefined);
  return fields ? fields.includes(field) : /^\w+$/.test(field);
}

/** The name here of a tool that a rule calls by an older name. */
export const currentName = (name: string): string =>
  (Object.hasOwn(olderNames, name) ? olderNames[name] : undefined) ?? name;

export const olderNames: Readonly<Record<string, string>> = {
  Agent: 'Task',
  View: 'Read',
  Replace: 'Write',
  GlobTool: 'Glob',
  GrepTool: 'Grep',
  KillBash: 'KillShell',
  TaskStop: 'KillShell',
  TaskOutput: 'AgentOutput',
  AgentOutputTool: 'AgentOutput',
  BashOutputTool: 'BashOutput',
  ListMcpResourcesTool: 'ListMcpResources',
  ReadMcpResourceTool: 'ReadMcpResource',
};

/** Whether agents are known to have a tool of that name, be it here or not. */
export const isFamiliarName = (name: string): boolean => familiarNames.has(name) || isFileTool(name);

const familiarNames: ReadonlySet<string> = new Set([
  ...['Bash', 'BashOutput', 'KillShell', 'Task', 'AgentOutput', 'WebFetch', 'WebSearch', 'Skill', 'SlashCommand'],
  ...['TodoRead', 'TodoWrite', 'ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion', 'ToolSearch', 'Think', 'Monitor'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'PowerShell', 'LSP', 'ListMcpResources', 'ReadMcpResource'],
  ...['HelveDocs', 'StructuredOutput'],
]);
