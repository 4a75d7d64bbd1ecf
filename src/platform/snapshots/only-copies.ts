// Whether the undo of a command would remove the only copy of something that another call made.
import type { Claim } from '../journal/claim-change.js';
import { type DeclaredWrites, namesPath } from '../journal/declared-writes.js';
import type { RecordedOther } from '../journal/recorded-change.js';
import type { PathParts } from './passed-files.js';
import type { Part } from './snapshot-changes.js';

/** A path whose change belongs to a command, to none, or to no known one. */
export interface ClaimedPath<Command> extends PathParts {
  claimant: Claim<Command>;
}

/**
 * The same paths, without claims whose undo could remove the only copy of something. A command that may have removed a
 * path whose removal no session claims may have moved it: undo does not restore the old path, so the new one must stay.
 * New paths are safe if the same undo restores as many old ones with the same content.
 */
export function keepingOnlyCopies<Command extends { writes: DeclaredWrites }>(
  paths: ReadonlyArray<ClaimedPath<Command>>,
): Array<ClaimedPath<Command>> {
  const contested = paths.filter(({ parts, claimant }) => claimant === 'unclaimed' && parts.some(isRemoval));
  const takers = new Map<string, Set<Claim<Command>>>();
  const balances = new Map<Command, Map<string, number>>(); // how many more copies undo removes than it restores
  for (const { parts, claimant } of paths) {
    for (const part of parts) {
      const { before } = part.file;
      if (before !== null && (isTaken(part) || (claimant === 'unclaimed' && isRemoval(part)))) {
        takers.set(before, (takers.get(before) ?? new Set()).add(claimant));
      }
      if (typeof claimant !== 'object') continue;
      const balance = balances.get(claimant) ?? new Map<string, number>();
      balances.set(claimant, balance);
      const add = (content: string, count: number): unknown =>
        balance.set(content, (balance.get(content) ?? 0) + count);
      if (isCreation(part)) add(contentAfter(part), 1);
      if (isRemoval(part)) add(contentBefore(part), -1);
    }
  }
  const mayHaveMoved = ({ writes }: Command): boolean =>
    contested.some(({ path, isFolder }) => !writes.isExact || namesPath(writes, path, { isFolder }));
  const movers = new Set([...balances.keys()].filter(mayHaveMoved));
  const isOnlyCopy = (part: Part, command: Command): boolean => {
    const isMover = movers.has(command);
    if (isMover && isCreation(part) && (balances.get(command)?.get(contentAfter(part)) ?? 0) > 0) return true;
    const others = part.file.after === null ? undefined : takers.get(part.file.after);
    if (!others || others.has(command)) return false;
    return [...others].some((taker) => (taker === 'unclaimed' ? isMover : taker !== undefined));
  };
  return paths.map((one) => {
    const { claimant, parts } = one;
    if (typeof claimant !== 'object' || !parts.some((part) => isOnlyCopy(part, claimant))) return one;
    return { ...one, claimant: 'unclaimed' };
  });
}

const isRemoval = ({ file }: Part): boolean =>
  !isAbsent(file.before, file.otherBefore) && isAbsent(file.after, file.otherAfter);
const isCreation = ({ file }: Part): boolean =>
  isAbsent(file.before, file.otherBefore) && !isAbsent(file.after, file.otherAfter);
const isAbsent = (hash: string | null, other: RecordedOther | undefined): boolean =>
  hash === null && other === undefined;

const contentBefore = ({ file }: Part): string => contentOf(file.before, file.otherBefore);
const contentAfter = ({ file }: Part): string => contentOf(file.after, file.otherAfter);
const contentOf = (hash: string | null, other: RecordedOther | undefined): string =>
  hash ?? (other?.kind === 'link' ? `link to ${other.target}` : (other?.kind ?? ''));

/** Whether the content before it was written by another call while the command ran. */
export const isTaken = ({ file }: Part): boolean => file.uncopied !== undefined && file.before !== file.after;
