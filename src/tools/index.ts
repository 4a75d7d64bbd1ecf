import type { BuiltInTool, Tool } from '../contract/tool.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { agentOutputTool } from './agent-output.js';
import { applyPatchTool } from './apply-patch.js';
import { architectTool } from './architect.js';
import { askUserQuestionTool } from './ask-user-question.js';
import { bashTool } from './bash/bash.js';
import { bashOutputTool } from './bash/bash-output.js';
import { killShellTool } from './bash/kill-shell.js';
import { editTool } from './edit.js';
import { enterPlanModeTool } from './enter-plan-mode.js';
import { exitPlanModeTool } from './exit-plan-mode.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { listMcpResourcesTool } from './list-mcp-resources.js';
import { lsTool } from './ls.js';
import { memoryReadTool } from './memory/memory-read.js';
import { memoryWriteTool } from './memory/memory-write.js';
import { multiEditTool } from './multi-edit.js';
import { notebookEditTool } from './notebook-edit.js';
import { notebookReadTool } from './notebook-read.js';
import { readTool } from './read.js';
import { readMcpResourceTool } from './read-mcp-resource.js';
import { skillTool } from './skill.js';
import { slashCommandTool } from './slash-command.js';
import { stickerRequest } from './sticker-request.js';
import { taskTool } from './task.js';
import { thinkTool } from './think.js';
import { todoWriteTool } from './todo-write.js';
import { toolSearchTool } from './tool-search.js';
import { tableOf } from './tool-table.js';
import { webFetchTool } from './web-fetch.js';
import { webSearchTool } from './web-search.js';
import { writeTool } from './write.js';

export { changeEffects, readEffects } from './file-effect.js';
export { ownCallTools, simpleToolNames } from './roles.js';

/** The only list of built-in tools. */
export const builtInTools = (): Tool[] => allTools();

/** What permission rules, hooks and replays know of them. */
export const toolTable = (): ToolTable => tableOf(allTools());

const allTools = (): BuiltInTool[] => [
  agentOutputTool,
  applyPatchTool,
  architectTool,
  askUserQuestionTool,
  bashOutputTool,
  bashTool,
  editTool,
  enterPlanModeTool,
  exitPlanModeTool,
  globTool,
  grepTool,
  killShellTool,
  listMcpResourcesTool,
  lsTool,
  memoryReadTool,
  memoryWriteTool,
  multiEditTool,
  notebookEditTool,
  notebookReadTool,
  readMcpResourceTool,
  readTool,
  skillTool,
  slashCommandTool,
  taskTool,
  thinkTool,
  todoWriteTool,
  toolSearchTool,
  webFetchTool,
  webSearchTool,
  writeTool,
  ...gatedTools(),
];

declare const HELVE_FEATURE_STICKER_REQUEST: boolean | undefined; // defined by the build

/** Tools that are built only if their feature gate is on; otherwise nothing of them is in the bundle. */
function gatedTools(): BuiltInTool[] {
  return typeof HELVE_FEATURE_STICKER_REQUEST === 'boolean' && HELVE_FEATURE_STICKER_REQUEST ? [stickerRequest] : [];
}
