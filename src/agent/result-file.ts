import { closeSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';

const MIN_FREE_BYTES = 64 * 1024; // below it not even a short output is sure to fit

/** Makes an empty private file for a result: in the folder, or in the spare one where the folder can't take it. */
export function newResultFile(folder: string, name: string, spare: () => string): string {
  const safeName = name.replaceAll(/[^a-zA-Z0-9._-]/g, '_').slice(-100); // a provider's id may hold anything
  try {
    mkdirPrivate(folder);
    if (hasRoom(folder)) return freeName(folder, safeName);
  } catch {
    // read-only, full, or not ours: the spare folder tells what is wrong where it can't take it either
  }
  return freeName(spare(), safeName);
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
