// File changes of a session. Every start imports this file, so it loads the journal only when there is work for it.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChanges } from '../../contract/file-change.js';
import type { SessionPort } from '../../contract/tool-context.js';
import { codeOf } from '../error-code.js';
import { lazy } from '../lazy.js';
import { ownRecords } from '../own-records.js';
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
  if (!mayBeInterrupted(join(dataFolder, 'journal'))) return undefined;
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

/** Removes old data from the journal unless that was done today; keep it with `session.own`. Never fails. */
export async function journalCleanUp({ dataFolder }: Pick<SessionPort, 'dataFolder'>): Promise<void> {
  try {
    const journal = join(dataFolder, 'journal');
    const last = statSync(join(journal, 'pruned'), { throwIfNoEntry: false });
    const isDue = last === undefined || Date.now() - last.mtimeMs >= CLEAN_UP_EVERY_MS;
    if (!isDue || !existsSync(journal)) return;
    const { cleanUpJournal } = await import('./recover-changes.js');
    await sharedRound(`clean up ${dataFolder}`, () => cleanUpJournal(dataFolder));
  } catch {
    // it is cleaned up another day
  }
}

/** Whether another process has begun a change or a command, and not ended it. */
function mayBeInterrupted(journal: string): boolean {
  const [open, commands] = [join(journal, 'open'), join(journal, 'commands')];
  const ours = ownRecords();
  try {
    if (readdirSync(open).some((name) => !ours.has(join(open, `${name.split('.')[0]}.json`)))) return true;
    return existsSync(commands) && readdirSync(commands).some((name) => !ours.has(join(commands, name)));
  } catch (error) {
    return codeOf(error) !== 'ENOENT'; // then the recovery reports the problem
  }
}
