// An undo consists of many changes. While it is in progress, a marker stands beside its record, so that the next
// start after a kill rolls it back as a whole:
//
//   journal/open/<token>.undo
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalFolders, writeNew } from './journal.js';
import { closeRecord, openRecord } from './lock.js';

export const markerPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.undo`);

/** Call it before an undo changes anything. Call the returned function when the undo is completed or rolled back. */
export async function markUndo(
  folders: JournalFolders,
  { sessionId, undoId }: { sessionId: string; undoId: string },
): Promise<() => Promise<void>> {
  const record = await openRecord(folders, { sessionId, callId: undoId, durable: true });
  await writeNew(markerPath(folders, record.token), '');
  return async () => {
    rmSync(markerPath(folders, record.token), { force: true });
    await closeRecord(folders, record, []);
  };
}
