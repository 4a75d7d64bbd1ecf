import type { FileChange } from '../../contract/file-change.js';
import { type JournalFolders, journalFolders, type RecordedChange, type RecordedFile, readImage } from './journal.js';

/**
 * The changes that take a recorded one back, to be applied like any others: they are refused where a file was changed
 * since, happen all or not at all, and can be taken back themselves.
 */
export async function undoing(dataFolder: string, { files }: RecordedChange): Promise<FileChange[]> {
  const folders = journalFolders(dataFolder);
  const changed = files.filter(({ before, after }) => before !== after);
  return await Promise.all(changed.toReversed().map((file) => backwards(folders, file)));
}

async function backwards(folders: JournalFolders, { real, before, after, mode }: RecordedFile): Promise<FileChange> {
  if (before === null) return { real, before: after, after: null };
  const bytes = await readImage(folders, before);
  if (!bytes) {
    throw new Error(
      `What ${real} held before is not kept any more: copies go after 30 days, or when they are more than 1 GB. Look for it in version control.`,
    );
  }
  return { real, before: after, after: bytes, ...(after === null && mode !== undefined && { mode }) };
}
