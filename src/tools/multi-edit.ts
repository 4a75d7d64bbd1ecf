import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { counted } from '../platform/text/counted.js';
import { wholePatch } from '../platform/text/whole-patch.js';
import type { TextEdit } from './editing/apply-edit.js';
import { changeFiles } from './editing/commit-changes.js';
import type { FilePlan } from './editing/fit-to-disk.js';
import { hunksOf } from './editing/patch/structured-patch.js';
import { checkOf, diffOf, type SettledPlan, settled, textsOf } from './editing/plan-change.js';
import { planEdits } from './editing/plan-edits.js';
import { type EditReport, reportEdit } from './editing/report-edit.js';
import { effectsOfChanges } from './file-effect.js';
import { editAliases, editFields, pathText, withAliases } from './input.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Replace several pieces of text, in one file or in several: all edits happen or none.
Made in order, each in what the ones before leave; old_string as in Edit. Edits that overlap or contradict each other are refused.`;

const oneEdit = withAliases(
  editAliases,
  z.strictObject({
    ...editFields,
    file_path: pathText.optional().describe('If another'),
  }),
);

const input = withAliases(
  editAliases,
  z.strictObject({
    file_path: pathText,
    edits: z.array(oneEdit).min(1),
  }),
);

type MultiEditInput = z.output<typeof input>;

interface MultiEditData {
  files: EditReport[];
  edits: number;
}

export const multiEditTool = defineTool<MultiEditInput, MultiEditData>({
  name: 'MultiEdit',
  title: 'Edit',
  about: 'Replaces several pieces of text, in one file or in several.',
  traits: { family: 'edit', subject: ['file_path'], fields: ['file_path'], worksAs: ['Edit'] },
  description,
  input,

  async effects(call, context) {
    return await effectsOfChanges(pathsOf(call), context);
  },

  async validate(call, context) {
    return checkOf((await plan(call, context)).map(textsOf));
  },

  // Reads and matches everything again: since the check, the user may have taken time to answer a question.
  async execute(call, context) {
    const look = async (): Promise<SettledPlan[]> => {
      const plans: SettledPlan[] = [];
      for (const one of await plan(call, context)) plans.push(await settled(one, context));
      return plans;
    };
    const { plan: done, notes } = await changeFiles(context, look, (plans) => plans);
    return {
      edits: call.edits.length,
      files: done.map((one, index) => reportEdit(one, notes[index] ?? [])),
    };
  },

  toModel({ files }) {
    const summaries = files.map(({ summary }) => summary).join('\n');
    const places = files.map(({ path, place }) => (files.length > 1 ? `${path}: ${place}` : place));
    return [summaries, ...files.map(({ patch }) => patch), ...places].filter(Boolean).join('\n\n');
  },

  toHooks: ({ files }, { edits }) => ({
    filePath: files[0]?.file,
    edits,
    originalFileContents: files[0]?.original,
    structuredPatch: files.flatMap(({ patch }) => hunksOf(patch)),
    userModified: false,
  }),

  displayCall: ({ file_path = '', edits }) => ({
    title: file_path,
    ...(Array.isArray(edits) && { facts: [counted(edits.length, 'edit')] }),
  }),
  displayResult: ({ files, edits }) => ({
    title: names(files),
    facts: [counted(edits, 'edit')],
    body: { type: 'diff', path: names(files), patch: files.map(({ patch }) => patch).join('\n') },
  }),
  displayRefusal: ({ file_path, edits }) => ({
    title: pathsOf({ file_path, edits }).join(', '),
    facts: [counted(edits.length, 'edit')],
    body: diffOf(
      file_path,
      edits.map((edit) => wholePatch(edit.file_path ?? file_path, edit.old_string, edit.new_string)),
    ),
  }),
});

const names = (files: readonly EditReport[]): string => files.map(({ path }) => path).join(', ');

const pathsOf = ({ file_path, edits }: MultiEditInput): string[] => [
  ...new Set(edits.map((edit) => edit.file_path ?? file_path)),
];

/** Groups the edits by file, in order; two paths of one file count as one. */
async function plan({ file_path, edits }: MultiEditInput, context: ToolContext): Promise<FilePlan[]> {
  const files = new Map<string, { target: TargetFile; edits: TextEdit[] }>();
  for (const [index, { file_path: own = file_path, ...edit }] of edits.entries()) {
    const target = await locate(own, context);
    const file = files.get(target.real) ?? { target, edits: [] };
    file.edits.push({ ...edit, number: index + 1 });
    files.set(target.real, file);
  }
  const plans: FilePlan[] = [];
  for (const file of files.values()) {
    context.signal.throwIfAborted();
    plans.push(await planEdits(file.target, file.edits, context));
  }
  return plans;
}
