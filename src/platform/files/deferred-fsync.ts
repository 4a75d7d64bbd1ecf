// A change must reach the disk to survive a power failure, and fsync takes longer than all the rest of a change.
// Callers that need durability await it. If only the order of writes matters, and the file system preserves it, the
// fsync runs in the background.

import { closeSync, fsync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorClause } from '../text/clause.js';
import { WriteFailure } from './write-failure.js';

const fsyncInThread = promisify(fsync);

const MAX_WAITING = 64; // files that are held open meanwhile
const PAUSE_MS = 50; // file creation blocks while the disk writes, so work that follows immediately goes first

/** A way to fsync open files. */
export interface FsyncStrategy {
  /** Takes ownership of the descriptor, and closes it after the fsync. */
  take(descriptor: number): Promise<void>;
}

/** Resolves when the file is on disk. */
export const immediateFsync: FsyncStrategy = {
  async take(descriptor) {
    try {
      await fsyncInThread(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

/** Fsyncs files one after the other, when there is a pause in the work. */
export class DeferredFsync {
  readonly #waiting: Array<{ descriptor: number; real: string }> = [];
  #running: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failure: WriteFailure | undefined;

  /** For all files of a change. Resolves at once, unless too many are queued. */
  of(real: string): FsyncStrategy {
    return { take: (descriptor) => this.#take(descriptor, real) };
  }

  async #take(descriptor: number, real: string): Promise<void> {
    this.#waiting.push({ descriptor, real });
    this.#pause ??= setTimeout(() => this.#begin(), PAUSE_MS);
    this.#pause.refresh();
    if (this.#waiting.length > MAX_WAITING) await this.#begin();
  }

  /** Resolves when everything is on disk. */
  async settled(): Promise<void> {
    await this.#begin();
    this.throwIfFailed();
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#waiting.length > 0) this.#running ??= this.#run(); // otherwise it would end before it is known to run
    await this.#running;
  }

  /** Reports once that an fsync has failed. */
  throwIfFailed(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { descriptor, real } = next;
      await immediateFsync.take(descriptor).catch((error: unknown) => {
        this.#failure ??= notOnDisk(real, error);
      });
    }
    this.#running = undefined;
  }
}

const notOnDisk = (real: string, cause: unknown): WriteFailure =>
  new WriteFailure(
    'EIO',
    `An earlier change of ${real} may not be on the disk: ${errorClause(cause)}. Nothing else was changed. Ask the user to check the disk, and look at the file before you go on.`,
    { cause },
  );

// By Linux magic numbers. On these, after a power failure a file that was replaced by a rename has its old content or
// its new, even if no fsync was awaited in between. Not on btrfs: since Linux 3.17 it starts writing such a file but
// does not wait for it, so an empty file may be found.
const ordered: ReadonlySet<number> = new Set([
  0xef53, // ext4
  0x01021994, // tmpfs, which does not survive a power failure at all
]);

/** Whether the file system writes a renamed file's content to disk before its name. */
export function ordersDataBeforeRename(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return ordered.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
