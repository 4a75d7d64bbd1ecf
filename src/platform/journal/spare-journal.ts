// File changes for a session whose data folder may temporarily be full, read-only or broken. A journal in the spare
// folder is used instead, so that a change is still atomic and can be undone; its content moves to the data folder as
// soon as that is writable again, at the latest at the next start.
import { existsSync } from 'node:fs';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChanges, TemporaryJournal } from '../../contract/file-change.js';
import { makeSpareFolder, unwritableNotice } from '../files/spare-folder.js';
import { BeforeImageReader } from './before-image-pack.js';
import { createFileChanges, type FileChangesOptions } from './file-changes.js';
import {
  type JournalFolders,
  journalFolders,
  listChanges,
  makeJournal,
  recordChange,
  saveBeforeImage,
  sessionChanges,
} from './journal.js';
import { JournalUnwritable, journalError } from './journal-unwritable.js';
import { closeRecord, inspectRecord, openRecord, openTokens, recordPath } from './lock.js';
import { thisProcess } from './process-identity.js';
import { neededBeforeImages } from './recorded-change.js';
import { recoverChanges } from './recover-changes.js';

export interface SpareJournalOptions extends FileChangesOptions {
  /**
   * One sentence for the person when the temporary journal comes into use. Sent once, until the data folder is
   * writable again.
   */
  onProblem?: ((sentence: string) => void) | undefined;
}

export type SpareFileChanges = Required<FileChanges>;

export function changesWithSpareJournal({ onProblem = () => {}, ...options }: SpareJournalOptions): SpareFileChanges {
  const changes = createFileChanges(options);
  let opening: Promise<Spare> | undefined;
  let isReported = false;
  let commands = 0; // that have their snapshots in the temporary journal

  const report = (why: string): void => {
    if (isReported) return;
    isReported = true;
    onProblem(unwritableNotice(options, why));
  };
  const openSpare = async (): Promise<Spare> => {
    const dataFolder = join(makeSpareFolder(options.dataFolder), options.sessionId);
    const close = await claimSpare(journalFolders(dataFolder), options.sessionId);
    return { dataFolder, changes: createFileChanges({ ...options, dataFolder }), close };
  };
  /** True if the temporary journal is empty. */
  const moveBack = async (): Promise<boolean> => {
    const spare = await opening;
    if (!spare) return true;
    if (commands > 0) return false; // a command must find in its own journal what is changed while it runs
    try {
      await moveJournal(journalFolders(spare.dataFolder), journalFolders(options.dataFolder), options.sessionId);
      isReported = false;
      return true;
    } catch {
      return false; // still not writable; the next change tries again
    }
  };

  const spareOpened = async (): Promise<Spare> => {
    opening ??= openSpare();
    return await opening.catch((error) => {
      opening = undefined;
      throw error;
    });
  };
  const temporaryJournal = async (): Promise<TemporaryJournal> => {
    const { dataFolder } = await spareOpened();
    commands += 1;
    let isReleased = false;
    return {
      dataFolder,
      release() {
        if (!isReleased) commands -= 1;
        isReleased = true;
      },
    };
  };

  return {
    async temporaryJournal(cause) {
      const journal = await temporaryJournal();
      const error = await journalError(cause, journalFolders(options.dataFolder).top);
      report(error instanceof JournalUnwritable ? error.why : '');
      return journal;
    },
    async temporaryJournalInUse() {
      return (await moveBack()) ? undefined : await temporaryJournal();
    },
    async apply(callId, wanted) {
      if (!(await moveBack()) && commands > 0) return await (await spareOpened()).changes.apply(callId, wanted);
      try {
        await changes.apply(callId, wanted);
      } catch (error) {
        if (!(error instanceof JournalUnwritable)) throw error;
        const spare = await spareOpened().catch(() => {
          throw error; // the temporary folder isn't writable either
        });
        await spare.changes.apply(callId, wanted).catch((spareError: unknown) => {
          throw spareError instanceof JournalUnwritable ? error : spareError;
        });
        report(error.why);
      }
    },
    async rest() {
      await changes.rest();
      await (await opening)?.changes.rest();
    },
    async settled() {
      await changes.settled();
      const spare = await opening;
      if (!spare) return;
      opening = undefined;
      await spare.changes.settled();
      const isMoved = await moveAtEnd(spare, options);
      await spare.close();
      if (isMoved) await removeSpare(spare.dataFolder);
    },
  };
}

interface Spare {
  dataFolder: string;
  changes: FileChanges;
  /** From then on other processes may move its content. */
  close(): Promise<void>;
}

async function moveAtEnd({ dataFolder }: Spare, options: FileChangesOptions): Promise<boolean> {
  try {
    await moveJournal(journalFolders(dataFolder), journalFolders(options.dataFolder), options.sessionId);
    return true;
  } catch {
    return false; // the next start moves it
  }
}

/**
 * A record of ours in the journal, which shows other processes that it is in use. Returns a function that removes it.
 */
async function claimSpare(folders: JournalFolders, sessionId: string): Promise<() => Promise<void>> {
  await makeJournal(folders);
  const ours = await openRecord(folders, { sessionId });
  return () => closeRecord(folders, ours, []);
}

/**
 * Moves a journal that an earlier process has left in the spare folder of a session. An interrupted change is
 * recovered first. False if another process uses the journal; rejects if the data folder can't be written.
 */
export async function moveSpareJournal(spare: string, dataFolder: string, sessionId: string): Promise<boolean> {
  const from = journalFolders(spare);
  if (!existsSync(from.top)) return true;
  const owner = await thisProcess();
  for (const token of (await openTokens(from)).records) {
    if ((await inspectRecord(recordPath(from, token), owner)).state === 'running') return false;
  }
  const close = await claimSpare(from, sessionId);
  try {
    await recoverChanges(spare);
    await moveJournal(from, journalFolders(dataFolder), sessionId);
  } finally {
    await close();
  }
  await removeSpare(spare);
  return true;
}

async function removeSpare(folder: string): Promise<void> {
  await rm(journalFolders(folder).top, { recursive: true, force: true });
  // The session's other data may be kept beside it, and other sessions' data beside this one's.
  for (const each of [folder, dirname(folder)]) await rmdir(each).catch(() => {});
}

/**
 * Before-images first, then the list that refers to them. Repeating it is safe: an entry that is listed twice counts
 * once.
 */
async function moveJournal(from: JournalFolders, to: JournalFolders, sessionId: string): Promise<void> {
  const list = join(from.sessions, `${sessionId}.jsonl`);
  const text = await readFile(list, 'utf8').catch(() => '');
  if (text === '') return;
  await makeJournal(to);
  const changes = sessionChanges(text);
  const images = new BeforeImageReader(from); // those of commands are in packs
  for (const hash of new Set(changes.flatMap(neededBeforeImages))) {
    const bytes = hash === '' ? undefined : await images.read(hash);
    if (bytes) await saveBeforeImage(to, bytes, hash);
  }
  const listed = await listChanges(dirname(to.top), sessionId);
  for (const { position: _, ...change } of changes) {
    const next = listed.find(({ at }) => at > change.at); // a command may have been listed in the meantime
    await recordChange(to, sessionId, { ...change, ...(next && { earlierThan: next.change }) });
  }
  await rm(list);
}
