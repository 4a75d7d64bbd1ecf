import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, WriteFailure } from './write-failure.js';

/**
 * Makes a folder for nobody but us, and those above it that are missing; one that is there stays as it is. Not by Node's
 * own option for that: where the system takes no folders, as below /proc, Node tries again without end.
 */
export function mkdirPrivate(path: string): void {
  if (isMade(path)) return;
  const above = dirname(path);
  mkdirPrivate(above);
  if (isMade(path)) return;
  throw new WriteFailure(
    'ENOENT',
    `The folder ${path} can't be made: ${above} is a part of the system that takes no folders. Choose another place; for Helve's own data, HELVE_HOME names it.`,
  );
}

/** False where the folder above is missing, or the system says so. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return false;
    // What is there already may be told in other words, as on a disk that can't be written.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return true;
    throw error;
  }
}
