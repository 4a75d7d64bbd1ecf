// Decides which command made a change that a snapshot detected, when commands of several sessions ran at the same
// time.
import { type DeclaredWrites, namesPath } from './declared-writes.js';
import type { ConcurrentCommand } from './running-commands.js';

/** `unclaimed`: it may have been made by a command of another session. Undefined: it is known not to be ours. */
export type Claim<Command> = Command | 'unclaimed' | undefined;

/**
 * A command has made the change if its effects name the path and no effects of another session's command do. A change
 * that no effects name belongs to the command that may write anything, if only one session runs such a command.
 */
export function claimantOf<Command extends { writes: DeclaredWrites }>(
  path: string,
  { isFolder }: { isFolder: boolean },
  { own, beside, sessionId }: { own: readonly Command[]; beside: readonly ConcurrentCommand[]; sessionId: string },
): Claim<Command> {
  const names = ({ writes }: { writes: DeclaredWrites }): boolean => namesPath(writes, path, { isFolder });
  const isForeign = (other: ConcurrentCommand): boolean => other.sessionId !== sessionId;
  const [namer, others] = [own.findLast(names), beside.filter(names)];
  if (namer) return others.some(isForeign) ? 'unclaimed' : namer;
  const doer = own.findLast(({ writes }) => !writes.isExact);
  if (!doer) return undefined;
  // A command that is still running will claim the change; one that has ended has already claimed its own. Hooks and
  // tools claim nothing.
  if (others.some((other) => !other.hasEnded && (other.writer === undefined || isForeign(other)))) return undefined;
  if (others.some(isForeign)) return 'unclaimed';
  return beside.some((other) => isForeign(other) && !other.writes.isExact) ? 'unclaimed' : doer;
}
