import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.js';
import { WriteFailure } from './write-failure.js';

/**
 * Creates a folder with access for the current user only, and its missing ancestors; an existing one is left as it
 * is. Does not use Node's `recursive`: on file systems without folder creation, such as /proc, Node retries forever.
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

/** False if the parent is missing, or the system reports that. */
function isMade(path: string): boolean {
  if (isFolder(path)) return true; // most often: cheaper than the error for an existing one
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return false;
    // For an existing folder the system may report another error, such as EROFS on a read-only disk.
    if (isFolder(path)) return true;
    throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // the attempt to create it says why
  }
}
