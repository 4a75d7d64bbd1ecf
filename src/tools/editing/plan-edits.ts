import type { ToolContext } from '../../contract/tool-context.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { checkEditable, checkEdits, editText, type TextEdit } from './edit-text.js';
import { countingRefusals, type FilePlan, planChange } from './plan-change.js';

/** All that can be wrong with the edits of one file, and what they make of it. */
export async function planEdits(
  target: TargetFile,
  edits: readonly TextEdit[],
  context: ToolContext,
): Promise<FilePlan> {
  checkEdits(edits);
  if (target.real.toLowerCase().endsWith('.ipynb')) {
    throw refusal(
      `${target.shown} is a notebook, and an edit of its text could break it. Nothing was written. Use NotebookEdit to change its cells.`,
    );
  }
  return await countingRefusals(target, edits, context, async () => {
    return await planChange(
      target,
      {
        action: 'edit',
        name: edits.length === 1 ? 'the edit' : 'an edit',
        check: (file) => checkEditable(target, file, edits),
        make: (file, { lines, merged }) => editText(target, file, edits, { seen: lines, exactIsProof: !merged }),
        makeBlind: (file) => editText(target, file, edits, { onlyExact: true }),
      },
      context,
    );
  });
}
