// What a session has changed, file by file, and which call's change can be undone.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { applyUndo } from '../agent/undo/apply-undo.js';
import { describeChanges, moves } from '../agent/undo/describe-change.js';
import { planUndo, type UndoItem } from '../agent/undo/undo.js';
import { listUndoable, type UndoableCall, UndoFailure } from '../agent/undo/undo-calls.js';
import { isInside } from '../platform/files/paths.js';
import { clause } from '../platform/text/clause.js';
import { counted } from '../platform/text/counted.js';

const MAX_FILES = 200;

export interface ChangedFile {
  /** Relative to the project, or absolute if it is elsewhere. */
  path: string;
  status: 'added' | 'modified' | 'deleted' | 'moved';
  /** Where it was before. */
  movedFrom?: string;
  /** A unified patch, or a sentence that says why there is none. */
  patch: string;
  isBinary: boolean;
  added: number;
  removed: number;
  calls: ReadonlyArray<{ callId: string; at: string; canUndo: boolean; problem?: string }>;
}

export interface SessionChangesPage {
  files: ChangedFile[];
  /** How many more files were changed than are listed. */
  more: number;
}

/** The changes of all calls that are not undone, as far as they are still in the files. */
export async function sessionChanges(dataFolder: string, id: string, root: string): Promise<SessionChangesPage> {
  const open = (await listUndoable(dataFolder, id)).filter(({ undoes, undoneBy }) => !undoes && undoneBy === undefined);
  if (open.length === 0) return { files: [], more: 0 };
  const plan = await planUndo(
    dataFolder,
    id,
    { callIds: open.map(({ callId }) => callId) },
    { cwd: root, force: true },
  ).catch((error: unknown) => {
    if (error instanceof UndoFailure) return undefined; // undone meanwhile
    throw error;
  });
  const byFile = new Map<string, UndoableCall[]>();
  for (const call of open) {
    for (const real of call.files) {
      const calls = byFile.get(real) ?? [];
      calls.push(call);
      byFile.set(real, calls);
    }
  }
  const all = (plan?.items ?? []).filter(({ now, target }) => (now ?? target)?.kind !== 'folder');
  const movedFrom = moves(all);
  const gone = new Set(movedFrom.values());
  const items = all.filter((item) => !gone.has(item));
  const files = items.slice(0, MAX_FILES).map((item) => {
    const from = movedFrom.get(item);
    const file = changedFile(item, root, byFile.get(item.real) ?? []);
    return from ? { ...file, status: 'moved' as const, movedFrom: shownPath(root, from.real), patch: '' } : file;
  });
  return { files, more: items.length - files.length };
}

function changedFile(item: UndoItem, root: string, calls: readonly UndoableCall[]): ChangedFile {
  const { real, action, diff = '' } = item;
  const [described] = describeChanges([item], root);
  const patch = described?.patch ?? '';
  const lines = patch.split('\n');
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return {
    path: shownPath(root, real),
    status: action === 'remove' ? 'added' : action === 'make' ? 'deleted' : 'modified',
    patch: patch === '' && described?.what !== undefined ? `(${described.what})` : patch,
    isBinary: diff.startsWith('(not text'),
    added: count('+'),
    removed: count('-'),
    calls: calls.map(({ callId, at }, index) => {
      const problem =
        index < calls.length - 1 ? 'a later call has changed the file, too' : (item.conflict ?? item.impossible);
      return { callId, at, canUndo: problem === undefined, ...(problem !== undefined && { problem }) };
    }),
  };
}

const shownPath = (root: string, real: string): string => (isInside(root, real) ? relative(root, real) : real);

/** Undoes one call, all of it or nothing. */
export async function undoCall(
  dataFolder: string,
  id: string,
  { callId, root }: { callId: string; root: string },
): Promise<{ isDone: boolean; message: string }> {
  try {
    const plan = await planUndo(dataFolder, id, { callIds: [callId] }, { cwd: root });
    const reasons = [
      ...new Set([
        ...plan.items.flatMap(({ real, conflict, impossible }) => {
          const why = conflict ?? impossible;
          return why === undefined ? [] : [`${shownPath(root, real)}: ${why}`];
        }),
        ...plan.notCovered,
      ]),
    ];
    if (reasons.length > 0) {
      const isReplaced = plan.items.some(({ conflict }) => conflict !== undefined);
      const rest = isReplaced ? 'undoes it anyway and replaces later changes of these files' : 'undoes the rest';
      const forced = `helve undo --session ${id} --call ${callId} --force in a terminal ${rest}.`;
      return { isDone: false, message: `Nothing was undone: ${reasons.map(clause).join('; ')}. ${forced}` };
    }
    if (plan.items.length === 0) {
      const message = existsSync(root)
        ? 'The files are already as they were before the call.'
        : `Nothing was undone: the folder of the session, ${root}, does not exist any more.`;
      return { isDone: false, message };
    }
    const { done, left } = await applyUndo(plan);
    const stays = left.map(({ real, why }) => ` ${real} stays: ${why}.`).join('');
    return { isDone: true, message: `${counted(done.length, 'file')} restored.${stays}` };
  } catch (error) {
    if (error instanceof UndoFailure) return { isDone: false, message: error.message };
    throw error;
  }
}
