import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { writeFileAtomically } from '../platform/files/atomic-write.js';
import { spliceBytes } from '../platform/files/text-file.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { type AppliedEdit, applyEdit } from './editing/apply-edit.js';
import { checkFitsChange, checkLinesSeen, hasChanged, seenOf } from './editing/check-editable.js';
import { type Found, findText, lineList } from './editing/find-text.js';
import { afterChanges } from './editing/line-ranges.js';
import { hashOf, type LoadedText, loadText } from './editing/load-text.js';
import { type NormalText, normalText } from './editing/normal-text.js';
import { notFound } from './editing/not-found.js';
import { CONTEXT_LINES, showPlaces } from './editing/show-place.js';
import { changeEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const description = `Replace a piece of text in a file. Answers with the difference and the edited place.
Use it for small changes of a file that you have read. Use Write for a new file or to rewrite most of one.
old_string must be in the file exactly, blanks and indentation included, and only once: add surrounding lines until it is unique, or set replace_all. Leave out the line numbers that Read shows. Line endings and encoding stay as they are.
It makes no new files, and refuses files that were not read or whose text changed in the place of the edit.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText.describe('The file to change, absolute or relative to the working directory'),
    old_string: z.string().describe('The text to replace, exactly as in the file'),
    new_string: z.string().describe('The text to put in its place'),
    replace_all: z.boolean().optional().describe('Replace every occurrence. Default false'),
    expected_replacements: z
      .int()
      .min(1)
      .optional()
      .describe('Replace all occurrences, and only if there are exactly this many'),
  }),
);

type EditInput = z.output<typeof input>;

interface EditData {
  path: string;
  replacements: number;
  summary: string;
  patch: string;
  place: string;
}

export const editTool = defineTool<EditInput, EditData>({
  name: 'Edit',
  description,
  input,

  effects: ({ file_path }, context) => changeEffects(file_path, context),

  async validate(edit, context) {
    await plan(edit, context);
    return undefined;
  },

  // The file is read again here: between the check and now somebody may have been asked, and may have taken a while.
  async execute(edit, context) {
    const { target, file, found, applied, changed, seen } = await plan(edit, context);
    context.signal.throwIfAborted();
    const bytes = spliceBytes(file, applied.splices);
    await writeFileAtomically(target.real, bytes);
    context.session.ledger.set(target.real, {
      hash: hashOf(bytes),
      size: bytes.length,
      at: new Date(),
      lines: seenAfter(seen, applied, changed),
    });
    return {
      path: target.shown,
      replacements: found.matches.length,
      summary: summarize(target, found, changed),
      patch: unifiedPatch(target.shown, file.text, applied.text),
      place: showPlaces(normalText(applied.text), applied.places),
    };
  },

  toModel: ({ summary, patch, place }) => [summary, patch, place].join('\n\n'),

  displayCall: ({ file_path = '' }) => ({ title: file_path }),
  displayResult: ({ path, replacements, patch }) => ({
    title: `${path}: ${replacements === 1 ? '1 replacement' : `${replacements} replacements`}`,
    body: { type: 'diff', path, patch },
  }),
  displayRefusal: ({ file_path, old_string, new_string }) => ({
    title: file_path,
    body: { type: 'diff', path: file_path, patch: unifiedPatch(file_path, old_string, new_string) },
  }),
});

interface Plan {
  target: TargetFile;
  file: LoadedText;
  found: Found;
  applied: AppliedEdit;
  seen: SeenFile;
  /** The file has other content than the model saw. */
  changed: boolean;
}

/** Everything but the writing, so that the check before and the work itself can't judge differently. */
async function plan(edit: EditInput, context: ToolContext): Promise<Plan> {
  const { old_string, new_string } = edit;
  if (old_string === new_string) throw refusal('old_string and new_string are identical, so there is nothing to do.');
  if (!new_string.isWellFormed() || !old_string.isWellFormed()) {
    throw refusal(
      'old_string or new_string holds half of a surrogate pair, which is no character. Nothing was written. Send whole characters.',
    );
  }
  const target = await locate(edit.file_path, context);
  const file = await loadText(target, context);
  if (file.text === '')
    throw refusal(`${target.shown} is empty, so there is nothing to replace. Use Write to fill it.`);
  if (old_string === '') {
    throw refusal(
      `old_string is empty, and ${target.shown} is not, so there is no telling where new_string belongs. Send the text next to the place in both.`,
    );
  }
  const seen = seenOf(context.session.ledger, target, 'edit');
  const text = normalText(file.text);
  const found = findText(text, old_string);
  const changed = hasChanged(seen, file);
  if (changed) checkFitsChange(target, seen, file, found);
  checkCount(target, text, found, edit);
  if (!changed) checkLinesSeen(target, seen, found);
  return { target, file, found, applied: applyEdit(text, found, edit), seen, changed };
}

function checkCount(target: TargetFile, text: NormalText, found: Found, edit: EditInput): void {
  const { matches, places } = found;
  if (matches.length === 0) throw refusal(notFound(target, text, edit.old_string));
  const expected = edit.expected_replacements;
  if (expected !== undefined) {
    if (matches.length === expected) return;
    throw refusal(
      `expected ${expected} ${expected === 1 ? 'replacement' : 'replacements'}, found ${matches.length} ${matches.length === 1 ? 'match' : 'matches'} (${lineList(matches)}). Nothing was written. Correct the number, or old_string.`,
    );
  }
  if (places === 1 || edit.replace_all) return;
  throw refusal(
    `old_string occurs ${places} times in ${target.shown} (${lineList(matches)}), so it is not unique. Add surrounding lines until it occurs once, or set replace_all to change all ${matches.length}.`,
  );
}

// Of a file with changes that the model has not seen, it now knows the place that it is shown and nothing more.
function seenAfter(seen: SeenFile, { changes, places }: AppliedEdit, changed: boolean): SeenFile['lines'] {
  if (!changed) return afterChanges(seen.lines, changes);
  return places.map(([first, last]) => [Math.max(1, first - CONTEXT_LINES), last + CONTEXT_LINES] as const);
}

function summarize({ shown }: TargetFile, { matches, how }: Found, changed: boolean): string {
  const count = matches.length === 1 ? '1 replacement' : `${matches.length} replacements`;
  const sentences = [`Edited ${shown}: ${count} at ${lineList(matches)}.`];
  if (how === 'quotes') {
    sentences.push('old_string matched after quote normalisation; the quotes in the file were kept.');
  }
  if (changed) {
    sentences.push(
      'The file had changed on disk since you read it; the edit was applied to the new content and the other changes were kept. Read it again before you rely on the rest of it.',
    );
  }
  return sentences.join(' ');
}
