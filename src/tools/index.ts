import type { Tool } from '../contract/tool.js';
import { applyPatchTool } from './apply-patch.js';
import { bashTool } from './bash/bash.js';
import { bashOutputTool } from './bash/bash-output.js';
import { killShellTool } from './bash/kill-shell.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { listMcpResourcesTool } from './list-mcp-resources.js';
import { lsTool } from './ls.js';
import { multiEditTool } from './multi-edit.js';
import { notebookEditTool } from './notebook-edit.js';
import { notebookReadTool } from './notebook-read.js';
import { readTool } from './read.js';
import { readMcpResourceTool } from './read-mcp-resource.js';
import { thinkTool } from './think.js';
import { toolSearchTool } from './tool-search.js';
import { writeTool } from './write.js';

export { changeEffects, readEffects } from './file-effect.js';

/** The only list of the tools that are built in. */
export const builtInTools = (): Tool[] => [
  applyPatchTool,
  bashOutputTool,
  bashTool,
  editTool,
  globTool,
  grepTool,
  killShellTool,
  listMcpResourcesTool,
  lsTool,
  multiEditTool,
  notebookEditTool,
  notebookReadTool,
  readMcpResourceTool,
  readTool,
  thinkTool,
  toolSearchTool,
  writeTool,
];

/** What the `simple` mode keeps. */
export const simpleToolNames = ['Bash', 'Read', 'Edit'] as const;
