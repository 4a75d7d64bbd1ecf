import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionPort } from '../../contract/tool-context.js';
import { sharedRound } from '../shared-round.js';

/** Where each Helve that has shells writes it down. */
export const runningFolder = (dataFolder: string): string => join(dataFolder, 'running');

/** Ends what killed sessions have left running, once in a session; keep it with `session.own`. Never fails. */
export async function reapedLeftovers({ dataFolder }: Pick<SessionPort, 'dataFolder'>): Promise<void> {
  try {
    if (readdirSync(runningFolder(dataFolder)).length === 0) return;
    const { reapLeftovers } = await import('./reap.js');
    await sharedRound(`reap ${dataFolder}`, () => reapLeftovers(dataFolder));
  } catch {
    // there is no such folder yet, or the next start tries again
  }
}
