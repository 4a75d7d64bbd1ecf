// What permission rules, hooks and replays know of tools, as a table made from what each tool declares.
import type { BuiltInTool } from '../contract/tool.js';
import type { ToolTable, ToolTraits } from '../contract/tool-traits.js';
import { FILE_CONTENT_TOOL } from './roles.js';

/** The table of these tools, with what is known of tools that only other agents have. */
export const tableOf = (tools: readonly BuiltInTool[]): ToolTable => ({
  traits: new Map([...otherTraits, ...tools.map(({ name, traits = {} }): [string, ToolTraits] => [name, traits])]),
  familiarNames: new Set([...tools.map(({ name }) => name), ...otherNames]),
});

/** A program may bring a tool of this name. */
const otherTraits: ReadonlyArray<[string, ToolTraits]> = [
  ['Agent', { worksAs: ['Task'] }],
  // A host gets files by it, and no model has it.
  [FILE_CONTENT_TOOL, { family: 'read', subject: ['file_path'], fields: ['file_path'], worksAs: ['Read'] }],
];

const otherNames: readonly string[] = [
  ...['TodoRead', 'Monitor', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'PowerShell', 'LSP'],
  ...['HelveDocs', 'StructuredOutput'], // tools of Helve that only some sessions have
];
