// A change is to be on the disk, not only in the memory of the system, so that it outlives a power cut. To wait for the
// disk takes longer than all the rest of a change. Who must know that it is there waits. Where the order in which things
// reach the disk is enough, and the file system keeps it, the disk is told to go on and nobody waits.

import { closeSync, fsync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorClause } from '../text/clause.js';
import { WriteFailure } from './write-failure.js';

const fsyncInThread = promisify(fsync);

const MAX_WAITING = 64; // files that are held open meanwhile
const PAUSE_MS = 50; // while the disk writes, whoever makes a file waits: first comes what follows at once

/** Who brings open files to the disk. */
export interface FsyncStrategy {
  /** Takes the descriptor over, and closes it when the file is on the disk. */
  take(descriptor: number): Promise<void>;
}

/** Resolves when the file is on the disk. */
export const immediateFsync: FsyncStrategy = {
  async take(descriptor) {
    try {
      await fsyncInThread(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};

/** Brings files to the disk one after the other, when work pauses. */
export class DeferredFsync {
  readonly #waiting: Array<{ descriptor: number; real: string }> = [];
  #running: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failure: WriteFailure | undefined;

  /** For all that belongs to the change of a file. Resolves at once, unless too many wait. */
  of(real: string): FsyncStrategy {
    return { take: (descriptor) => this.#take(descriptor, real) };
  }

  async #take(descriptor: number, real: string): Promise<void> {
    this.#waiting.push({ descriptor, real });
    this.#pause ??= setTimeout(() => this.#begin(), PAUSE_MS);
    this.#pause.refresh();
    if (this.#waiting.length > MAX_WAITING) await this.#begin();
  }

  /** Resolves when all is on the disk. */
  async settled(): Promise<void> {
    await this.#begin();
    this.throwIfFailed();
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#waiting.length > 0) this.#running ??= this.#run(); // else it would end before it is known to run
    await this.#running;
  }

  /** Tells once that something did not reach the disk. */
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

// By the numbers that Linux gives them. On these, whoever comes after a power cut finds a file that was replaced by a
// rename with its old content or its new, also where nobody waited for the disk in between. Not on btrfs: since Linux
// 3.17 it begins to write such a file, but does not wait for it, and an empty one may be found.
const ordered: ReadonlySet<number> = new Set([
  0xef53, // ext4
  0x01021994, // tmpfs, of which nothing outlives a power cut
]);

/** Whether the file system brings a renamed file's content to the disk before its name. */
export function ordersDataBeforeRename(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return ordered.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
