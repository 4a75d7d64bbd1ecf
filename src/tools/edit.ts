import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { counted } from '../platform/text/counted.js';
import { wholePatch } from '../platform/text/whole-patch.js';
import { changeFiles } from './editing/commit-changes.js';
import { hunksOf } from './editing/patch/structured-patch.js';
import { checkOf, diffOf, settled, textsOf } from './editing/plan-change.js';
import { planEdits } from './editing/plan-edits.js';
import { type EditReport, reportEdit } from './editing/report-edit.js';
import { changeEffects } from './file-effect.js';
import { editAliases, editFields, pathText, withAliases } from './input.js';
import { locate } from './target-file.js';

const description = `Replace a piece of text in a file that you have read.
For several changes use MultiEdit, for a rewrite Write, for notebooks NotebookEdit.
old_string must match exactly, with its indentation and without Read's line numbers, and only once: add lines around it, or set replace_all. Line endings and encoding stay.`;

const input = withAliases(
  editAliases,
  z.strictObject({
    file_path: pathText,
    ...editFields,
  }),
);

type EditInput = z.output<typeof input>;

export const editTool = defineTool<EditInput, EditReport>({
  name: 'Edit',
  about: 'Replaces a piece of text in a file.',
  traits: {
    family: 'edit',
    subject: ['file_path'],
    fields: ['file_path', 'old_string', 'new_string', 'replace_all', 'expected_replacements'],
    bareRule: 'family',
  },
  description,
  input,

  effects: ({ file_path }, context) => changeEffects(file_path, context),

  async validate(edit, context) {
    return checkOf([textsOf(await plan(edit, context))]);
  },

  // Reads the file again: since the check, the user may have taken time to answer a question.
  async execute(edit, context) {
    const look = async () => await settled(await plan(edit, context), context);
    const { plan: done, notes } = await changeFiles(context, look, (settledPlan) => [settledPlan]);
    return reportEdit(done, notes.flat());
  },

  toModel: ({ summary, patch, place }) => [summary, patch, place].filter(Boolean).join('\n\n'),

  toHooks: ({ file, original, patch }, { old_string, new_string, replace_all = false }) => ({
    filePath: file,
    oldString: old_string,
    newString: new_string,
    originalFile: original,
    structuredPatch: hunksOf(patch),
    userModified: false,
    replaceAll: replace_all,
  }),

  displayCall: ({ file_path = '' }) => ({ title: file_path }),
  displayResult: ({ path, replacements, patch }) => ({
    title: path,
    ...(replacements > 1 && { facts: [counted(replacements, 'replacement')] }),
    body: { type: 'diff', path, patch },
  }),
  displayRefusal: ({ file_path, old_string, new_string }) => ({
    title: file_path,
    body: diffOf(file_path, [wholePatch(file_path, old_string, new_string)]),
  }),
});

async function plan({ file_path, ...edit }: EditInput, context: ToolContext) {
  return await planEdits(await locate(file_path, context), [edit], context);
}
