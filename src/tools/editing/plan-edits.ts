import type { ToolContext } from '../../contract/tool-context.js';
import { fileIdentity } from '../../platform/files/paths.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import type { TextEdit } from './apply-edit.js';
import type { FilePlan } from './fit-to-disk.js';
import { checkEditable, checkEdits, editText } from './match/edit-text.js';
import { countingRefusals, planChange } from './plan-change.js';

/** All checks of the edits of one file, and their result. */
export async function planEdits(
  target: TargetFile,
  edits: readonly TextEdit[],
  context: ToolContext,
): Promise<FilePlan> {
  checkEdits(edits);
  refuseNewFile(target, edits);
  if (target.real.toLowerCase().endsWith('.ipynb')) {
    throw refusal(`${target.shown} is a notebook, and an edit of its text could break it. Nothing was written.`, {
      advice: 'Use NotebookEdit to change its cells.',
    });
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

const MAX_REPEATED_CHARS = 4_000;

/**
 * Other agents create a file by an edit with an empty old text; here that is what Write is for, so that a typo in a
 * path creates no file.
 */
function refuseNewFile({ path, real, shown }: TargetFile, edits: readonly TextEdit[]): void {
  const [edit] = edits;
  if (edits.length !== 1 || edit?.old_string !== '' || fileIdentity(real) !== undefined) return;
  const { new_string: content } = edit;
  const input =
    content.length <= MAX_REPEATED_CHARS
      ? JSON.stringify({ file_path: path, content })
      : `${JSON.stringify({ file_path: path }).slice(0, -1)},"content":…} with your new_string as content`;
  throw refusal(`${shown} does not exist, and an edit makes no file. Nothing was written.`, {
    advice: `To make it, call Write with this input:\n${input}`,
  });
}
