// The ways into the changing of files that every start passes: nothing of it is loaded where there is nothing to do.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChanges } from '../../contract/file-change.js';
import { sharedRound } from '../shared-round.js';
import type { AnnouncedWriter, AnnouncedWriters } from './announced-writers.js';

import { CLEAN_UP_EVERY_MS } from './clean-up-marker.js';
import type { RollBackUndo } from './recover-changes.js';
import type { SpareJournalOptions } from './spare-journal.js';

/** Changes whose code comes with the first of them. */
export function lazyFileChanges(options: SpareJournalOptions): FileChanges {
  let loading: Promise<FileChanges> | undefined;
  const load = async (): Promise<FileChanges> => (await import('./spare-journal.js')).changesWithSpareJournal(options);
  return {
    async apply(callId, changes) {
      loading ??= load();
      await (await loading).apply(callId, changes);
    },
    async rest() {
      await (await loading)?.rest();
    },
    async settled() {
      await (await loading)?.settled();
    },
  };
}

/** The writers of a session that it announces to others, once in a session; keep it with `session.own`. */
export function sessionWriters(session: { dataFolder: string; id: string }): Pick<AnnouncedWriters, 'begin'> {
  let loading: Promise<AnnouncedWriters> | undefined;
  const load = async (): Promise<AnnouncedWriters> =>
    new (await import('./announced-writers.js')).AnnouncedWriters(session);
  return {
    async begin(writer: AnnouncedWriter) {
      loading ??= load();
      return await (await loading).begin(writer);
    },
  };
}

/** Recovers what changes were cut short, and says it in words. Where nothing was, two looks at the journal show it. */
export async function recoverIfNeeded(dataFolder: string, takeBackUndo?: RollBackUndo): Promise<string | undefined> {
  if (!needsCare(join(dataFolder, 'journal'))) return undefined;
  const { describeRecovery, recoverChanges } = await import('./recover-changes.js');
  // Agents that start at the same time see the same records. The first of them tells the person.
  const key = `recover ${dataFolder}${takeBackUndo ? ' with undos' : ''}`;
  const found = await sharedRound(key, async () => ({
    text: describeRecovery(await recoverChanges(dataFolder, takeBackUndo)),
  }));
  const { text } = found;
  found.text = undefined;
  return text;
}

/** How long the list of a session's changes is by now: what is listed later stands behind it, whatever the clock says. */
export const journaledBytes = (dataFolder: string, sessionId: string): number =>
  statSync(join(dataFolder, 'journal', 'sessions', `${sessionId}.jsonl`), { throwIfNoEntry: false })?.size ?? 0;

/** Whether a change is on its way, or the journal has not been tidied today. */
function needsCare(journal: string): boolean {
  try {
    if (readdirSync(join(journal, 'open')).length > 0) return true;
    if (existsSync(join(journal, 'commands')) && readdirSync(join(journal, 'commands')).length > 0) return true;
    const tidied = statSync(join(journal, 'pruned'), { throwIfNoEntry: false });
    return tidied === undefined || Date.now() - tidied.mtimeMs >= CLEAN_UP_EVERY_MS;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT'); // then recovery tells what is wrong
  }
}
