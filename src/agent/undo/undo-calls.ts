import { UserFacingError } from '../../contract/user-facing-error.js';
import { type ListedChange, listChanges } from '../../platform/journal/journal.js';
import { fullCallId } from './short-call-id.js';

/** An undo that changed nothing. The message says why, and what to do next. */
export class UndoFailure extends UserFacingError {
  /** The undo that the person may want to undo instead; the caller adds the command for it. */
  readonly takeBack: string | undefined;

  constructor(message: string, { takeBack, ...options }: ErrorOptions & { takeBack?: string | undefined } = {}) {
    super(message, options);
    this.name = 'UndoFailure';
    this.takeBack = takeBack;
  }
}

/** A call that changed files, and can be undone. */
export interface UndoableCall {
  callId: string;
  at: string;
  /** The position of its first change in the session's list of changes, in bytes. */
  position: number;
  /** The files that it changed, by real path. */
  files: string[];
  /** Whether it ran a command. */
  isCommand?: true;
  /** Why there may be changes that are unknown; absent if there are none. */
  notCovered?: string;
  /** Changes of a command that are not covered, or that another program may have made. */
  notes?: readonly string[];
  /** Files that changed while it ran, possibly by a command of another session: they are not undone. */
  unclaimed?: readonly string[];
  /** The calls that it undid, if it was an undo. */
  undoes?: readonly string[];
  /** The undo that undid it, if it is undone now. */
  undoneBy?: string;
}

/** The latest calls that are not undone, or those with these ids, such as the calls of a turn. */
export type UndoSelection = { calls: number } | { callIds: readonly string[] };

/** The calls of a session that changed files, oldest first, including undos. */
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
  // From the latest, since an undo that was undone itself has no effect.
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

/** The selected calls, oldest first. */
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
  const all = calls.map(({ callId }) => callId);
  const wanted = new Set(selection.callIds.map((id) => fullCallId(id, all)));
  const chosen = calls.filter(({ callId }) => wanted.has(callId));
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
