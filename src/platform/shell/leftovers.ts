import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionPort } from '../../contract/tool-context.js';
import { sharedRound } from '../shared-round.js';

/** The folder in which each Helve process with shells registers itself. */
export const runningFolder = (dataFolder: string): string => join(dataFolder, 'running');

/** Ends processes that killed sessions have left running, once per session; keep it with `session.own`. Never fails. */
export async function reapedLeftovers({ dataFolder }: Pick<SessionPort, 'dataFolder'>): Promise<void> {
  try {
    if (readdirSync(runningFolder(dataFolder)).length === 0) return;
    const { reapLeftovers } = await import('./reap.js');
    await sharedRound(`reap ${dataFolder}`, () => reapLeftovers(dataFolder));
  } catch {
    // the folder does not exist yet, or the next start tries again
  }
}
