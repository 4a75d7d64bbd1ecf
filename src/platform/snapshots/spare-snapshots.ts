// Snapshots of a workspace whose data folder may be full, read-only or broken: the temporary journal takes those that the
// usual one can't, and they move to the data folder with it.
import type { FileChanges, TemporaryJournal } from '../../contract/file-change.js';
import { type NewFiles, watchNewFiles } from './new-files.js';
import type { SnapshotCoverage, WorkspaceSnapshotOptions, WorkspaceSnapshots } from './snapshot-contract.js';
import { createWorkspaceSnapshots } from './workspace-snapshot.js';

interface Spare {
  snapshots: WorkspaceSnapshots;
  release(): void;
}

export function snapshotsWithSpareJournal(
  options: WorkspaceSnapshotOptions,
  changes: Pick<FileChanges, 'temporaryJournal' | 'temporaryJournalInUse'>,
): WorkspaceSnapshots {
  const usual = createWorkspaceSnapshots(options);
  const spares = new Map<string, WorkspaceSnapshots>(); // by their folder
  const bySpare = new Map<string, Spare>(); // commands, by call
  const of = (callId: string): WorkspaceSnapshots => bySpare.get(callId)?.snapshots ?? usual;

  const spareIn = ({ dataFolder, release }: TemporaryJournal): Spare => {
    const excluded = [...(options.excluded ?? []), options.dataFolder];
    const snapshots = spares.get(dataFolder) ?? createWorkspaceSnapshots({ ...options, dataFolder, excluded });
    spares.set(dataFolder, snapshots);
    return { snapshots, release };
  };
  /** Undefined if the temporary journal does not cover the command either. */
  const beforeInSpare = async (
    journal: TemporaryJournal | undefined,
    ...args: Parameters<WorkspaceSnapshots['before']>
  ): Promise<SnapshotCoverage | undefined> => {
    if (!journal) return undefined;
    const spare = spareIn(journal);
    const [callId] = args;
    try {
      const coverage = await spare.snapshots.before(...args);
      if (coverage.notCovered === undefined) {
        bySpare.set(callId, spare);
        return coverage;
      }
    } catch (error) {
      spare.release();
      throw error; // aborted
    }
    await spare.snapshots.drop(callId);
    spare.release();
    return undefined;
  };

  return {
    async prepare() {
      await usual.prepare();
    },
    async before(callId, signal, writes) {
      const inUse = await changes.temporaryJournalInUse?.().catch(() => undefined);
      const first = await beforeInSpare(inUse, callId, signal, writes);
      if (first) return first;
      const coverage = await usual.before(callId, signal, writes);
      if (coverage.notCovered === undefined || inUse) return coverage;
      const journal = await changes.temporaryJournal?.(coverage.cause).catch(() => undefined);
      const second = await beforeInSpare(journal, callId, signal, writes);
      if (second) await usual.drop(callId);
      return second ?? coverage;
    },
    async drop(callId) {
      await of(callId).drop(callId);
      bySpare.get(callId)?.release();
      bySpare.delete(callId);
    },
    leave: (callId) => of(callId).leave(callId),
    async after(callId) {
      try {
        return await of(callId).after(callId);
      } finally {
        bySpare.get(callId)?.release();
        bySpare.delete(callId);
      }
    },
    async end() {
      for (const snapshots of [usual, ...spares.values()]) await snapshots.end();
    },
  };
}

/** The same for a command that only creates files. */
export async function watchNewFilesWithSpareJournal(
  about: NewFiles,
  changes: Pick<FileChanges, 'temporaryJournal' | 'temporaryJournalInUse'>,
): Promise<(isLeft: boolean) => Promise<void>> {
  const inSpare = async ({ dataFolder, release }: TemporaryJournal): Promise<(isLeft: boolean) => Promise<void>> => {
    try {
      const record = await watchNewFiles({ ...about, dataFolder });
      return async (isLeft) => await record(isLeft).finally(release);
    } catch (error) {
      release();
      throw error;
    }
  };
  const inUse = await changes.temporaryJournalInUse?.().catch(() => undefined);
  if (inUse) return await inSpare(inUse);
  try {
    return await watchNewFiles(about);
  } catch (error) {
    const journal = await changes.temporaryJournal?.(error).catch(() => undefined);
    if (!journal) throw error;
    return await inSpare(journal);
  }
}
