// Files that another call wrote after the first scan around a command, and that are gone at the second: the command may
// have removed or moved them. Neither scan contains them, only the journal does.
import { dirname } from 'node:path';
import type { JournaledChanges } from '../journal/journaled-changes.js';
import { isFolderChange, nothing, type Part, partsOf } from './snapshot-changes.js';
import { isCutOff, type SnapshotPair } from './snapshot-comparison.js';
import { isGone } from './workspace-tree.js';

/** The parts of a change of one path. */
export interface PathParts {
  path: string;
  parts: readonly Part[];
  isFolder: boolean;
}

/** `isCertain` says whether a call has claimed the file, so that it is known not to be the command's own. */
export function passedFiles(
  { earlier, now }: SnapshotPair,
  journaled: JournaledChanges,
): Array<PathParts & { isCertain: boolean }> {
  const isInWorkspace = (path: string): boolean => {
    for (let at = path; at !== dirname(at); at = dirname(at)) if (earlier.entries.has(at)) return true;
    return false;
  };
  return [...journaled.written()].flatMap(({ path, changes, isCertain }) => {
    const [first, last] = [changes[0], changes.at(-1)];
    if (!first || !last || earlier.entries.has(path) || now.entries.has(path) || !isInWorkspace(path)) return [];
    if (!isCutOff(path, now) && !isGone(path)) return []; // it exists, and was not scanned: git ignores it
    const { parts } = partsOf(path, first.before, nothing, changes);
    return parts.length === 0 ? [] : [{ path, parts, isFolder: isFolderChange(last.after), isCertain }];
  });
}
