import { type ListedChange, listChanges } from '../../platform/journal/journal.js';

/** Nothing was changed. The message says why, and what to do next. */
export class UndoFailure extends Error {
  /** The undo to take back for what the person may want instead; the surface says how that is typed. */
  readonly takeBack: string | undefined;

  constructor(message: string, { takeBack, ...options }: ErrorOptions & { takeBack?: string | undefined } = {}) {
    super(message, options);
    this.name = 'UndoFailure';
    this.takeBack = takeBack;
  }
}

/** A call that changed files: a point to which there is a way back. */
export interface UndoableCall {
  callId: string;
  at: string;
  /** Where in the session's list its first change stands, in bytes. */
  position: number;
  /** What it changed, by real path. */
  files: string[];
  /** Whether it ran a command. */
  isCommand?: true;
  /** Why more may have changed than is known, where that is so. */
  notCovered?: string;
  /** Changes of a command that are not covered, or that another program may have made. */
  notes?: readonly string[];
  /** What changed while it ran, and may be the work of another session's command: it is not taken back. */
  unclaimed?: readonly string[];
  /** The calls that it took back, if it was an undo. */
  undoes?: readonly string[];
  /** The undo that took it back, where it is taken back now. */
  undoneBy?: string;
}

/** The latest of the calls that are not taken back, or those with these ids, such as the calls of a turn. */
export type UndoSelection = { calls: number } | { callIds: readonly string[] };

/** The calls of a session that changed files, oldest first, undos among them. */
export async function listUndoable(dataFolder: string, sessionId: string): Promise<UndoableCall[]> {
  return asCalls(await listChanges(dataFolder, sessionId));
}

export function asCalls(changes: readonly ListedChange[]): UndoableCall[] {
  const calls = new Map<string, UndoableCall>();
  for (const { callId, at, position, files, seen, undoes } of changes) {
    const call = calls.get(callId) ?? { callId, at, position, files: [] };
    calls.set(callId, {
      ...call,
      position: Math.min(call.position, position),
      files: [...new Set([...call.files, ...files.map(({ real }) => real)])],
      ...(seen && { isCommand: true }),
      ...(seen?.notCovered !== undefined && { notCovered: seen.notCovered }),
      ...(seen?.notes && { notes: [...new Set([...(call.notes ?? []), ...seen.notes])] }),
      ...(seen?.unclaimed && { unclaimed: [...new Set([...(call.unclaimed ?? []), ...seen.unclaimed])] }),
      ...(undoes && { undoes }),
    });
  }
  // From the latest on: an undo that was taken back itself has no effect any more.
  const undoneBy = new Map<string, string>();
  for (const { callId, undoes } of [...calls.values()].toReversed()) {
    if (undoneBy.has(callId)) continue;
    for (const undone of undoes ?? []) undoneBy.set(undone, callId);
  }
  return [...calls.values()].map((call) => {
    const by = undoneBy.get(call.callId);
    return by === undefined ? call : { ...call, undoneBy: by };
  });
}

/** The calls that a selection means, oldest first. */
export function selectCalls(calls: readonly UndoableCall[], selection: UndoSelection): UndoableCall[] {
  if (calls.length === 0) throw new UndoFailure('This session has changed no files, so there is nothing to undo.');
  if ('calls' in selection) {
    const open = calls.filter(({ undoes, undoneBy }) => undoes === undefined && undoneBy === undefined);
    if (open.length > 0) return open.slice(-selection.calls);
    const last = calls.findLast(({ undoes, undoneBy }) => undoes !== undefined && undoneBy === undefined);
    throw new UndoFailure('All calls of this session that changed files are already undone.', {
      takeBack: last?.callId,
    });
  }
  const chosen = calls.filter(({ callId }) => selection.callIds.includes(callId));
  if (chosen.length === 0) {
    const named = selection.callIds.map((id) => `"${id}"`).join(', ');
    throw new UndoFailure(
      `No call ${named} of this session changed files. helve undo --list shows those that did, and helve undo --sessions the other sessions.`,
    );
  }
  const open = chosen.filter(({ undoneBy }) => undoneBy === undefined);
  const [first] = chosen;
  if (open.length === 0 && first) {
    throw new UndoFailure(`${chosen.map(({ callId }) => callId).join(', ')} is already undone, by ${first.undoneBy}.`, {
      takeBack: first.undoneBy,
    });
  }
  return open;
}
