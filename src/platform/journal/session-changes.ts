// File changes of a session. Every start imports this file, so it loads the journal only when there is work for it.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChanges } from '../../contract/file-change.js';
import { codeOf } from '../error-code.js';
import { lazy } from '../lazy.js';
import { sharedRound } from '../shared-round.js';
import type { AnnouncedWriters } from './announced-writers.js';
import { CLEAN_UP_EVERY_MS } from './clean-up-marker.js';
import type { InterruptedCall, RollBackUndo } from './recover-changes.js';
import type { SpareJournalOptions } from './spare-journal.js';

/** The code for changes is loaded with the first of them. */
export function sessionFileChanges(options: SpareJournalOptions): FileChanges {
  const changes = lazy(async () => (await import('./spare-journal.js')).changesWithSpareJournal(options));
  return {
    apply: async (callId, planned) => await (await changes()).apply(callId, planned),
    temporaryJournal: async (cause) => await (await changes()).temporaryJournal(cause),
    temporaryJournalInUse: async () => await (await changes.ifLoaded())?.temporaryJournalInUse(),
    rest: async () => await (await changes.ifLoaded())?.rest(),
    settled: async () => await (await changes.ifLoaded())?.settled(),
  };
}

/** The writers that a session announces to other sessions. Create it once per session, with `session.own`. */
export function sessionWriters(session: { dataFolder: string; id: string }): Pick<AnnouncedWriters, 'begin'> {
  const writers = lazy(async () => new (await import('./announced-writers.js')).AnnouncedWriters(session));
  return { begin: async (writer) => await (await writers()).begin(writer) };
}

/** Recovers interrupted changes, and returns a report in words. If there are none, two directory lookups show it. */
export async function recoverIfNeeded(
  dataFolder: string,
  takeBackUndo?: RollBackUndo,
  titles?: () => Promise<(call: InterruptedCall) => string | undefined>,
  told?: ReadonlySet<string>,
): Promise<string | undefined> {
  if (!needsCare(join(dataFolder, 'journal'))) return undefined;
  const [{ describeRecovery }, { recoverChanges }] = await Promise.all([
    import('./describe-recovery.js'),
    import('./recover-changes.js'),
  ]);
  // Agents that start at the same time see the same records. The first of them reports to the person.
  const key = `recover ${dataFolder}${takeBackUndo ? ' with undos' : ''}`;
  const found = await sharedRound(key, async () => ({
    text: describeRecovery(await recoverChanges(dataFolder, takeBackUndo), await titles?.(), told),
  }));
  const { text } = found;
  found.text = undefined;
  return text;
}

/**
 * The current length of the session's list of changes, in bytes: later entries lie beyond it, regardless of the clock.
 */
export function journaledBytes(dataFolder: string, sessionId: string): number {
  try {
    return statSync(join(dataFolder, 'journal', 'sessions', `${sessionId}.jsonl`)).size;
  } catch {
    return 0; // no list yet, or a journal that can't be read: the first change reports that
  }
}

/** Whether a change is in progress, or the journal has not been cleaned up today. */
function needsCare(journal: string): boolean {
  try {
    if (readdirSync(join(journal, 'open')).length > 0) return true;
    if (existsSync(join(journal, 'commands')) && readdirSync(join(journal, 'commands')).length > 0) return true;
    const tidied = statSync(join(journal, 'pruned'), { throwIfNoEntry: false });
    return tidied === undefined || Date.now() - tidied.mtimeMs >= CLEAN_UP_EVERY_MS;
  } catch (error) {
    return codeOf(error) !== 'ENOENT'; // then the recovery reports the problem
  }
}
