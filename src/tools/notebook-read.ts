import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';
import { readEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import type { Cells } from './reading/cells.js';
import { refusal } from './refusal.js';
import { locate, openTarget } from './target-file.js';

const MAX_RESULT_CHARS = 120_000; // the same as for Read

const description = `Read the cells of a Jupyter notebook with their outputs, or one cell of it.
Use it for one cell of a long notebook. Read shows a whole notebook as well.
Long outputs are cut, and images are scaled down; both are said.`;

const input = withAliases(
  { path: 'notebook_path', file_path: 'notebook_path' },
  z.strictObject({
    notebook_path: pathText.describe('The .ipynb file, absolute or relative to the working directory'),
    cell_id: z.string().optional().describe('The id of the cell to read, or cell-N by position from 0. Default all'),
  }),
);

export const notebookReadTool = defineTool<z.output<typeof input>, Cells>({
  name: 'NotebookRead',
  title: 'Read',
  about: 'Reads a Jupyter notebook with its outputs, or one cell of it.',
  traits: {
    family: 'read',
    subject: ['notebook_path'],
    fields: ['notebook_path', 'cell_id'],
    worksAs: ['Read'],
  },
  description,
  input,
  exposure: 'deferred',
  maxResultChars: MAX_RESULT_CHARS,
  effects: ({ notebook_path }, context) => readEffects(notebook_path, context),

  async execute({ notebook_path, cell_id }, context) {
    const target = await locate(notebook_path, context);
    const { handle, stats } = await openTarget(target, context);
    try {
      if (!target.real.toLowerCase().endsWith('.ipynb')) {
        throw refusal(`${target.shown} is not a notebook (its name does not end in .ipynb).`, {
          advice: 'Use Read for it.',
        });
      }
      const { readCells } = await import('./reading/cells.js');
      return await readCells(target, handle, stats.size, cell_id || undefined, context);
    } finally {
      handle.close();
    }
  },

  toModel: ({ blocks }) => blocks,
  displayCall: ({ notebook_path = '', cell_id }) => ({ title: subject(notebook_path, cell_id), looks: 'read' }),
  displayResult: ({ path, shown, total }, { cell_id }) => ({
    title: subject(path, cell_id),
    facts: [shown === total ? counted(total, 'cell') : `${shown} of ${counted(total, 'cell')}`],
    looks: 'read',
  }),
});

const subject = (path: string, cell: string | undefined): string => (cell ? `${path}, cell ${cell}` : path);
