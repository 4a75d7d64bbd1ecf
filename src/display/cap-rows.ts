import { counted } from '../platform/text/counted.js';
import { type PatchRow, runOf } from './parse-patch.js';

const CONTEXT_ROWS = 2; // before the first change, if not all rows fit

/**
 * At most this many lines of a patch. A large replacement shows as many of its removed lines as of its added ones:
 * nobody can judge a change by what it removes alone.
 */
export function capRows(rows: readonly PatchRow[], most: number): { shown: PatchRow[]; hidden: number } {
  if (rows.length <= most) return { shown: [...rows], hidden: 0 };
  const first = rows.findIndex(({ kind }) => kind === 'added' || kind === 'removed');
  const start = Math.max(0, first - CONTEXT_ROWS);
  const shown: PatchRow[] = [];
  let count = 0; // of the lines of the patch among the shown ones
  for (let at = start; at < rows.length && count < most; ) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed.length, 'added');
    const row = rows[at];
    if (removed.length + added.length === 0) {
      if (row) shown.push(row);
      count += 1;
      at += 1;
      continue;
    }
    const [someRemoved, someAdded] = share(most - count, removed.length, added.length);
    shown.push(...removed.slice(0, someRemoved), ...folded(removed.length - someRemoved, 'removed'));
    shown.push(...added.slice(0, someAdded));
    if (someRemoved < removed.length) shown.push(...folded(added.length - someAdded, 'added'));
    count += someRemoved + someAdded;
    at += removed.length + added.length;
  }
  return { shown, hidden: rows.length - count };
}

/** How many of each; what one side does not need goes to the other. */
function share(room: number, removed: number, added: number): [removed: number, added: number] {
  const half = Math.ceil(room / 2);
  const someRemoved = Math.min(removed, Math.max(half, room - added));
  return [someRemoved, Math.min(added, room - someRemoved)];
}

const folded = (count: number, what: 'added' | 'removed'): PatchRow[] =>
  count === 0 ? [] : [{ kind: 'fold', text: `${counted(count, 'more line')} ${what}` }];
