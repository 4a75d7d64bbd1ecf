// Whose work a change is that was found by looking at the workspace, while commands of one or more sessions ran.
import { type DeclaredWrites, namesPath } from './declared-writes.js';
import type { ConcurrentCommand } from './running-commands.js';

/** `unclaimed`: it may be the work of a command of another session. Undefined: it is known to be none of ours. */
export type Claim<Command> = Command | 'unclaimed' | undefined;

/**
 * A command whose effects name the path has done it, unless those of another session's command name it too. What no
 * effects name was done by the command that may write anything, if only one session runs such a command.
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
  // A command that runs on will claim it; one that has ended has claimed what was its own. A hook or a tool claims nothing.
  if (others.some((other) => !other.hasEnded && (other.writer === undefined || isForeign(other)))) return undefined;
  if (others.some(isForeign)) return 'unclaimed';
  return beside.some((other) => isForeign(other) && !other.writes.isExact) ? 'unclaimed' : doer;
}
