import type { Tool } from '../contract/tool.js';
import { applyPatchTool } from './apply-patch.js';
import { bashTool } from './bash/bash.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { lsTool } from './ls.js';
import { readTool } from './read.js';
import { thinkTool } from './think.js';
import { toolSearchTool } from './tool-search.js';
import { writeTool } from './write.js';

export { changeEffects, readEffects } from './file-effect.js';

/** The only list of the tools that are built in. */
export const builtInTools = (): Tool[] => [
  applyPatchTool,
  bashTool,
  editTool,
  globTool,
  grepTool,
  lsTool,
  readTool,
  thinkTool,
  toolSearchTool,
  writeTool,
];

/** What the `simple` mode keeps. */
export const simpleToolNames = ['Bash', 'Read', 'Edit'] as const;
