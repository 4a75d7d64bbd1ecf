import type { FileChange, FileChanges } from '../../contract/file-change.js';
import { hashOf, randomHex } from '../crypto.js';
import { AttributeFreeFiles } from '../files/attribute-free-files.js';
import { attributeCopier } from '../files/copy-attributes.js';
import { DeferredFsync } from '../files/deferred-fsync.js';
import { elidedPath, isInside } from '../files/paths.js';
import { WriteFailure } from '../files/write-failure.js';
import { ChangeAttempt, type ChangeTools, lockKeys } from './change-attempt.js';
import { journalFolders, makeJournal } from './journal.js';
import { journalError } from './journal-unwritable.js';
import { lockName } from './lock.js';
import { type ProcessIdentity, thisProcess } from './process-identity.js';

const LOCK_WAIT_MS = 30_000;

export interface FileChangesOptions {
  dataFolder: string;
  sessionId: string;
  /** How long to wait for a file that another process is changing. */
  lockWaitMs?: number;
}

/** Creates the object only; the journal is opened with the first change. */
export function createFileChanges({
  dataFolder,
  sessionId,
  lockWaitMs = LOCK_WAIT_MS,
}: FileChangesOptions): FileChanges {
  const folders = journalFolders(dataFolder);
  const turns = new KeyedMutex();
  const copier = attributeCopier();
  const tools: ChangeTools = { plain: new AttributeFreeFiles(), copy: copier.copy, behind: new DeferredFsync() };
  let ready: Promise<ProcessIdentity> | undefined;
  const prepare = async (): Promise<ProcessIdentity> => {
    await makeJournal(folders);
    return await thisProcess();
  };

  return {
    async apply(callId, changes) {
      if (changes.length === 0) return;
      assertPossible(changes);
      tools.behind.throwIfFailed();
      ready ??= prepare();
      const owner = await ready.catch(async (error) => {
        ready = undefined; // retry with the next change, in case the problem has been fixed
        throw await journalError(error, folders.top);
      });
      const afterHashes = changes.map(({ after }) => after && hashOf(after));
      for (;;) {
        const keys = lockKeys(changes);
        const attempt = new ChangeAttempt(folders, tools, changes, {
          token: randomHex(12),
          owner,
          sessionId,
          callId,
          at: new Date().toISOString(),
          locks: keys.map(lockName).toSorted(),
          files: changes.map(({ real, before }, index) => ({ real, before, after: afterHashes[index] ?? null })),
        });
        const outcome = await turns.take(keys, () => attempt.run(lockWaitMs));
        if (outcome === 'done') return;
      }
    },

    settled: () => tools.behind.settled(),
    rest: () => copier.end(),
  };
}

/** Runs work that needs the same keys one after the other, in order of arrival. */
class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** All keys are acquired at once, which prevents deadlocks. */
  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.map((key) => this.#last.get(key));
    const { promise: done, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#last.set(key, done);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      resolve();
      for (const key of keys) if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}

function assertPossible(changes: readonly FileChange[]): void {
  const paths = changes.map(({ real }) => real);
  const twice = paths.find((real, index) => paths.indexOf(real) !== index);
  if (twice !== undefined) throw new TypeError(`${twice} is changed twice at once. Make it one change.`);
  const made = changes.filter(({ after }) => after !== null).map(({ real }) => real);
  for (const real of made) {
    const file = made.find((other) => other !== real && isInside(other, real));
    if (file === undefined) continue;
    throw new WriteFailure(
      'ENOTDIR',
      `${elidedPath(real)} was not written: ${elidedPath(file)} becomes a file in the same change, so it can't be a folder. Nothing was changed. Choose another path for one of them.`,
    );
  }
}
