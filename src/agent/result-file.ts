import { closeSync, mkdtempSync, openSync, statfsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';

const MIN_FREE_BYTES = 64 * 1024; // with less, even a short output may not fit

/** Creates an empty private file for a result in the folder, or in the spare folder if that fails. */
export function newResultFile(folder: string, name: string, spare: () => string): string {
  const safeName = name.replaceAll(/[^a-zA-Z0-9._-]/g, '_').slice(-100); // the id of a provider may contain any characters
  try {
    mkdirPrivate(folder);
    if (hasRoom(folder)) return freeName(folder, safeName);
  } catch {
    // read-only, full or not writable by us: if the spare folder fails too, its error is reported
  }
  return freeName(spare(), safeName);
}

/** The folder for results while the data folder can't be written. Kept after the session unless it is empty. */
export class SpareFolder {
  readonly #atEnd: (remove: () => Promise<void>) => void;
  #path: string | undefined;

  constructor(atEnd: (remove: () => Promise<void>) => void) {
    this.#atEnd = atEnd;
  }

  get path(): string {
    if (this.#path !== undefined) return this.#path;
    const folder = mkdtempSync(join(tmpdir(), 'helve-results-'));
    this.#path = folder;
    this.#atEnd(() => rmdir(folder).catch(() => {}));
    return folder;
  }
}

function freeName(folder: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${number}-${name}`);
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= MIN_FREE_BYTES;
}
