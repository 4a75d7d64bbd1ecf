import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../agent/session.js';
import { movedSpareData } from '../agent/store/moved-spare-data.js';
import type { AgentHappening } from '../contract/event.js';
import type { RollBackUndo } from '../platform/journal/recover-changes.js';
import { journalCleanUp, recoverIfNeeded } from '../platform/journal/session-changes.js';
import { reapedLeftovers } from '../platform/shell/leftovers.js';

/** Finishes, once and before the first call of a session, the work that an earlier process left unfinished. */
export function createRecovery(session: Session): (emit: (happening: AgentHappening) => void) => Promise<void> {
  let recovery: Promise<void> | undefined;
  return (emit) => {
    recovery ??= recoverNow(session, (text) => emit({ type: 'notice', text }));
    return recovery;
  };
}

/**
 * Before the first call, such as when a session is resumed: a command that a killed Helve left running is ended, and undo
 * knows what it has changed. `told`: interrupted calls that the surface reports itself.
 */
export async function recoverNow(
  session: Session,
  notify: (text: string) => void,
  { told }: { told?: ReadonlySet<string> } = {},
): Promise<void> {
  void session.own(reapedLeftovers); // not awaited: no call depends on processes that a killed Helve left running
  // Reading works without the data folder; a call that changes a file reports that the folder can't be used.
  for (const text of await movedSpareData(session.dataFolder, { withFailures: false })) notify(text);
  const { dataFolder, env } = session;
  if (existsSync(join(dataFolder, 'worktrees'))) {
    const { repairWorktrees } = await import('../platform/worktrees/repair-worktrees.js');
    for (const text of await repairWorktrees(dataFolder, env).catch(() => [])) notify(text);
  }
  const text = await recoverIfNeeded(
    session.dataFolder,
    takeBackUndo,
    async () => {
      const { titlesIn } = await import('../agent/store/session-outline.js');
      return titlesIn(session.dataFolder);
    },
    told,
  ).catch(() => undefined);
  if (text !== undefined) notify(text);
  session.prepare(session.own(journalCleanUp)); // no call waits for it
}

const takeBackUndo: RollBackUndo = async (...undo) =>
  await (await import('../agent/undo/apply-undo.js')).takeBackUndo(...undo);
