import type { ShortTool, ToolProfile } from '../contract/tool-context.js';

const tools = new Map<string, ShortTool>([
  ['Bash', { description: 'Run a command in bash. Returns its output.', parameters: ['command'] }],
  [
    'Edit',
    {
      description:
        'Replace old_string in a file by new_string. Read the file first. old_string must occur exactly once.',
      parameters: ['file_path', 'old_string', 'new_string'],
    },
  ],
  [
    'Grep',
    {
      description:
        'Search files with a regular expression. Returns the names of the files; with output_mode "content" the lines.',
      parameters: ['pattern', 'path', 'output_mode'],
    },
  ],
  [
    'Read',
    {
      description: 'Read a file. For the next part of a long one, set offset to the first line wanted.',
      parameters: ['file_path', 'offset'],
    },
  ],
  [
    'ToolSearch',
    {
      description: (others: readonly string[]) =>
        `Load other tools, for your next message: "select:Name". There are: ${others.join(', ')}`,
      parameters: ['query'],
    },
  ],
  ['Write', { description: 'Create a file, or replace all of it.', parameters: ['file_path', 'content'] }],
]);

/**
 * The profile `small`: the tools that a model has from the start, for models that lose their way among many. It loads
 * the others with the last one. Only the parameters that a task needs are shown; the tools accept all of them.
 */
export const smallProfile: ToolProfile = { tools, search: 'ToolSearch' };
