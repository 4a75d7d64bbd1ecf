// Changes of a file that its editor has not saved. A read shows them; a change of the file is refused, so that neither
// the person's text nor the model's is lost when the editor saves.
import type { ToolContext } from '../contract/tool-context.js';
import { refusal } from './refusal.js';
import type { TargetFile } from './target-file.js';

/** A file that is not on disk has no text there: an empty buffer of it holds nothing that could be lost. */
const NOT_ON_DISK = '';

type BufferContext = Pick<ToolContext, 'session' | 'signal'>;

/** The text in the editor, if it differs from the text on disk; undefined if there are no unsaved changes. */
export async function unsavedText(
  { path }: Pick<TargetFile, 'path'>,
  onDisk: string,
  { session, signal }: BufferContext,
): Promise<string | undefined> {
  const text = await session.buffers?.textOf(path, signal);
  return text === undefined || comparable(text) === comparable(onDisk) ? undefined : text;
}

/** Refuses to change a file that has unsaved changes. `onDisk`: its text; absent if it does not exist. */
export async function refuseUnsaved(target: TargetFile, context: BufferContext, onDisk = NOT_ON_DISK): Promise<void> {
  if ((await unsavedText(target, onDisk, context)) === undefined) return;
  throw refusal(
    `${target.shown} has unsaved changes in the user's editor, so a change on disk would conflict with them. Nothing was written.`,
    {
      problem: `${target.shown} has unsaved changes in the editor. Save or discard them first.`,
      advice: 'Ask the user to save or discard them, then Read the file and send the call again.',
    },
  );
}

/** Editors keep line endings and the byte order mark apart from the text. */
const comparable = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
