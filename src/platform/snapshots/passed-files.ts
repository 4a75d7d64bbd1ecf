// Files that another call wrote after the first scan around a command, and that are gone at the second: the command may
// have removed or moved them. Neither scan contains them, only the journal does.
import { dirname } from 'node:path';
import type { Claim } from '../journal/claim-change.js';
import type { JournaledChanges } from '../journal/journaled-changes.js';
import { isFolderChange, nothing, type Part, partsOf } from './snapshot-changes.js';
import { isCutOff, type SnapshotPair } from './snapshot-comparison.js';
import { isGone } from './workspace-tree.js';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'; // SHA-256 of no bytes

/** The parts of a change of one path. */
export interface PathParts {
  path: string;
  parts: readonly Part[];
  isFolder: boolean;
}

/** A path whose change belongs to a command, to none, or to no known one. */
export interface ClaimedPath<Command> {
  parts: readonly Part[];
  claimant: Claim<Command>;
  /** Whether the effects of the claimant name the path. */
  isNamed: boolean;
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

/**
 * Content that another call wrote and that is at another path now was moved there. Both paths belong to the same
 * command; otherwise the new one belongs to none, because its undo would remove the only copy. The same content alone
 * proves nothing if the file is empty, or if one command names the new path and another is known to have removed the
 * old one.
 */
export function withMovedContent<Command, Path extends ClaimedPath<Command>>(paths: readonly Path[]): Path[] {
  const takenBy = new Map<string, Set<Claim<Command>>>();
  for (const { parts, claimant } of paths) {
    for (const { file } of parts.filter(isTaken)) {
      if (file.before !== null) takenBy.set(file.before, (takenBy.get(file.before) ?? new Set()).add(claimant));
    }
  }
  const isOthers = ({ parts, claimant, isNamed }: Path): boolean =>
    claimant !== undefined &&
    parts.some(({ file }) => {
      const takers = file.after === null || file.after === EMPTY ? undefined : takenBy.get(file.after);
      return takers !== undefined && !takers.has(claimant) && (!isNamed || takers.has('unclaimed'));
    });
  return paths.map((one) => (isOthers(one) ? { ...one, claimant: 'unclaimed' } : one));
}

/** Whether the content before it was written by another call while the command ran. */
export const isTaken = ({ file }: Part): boolean => file.uncopied !== undefined && file.before !== file.after;
