// Changes of files for a session whose data folder may be full, read-only or broken for a while. A journal in a temporary
// folder then stands in, so that a change is still made as a whole and can be undone; what is in that journal moves to
// the data folder as soon as it can be written again.
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileChanges } from '../../contract/file-change.js';
import { createFileChanges, type FileChangesOptions } from './file-changes.js';
import {
  type JournalFolders,
  journalFolders,
  listChanges,
  makeJournal,
  readImageFile,
  recordChange,
  saveImage,
  sessionChanges,
} from './journal.js';
import { JournalUnwritable } from './journal-unwritable.js';

export interface SpareJournalOptions extends FileChangesOptions {
  /** One sentence for the person, when the temporary journal stands in. Once, until the data folder can be written. */
  onProblem?: ((sentence: string) => void) | undefined;
  /** One sentence for the person, at the end, when the temporary journal could not be moved to the data folder. */
  onLost?: ((sentence: string) => void) | undefined;
}

export function changesWithSpareJournal({
  onProblem = () => {},
  onLost = onProblem,
  ...options
}: SpareJournalOptions): FileChanges {
  const changes = createFileChanges(options);
  let spare: { dataFolder: string; changes: FileChanges } | undefined;
  let isReported = false;

  const spareChanges = (): FileChanges => {
    if (!spare) {
      const dataFolder = mkdtempSync(join(tmpdir(), 'helve-journal-'));
      spare = { dataFolder, changes: createFileChanges({ ...options, dataFolder }) };
    }
    return spare.changes;
  };
  /** True where nothing is left in the temporary journal. */
  const moveBack = async (): Promise<boolean> => {
    if (!spare) return true;
    try {
      await moveJournal(journalFolders(spare.dataFolder), journalFolders(options.dataFolder), options.sessionId);
      isReported = false;
      return true;
    } catch {
      return false; // still not to be written; the next change tries again
    }
  };

  return {
    async apply(callId, wanted) {
      await moveBack();
      try {
        await changes.apply(callId, wanted);
      } catch (error) {
        if (!(error instanceof JournalUnwritable)) throw error;
        await spareChanges()
          .apply(callId, wanted)
          .catch((spareError: unknown) => {
            throw spareError instanceof JournalUnwritable ? error : spareError;
          });
        if (isReported) return;
        isReported = true;
        onProblem(
          `The data folder can't be written. Work goes on, and what helve undo needs is kept in a temporary folder until there is room again. ${error.why}`,
        );
      }
    },
    async rest() {
      await changes.rest();
      await spare?.changes.rest();
    },
    async settled() {
      await changes.settled();
      await spare?.changes.settled();
      if (!spare) return;
      if (await moveBack()) await rm(spare.dataFolder, { recursive: true, force: true });
      else
        onLost(
          `The data folder could not be written until the end, so helve undo can't take back the changes of this run. What the files held before is kept in ${join(spare.dataFolder, 'journal')}.`,
        );
    },
  };
}

/** Images first, then the list of changes that names them. Again does no harm: an entry that is listed twice counts once. */
async function moveJournal(from: JournalFolders, to: JournalFolders, sessionId: string): Promise<void> {
  const list = join(from.sessions, `${sessionId}.jsonl`);
  const text = await readFile(list, 'utf8').catch(() => '');
  if (text === '') return;
  await makeJournal(to);
  for (const hash of await readdir(from.images)) {
    const bytes = await readImageFile(from, hash);
    if (bytes) await saveImage(to, bytes, hash);
  }
  const listed = await listChanges(dirname(to.top), sessionId);
  for (const { position: _, ...change } of sessionChanges(text)) {
    const next = listed.find(({ at }) => at > change.at); // a command may have been listed in the meantime
    await recordChange(to, sessionId, { ...change, ...(next && { earlierThan: next.change }) });
  }
  await rm(list);
}
