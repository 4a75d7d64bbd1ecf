// Where undo looks for the changes of sessions: the data folder, and the journals that are kept in the temporary folder
// while the data folder can't be written. Each of those replaces the data folder for one session.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { otherSpareFolders, spareFolders } from '../platform/files/spare-folder.js';
import { listSessions } from '../platform/journal/journal.js';
import { counted } from '../platform/text/counted.js';

export interface UndoPlace {
  sessionId: string;
  changedAt: Date;
  /** The data folder, or its replacement. */
  dataFolder: string;
}

/** The sessions that have changed files, latest first; a replacement takes precedence over the data folder. */
export async function undoPlaces(dataFolder: string): Promise<UndoPlace[]> {
  const places: UndoPlace[] = [];
  for (const folder of [...waitingJournals(spareFolders(dataFolder)), dataFolder]) {
    for (const session of await listSessions(folder)) {
      if (places.some(({ sessionId }) => sessionId === session.sessionId)) continue;
      places.push({ ...session, dataFolder: folder });
    }
  }
  return places.toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
}

/** A notice about sessions of other data folders that are kept in the temporary folder; empty if there are none. */
export function waitingElsewhere(dataFolder: string): string {
  const sentences = otherSpareFolders(dataFolder).flatMap((folder) => {
    const count = waitingJournals([folder]).length;
    const sessions = counted(count, 'session');
    return count === 0 ? [] : [` ${sessions} that changed files with another data folder are kept in ${folder}.`];
  });
  return sentences.length === 0
    ? ''
    : `${sentences.join('')} To undo their changes, run helve undo with the HELVE_HOME that they had.`;
}

const waitingJournals = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => readdirSync(folder).map((id) => join(folder, id)))
    .filter((folder) => existsSync(join(folder, 'journal', 'sessions')));
