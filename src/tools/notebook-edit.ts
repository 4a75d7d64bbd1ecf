import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { spliceBytes } from '../platform/encodings/text-file.js';
import type { CellEdit, EditedNotebook } from '../platform/formats/notebook-edit.js';
import { firstSentence } from '../platform/text/clause.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { wholePatch } from '../platform/text/whole-patch.js';
import { changedOnDisk, hasChanged, seenOf } from './editing/check-editable.js';
import { changeFiles, type PlannedChange } from './editing/commit-changes.js';
import { type LoadedText, loadText } from './editing/load-text.js';
import { checkOf, diffOf } from './editing/plan-change.js';
import { changeEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Change one cell of a Jupyter notebook: replace its source, insert a new cell, or delete one.
Use it for .ipynb files that you have read; cells are called by the id that Read shows. Use Edit for other files.
A code cell that is replaced loses its outputs, which no longer belong to it. All else in the file stays as it is.`;

const input = withAliases(
  { path: 'notebook_path', file_path: 'notebook_path' },
  z.strictObject({
    notebook_path: pathText.describe('The .ipynb file, absolute or relative to the working directory'),
    cell_id: z
      .string()
      .optional()
      .describe(
        'The id of the cell, or cell-N by position from 0. An insert goes after it; without it, to the beginning',
      ),
    new_source: z.string().default('').describe('The whole new source of the cell. Not used by delete'),
    cell_type: z.enum(['code', 'markdown']).optional().describe('Needed for insert. Default for replace: as it is'),
    edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace').describe('Default replace'),
  }),
);

type NotebookEditInput = z.output<typeof input>;

interface NotebookEditData {
  path: string;
  mode: CellEdit['mode'];
  cell: string;
  type: string;
  patch: string;
  /** Further notes for the result. */
  notes: string[];
}

export const notebookEditTool = defineTool<NotebookEditInput, NotebookEditData>({
  name: 'NotebookEdit',
  title: 'Edit',
  about: 'Replaces, inserts or deletes a cell of a Jupyter notebook.',
  traits: {
    family: 'edit',
    subject: ['notebook_path'],
    fields: ['notebook_path', 'cell_id', 'cell_type', 'edit_mode', 'new_source'],
  },
  description,
  input,
  exposure: 'deferred',
  effects: ({ notebook_path }, context) => changeEffects(notebook_path, context),

  async validate(edit, context) {
    const { target, edited } = await plan(edit, context);
    const cell = { ...target, shown: `cell ${edited.cell} of ${target.shown}` };
    return checkOf([{ target: cell, before: edited.before, after: edited.after }]);
  },

  async execute(edit, context) {
    const { plan: carriedOut, notes } = await changeFiles(context, () => plan(edit, context), plannedChanges);
    const { target, edited } = carriedOut;
    const patch = unifiedPatch(`${target.shown}#${edited.cell}`, edited.before, edited.after);
    return {
      path: target.shown,
      mode: edit.edit_mode,
      cell: edited.cell,
      type: edited.type,
      patch,
      notes: notes.flat(),
    };
  },

  toModel({ path, mode, cell, type, patch, notes }) {
    const what =
      mode === 'replace' && patch === ''
        ? `The source of ${type} cell ${cell} of ${path} is as it was.`
        : `${done[mode]} ${type} cell ${cell} of ${path}.`;
    return `${[what, ...notes].join(' ')}\n\n${patch}`.trimEnd();
  },

  displayCall: ({ notebook_path = '', cell_id, edit_mode = 'replace' }) => ({
    title: notebook_path,
    facts: [asked(edit_mode, cell_id)],
  }),
  displayResult: ({ path, cell, mode, patch }) => ({
    title: path,
    facts: [`cell ${cell} ${mode === 'replace' && patch === '' ? 'unchanged' : done[mode].toLowerCase()}`],
    body: { type: 'diff', path, patch },
  }),
  displayRefusal: ({ notebook_path, cell_id, new_source, edit_mode }) => ({
    title: notebook_path,
    facts: [asked(edit_mode, cell_id)],
    body: diffOf(notebook_path, [wholePatch(notebook_path, '', new_source)]),
  }),
});

/** What is to happen to which cell. */
function asked(mode: CellEdit['mode'], cell: string | undefined): string {
  if (!cell) return `${mode} a cell`;
  return mode === 'insert' ? `insert a cell after ${cell}` : `${mode} cell ${cell}`;
}

const done = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const;

interface Plan {
  target: TargetFile;
  file: LoadedText;
  edited: EditedNotebook;
  seen: SeenFile;
}

// Cells are not lines: unless the text was seen whole, it is no longer known which lines the model knows.
const plannedChanges = ({ target, file, edited, seen }: Plan): PlannedChange[] => [
  {
    target,
    before: file,
    changed: { bytes: spliceBytes(file, edited.splices), lines: seen.lines === 'all' ? 'all' : [] },
  },
];

async function plan(edit: NotebookEditInput, context: ToolContext): Promise<Plan> {
  const target = await locate(edit.notebook_path, context);
  if (!target.real.toLowerCase().endsWith('.ipynb')) {
    throw refusal(`${target.shown} is not a notebook (its name does not end in .ipynb).`, {
      advice: 'Use Edit for it.',
    });
  }
  if (!edit.new_source.isWellFormed()) {
    throw refusal('new_source holds half of a surrogate pair, which is no character. Nothing was written.', {
      advice: 'Send whole characters.',
    });
  }
  const cellEdit = asCellEdit(target, edit);
  const file = await loadText(target, context);
  const seen = seenOf(context.session.ledger, target, 'edit');
  if (hasChanged(seen, file)) {
    throw refusal(`${changedOnDisk(target, seen, file)}, and its cells may be other ones now. Nothing was written.`, {
      advice: 'Read it again, then send the edit again.',
    });
  }
  const { editNotebook } = await import('../platform/formats/notebook-edit.js');
  const { UnusableNotebook } = await import('../platform/formats/notebook.js');
  try {
    return { target, file, edited: editNotebook(file.text, cellEdit), seen };
  } catch (error) {
    throw error instanceof UnusableNotebook
      ? refusal(`${target.shown} ${error.message}`, {
          problem: `${target.shown} ${firstSentence(error.message)}`,
          cause: error,
        })
      : error;
  }
}

function asCellEdit({ shown }: TargetFile, { cell_id, new_source, cell_type, edit_mode }: NotebookEditInput): CellEdit {
  const cell = cell_id || undefined;
  if (edit_mode === 'insert') {
    if (cell_type) return { mode: 'insert', cell, source: new_source, type: cell_type };
    throw refusal(
      `A cell can't be inserted into ${shown} without cell_type, since code and markdown are kept differently.`,
      { advice: 'Send the call again with cell_type "code" or "markdown".' },
    );
  }
  if (cell === undefined) {
    throw refusal(`There is no cell_id, so it is not clear which cell of ${shown} to ${edit_mode}.`, {
      advice: 'Send the call again with the id that Read shows for the cell, or cell-N by its position from 0.',
    });
  }
  if (edit_mode === 'delete') return { mode: 'delete', cell };
  return { mode: 'replace', cell, source: new_source, type: cell_type };
}
