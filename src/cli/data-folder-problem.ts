import { lstatSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../platform/error-code.js';
import { realPathSync } from '../platform/files/paths.js';
import { pseudoFileSystem } from '../platform/files/pseudo-file-system.js';
import { errorClause } from '../platform/text/clause.js';

const reasons: Readonly<Record<string, { why: string; next: string }>> = {
  EROFS: { why: 'its file system is read-only', next: 'Make it writable' },
  EACCES: { why: 'permission to write there is missing', next: 'Change its permissions' },
  EPERM: { why: 'permission to write there is missing', next: 'Change its permissions' },
  ENOSPC: { why: 'the disk is full', next: 'Free some space there' },
  EDQUOT: { why: 'the disk quota is used up', next: 'Free some space there' },
  ENOTDIR: { why: 'a file is in the place of the folder, or of one above it', next: 'Move that file away' },
  EEXIST: { why: 'something that is not a folder is in its place', next: 'Move that away' },
  ELOOP: { why: 'its symlinks lead in a circle', next: 'Remove the link' },
  ENOENT: { why: 'no folder can be created in its parent', next: 'Make the folder' },
  EIO: { why: 'the disk reports an error', next: 'Check the disk' },
};

/**
 * Why the data folder can't be written and what to do, for people; undefined for an error of another kind. `why`
 * replaces the usual reason if more is known.
 */
export function dataFolderProblem(error: unknown, folder: string, why?: string): string | undefined {
  const reason = reasons[codeOf(error) ?? ''];
  if (!reason) return undefined;
  return `The data folder ${folder} can't be written: ${why ?? reason.why}. ${reason.next}, or set HELVE_HOME to another folder.`;
}

/** The same before anything is written, as far as that can be known; a full disk shows only when something is. */
export async function findDataFolderProblem(folder: string): Promise<string | undefined> {
  const nearest = nearestEntry(folder);
  const otherFolder = 'set HELVE_HOME to another folder';
  try {
    if (!statSync(nearest).isDirectory()) {
      const where = nearest === folder ? 'there' : `in ${folder}`;
      return `${nearest} is a file, so no data can be kept ${where}. Move it away, or ${otherFolder}.`;
    }
    if (pseudoFileSystem(realPathSync(nearest)) !== undefined) {
      return `${folder} is in a part of the system where no folder can be created. S${otherFolder.slice(1)}.`;
    }
    await access(nearest, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') {
      return `${nearest} is a symlink without a target, so no data can be kept in ${folder}. Remove the symlink, or ${otherFolder}.`;
    }
    return dataFolderProblem(error, folder) ?? `The data folder ${folder} can't be used: ${errorClause(error)}.`;
  }
}

/** The folder itself, or its nearest existing parent: checking must not create it. */
function nearestEntry(path: string): string {
  return path === dirname(path) || isEntry(path) ? path : nearestEntry(dirname(path));
}

export function isEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return codeOf(error) !== 'ENOTDIR'; // then one above it is a file
  }
}
