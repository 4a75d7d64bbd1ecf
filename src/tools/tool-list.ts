import type { BuiltInTool } from '../contract/tool.js';

/** The only list of the tools that are built in, by name. Each entry loads the file that defines the tool. */
export const toolList: Readonly<Record<string, () => Promise<BuiltInTool>>> = {
  AgentOutput: async () => (await import('./agent-output.js')).agentOutputTool,
  apply_patch: async () => (await import('./apply-patch.js')).applyPatchTool,
  Architect: async () => (await import('./architect.js')).architectTool,
  AskUserQuestion: async () => (await import('./ask-user-question.js')).askUserQuestionTool,
  BashOutput: async () => (await import('./bash/bash-output.js')).bashOutputTool,
  Bash: async () => (await import('./bash/bash.js')).bashTool,
  Edit: async () => (await import('./edit.js')).editTool,
  EnterPlanMode: async () => (await import('./enter-plan-mode.js')).enterPlanModeTool,
  ExitPlanMode: async () => (await import('./exit-plan-mode.js')).exitPlanModeTool,
  Glob: async () => (await import('./glob.js')).globTool,
  Grep: async () => (await import('./grep.js')).grepTool,
  KillShell: async () => (await import('./bash/kill-shell.js')).killShellTool,
  ListMcpResources: async () => (await import('./list-mcp-resources.js')).listMcpResourcesTool,
  LS: async () => (await import('./ls.js')).lsTool,
  MemoryRead: async () => (await import('./memory/memory-read.js')).memoryReadTool,
  MemoryWrite: async () => (await import('./memory/memory-write.js')).memoryWriteTool,
  MultiEdit: async () => (await import('./multi-edit.js')).multiEditTool,
  NotebookEdit: async () => (await import('./notebook-edit.js')).notebookEditTool,
  NotebookRead: async () => (await import('./notebook-read.js')).notebookReadTool,
  ReadMcpResource: async () => (await import('./read-mcp-resource.js')).readMcpResourceTool,
  Read: async () => (await import('./read.js')).readTool,
  Skill: async () => (await import('./skill.js')).skillTool,
  SlashCommand: async () => (await import('./slash-command.js')).slashCommandTool,
  Task: async () => (await import('./task.js')).taskTool,
  Think: async () => (await import('./think.js')).thinkTool,
  TodoWrite: async () => (await import('./todo-write.js')).todoWriteTool,
  ToolSearch: async () => (await import('./tool-search.js')).toolSearchTool,
  WebFetch: async () => (await import('./web-fetch.js')).webFetchTool,
  WebSearch: async () => (await import('./web-search.js')).webSearchTool,
  Write: async () => (await import('./write.js')).writeTool,
  ...gatedTools(),
};

declare const HELVE_FEATURE_STICKER_REQUEST: boolean | undefined; // set by the build

/** Tools that are built only if their feature gate is on; if it is off, the bundle contains nothing of them. */
function gatedTools(): typeof toolList {
  if (typeof HELVE_FEATURE_STICKER_REQUEST === 'boolean' && HELVE_FEATURE_STICKER_REQUEST) {
    return { StickerRequest: async () => (await import('./sticker-request.js')).stickerRequestTool };
  }
  return {};
}
