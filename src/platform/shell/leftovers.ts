import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SessionPort } from '../../contract/tool-context.js';
import { spareFolders } from '../files/spare-folder.js';
import { ownRecords } from '../own-records.js';
import { sharedRound } from '../shared-round.js';

/** The folder in which each Helve process with shells registers itself. */
export const runningFolder = (dataFolder: string): string => join(dataFolder, 'running');

/** The same while the data folder can't be written. */
export const spareRunningFolder = (spare: string): string => join(spare, SPARE_NAME);
const SPARE_NAME = '.running'; // not the id of a session
export const isSpareRunningFolder = (folder: string): boolean => basename(folder) === SPARE_NAME;

/** All that is written down, by path. */
export const recordsOf = (dataFolder: string): string[] =>
  [runningFolder(dataFolder), ...spareFolders(dataFolder).map(spareRunningFolder)].flatMap((folder) => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return []; // there is no such folder yet
    }
  });

/** Those that other processes have written. */
export function recordsOfOthers(dataFolder: string): string[] {
  const ours = ownRecords();
  return recordsOf(dataFolder).filter((file) => !ours.has(file));
}

/** Ends processes that killed sessions have left running, once per session; keep it with `session.own`. Never fails. */
export async function reapedLeftovers({ dataFolder }: Pick<SessionPort, 'dataFolder'>): Promise<void> {
  try {
    if (recordsOfOthers(dataFolder).length === 0) return;
    const { reapLeftovers } = await import('./reap.js');
    await sharedRound(`reap ${dataFolder}`, () => reapLeftovers(dataFolder));
  } catch {
    // the next start tries again
  }
}
