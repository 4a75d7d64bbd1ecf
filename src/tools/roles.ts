// Tools that other parts of Helve call, offer or leave out by what they are for.

/** The tool whose name rules use for types of agents, whichever tool starts one. */
export const AGENT_TOOL = 'Task';

/** The tool name under which hosts and programs receive the model's questions to the user. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** Switches for an engine without a model, where child agents can't run. */
export const withoutAgents = { Task: false, AgentOutput: false } as const;

/** The tools by which a user's command file runs its commands and reads its files. */
export const ownCallTools = { shell: 'Bash', file: 'Read' } as const;

/** The tool by which a host gets the content of a file as it is. Only its calls can name it. */
export const FILE_CONTENT_TOOL = 'FileContent';

/** The tools by which a host reads files and resources and looks for files, so that it gets only what calls may read. */
export const hostCallTools = {
  file: 'Read',
  content: FILE_CONTENT_TOOL,
  search: 'Glob',
  resource: 'ReadMcpResource',
} as const;

/** The tools of the `simple` mode. */
export const simpleToolNames = ['Bash', 'Read', 'Edit'] as const;
