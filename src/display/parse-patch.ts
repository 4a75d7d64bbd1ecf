// Parses a patch for display: hunks get line numbers, and anything else is kept as is.
import { type ChangedPart, wordChanges } from './word-changes.js';

export interface PatchRow {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note' | 'fold';
  text: string;
  /** The line's numbers in the file before and after, if it exists there. */
  before?: number;
  after?: number;
  /** The lines that a hunk covers. */
  lines?: readonly [first: number, last: number];
  /** Where it differs from the line that it replaces, or that replaces it. */
  parts?: readonly ChangedPart[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/** `lines`: those of the patch, as they are to be shown. */
export function parsePatch(lines: readonly string[]): PatchRow[] {
  const rows: PatchRow[] = [];
  let hunk: { before: number; after: number; beforeLeft: number; afterLeft: number } | undefined;
  for (const line of lines) {
    const head = HUNK.exec(line);
    if (head && !(hunk && (hunk.beforeLeft > 0 || hunk.afterLeft > 0))) {
      const [, before, beforeCount = '1', after, afterCount = '1', title = ''] = head;
      hunk = {
        before: Number(before),
        after: Number(after),
        beforeLeft: Number(beforeCount),
        afterLeft: Number(afterCount),
      };
      const [from, count] =
        Number(afterCount) > 0 ? [Number(after), Number(afterCount)] : [Number(before), Number(beforeCount)];
      rows.push({ kind: 'hunk', text: title.trim(), lines: [from, from + count - 1] });
      continue;
    }
    const sign = line[0];
    const text = line.slice(1);
    if (!hunk || (hunk.beforeLeft <= 0 && hunk.afterLeft <= 0)) {
      const row = outsideHunk(line);
      if (row) rows.push(row);
    } else if (sign === '+') {
      rows.push({ kind: 'added', text, after: hunk.after++ });
      hunk.afterLeft -= 1;
    } else if (sign === '-') {
      rows.push({ kind: 'removed', text, before: hunk.before++ });
      hunk.beforeLeft -= 1;
    } else if (sign === '\\') {
      rows.push({ kind: 'note', text: text.trim() });
    } else {
      rows.push({ kind: 'same', text, before: hunk.before++, after: hunk.after++ });
      hunk.beforeLeft -= 1;
      hunk.afterLeft -= 1;
    }
  }
  return rows;
}

/** The header names the file, which is already in the title. Lines with a sign but no hunk come from other formats. */
function outsideHunk(line: string): PatchRow | undefined {
  if (/^(?:--- |\+\+\+ |index |diff --git |={10,}$)/.test(line)) return undefined;
  if (line.startsWith('\\')) return { kind: 'note', text: line.slice(1).trim() };
  if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
  if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
  if (line.startsWith('@@')) return { kind: 'hunk', text: line.slice(2).trim() };
  return line.startsWith(' ') ? { kind: 'same', text: line.slice(1) } : { kind: 'note', text: line };
}

/** Marks the words that differ in lines that replace others, one by one. */
export function markChanges(rows: readonly PatchRow[]): void {
  for (let start = 0; start < rows.length; start += 1) {
    if (rows[start]?.kind !== 'removed') continue;
    const removed = runOf(rows, start, 'removed');
    const folds = runOf(rows, start + removed.length, 'fold'); // removed lines that are not shown
    const added = runOf(rows, start + removed.length + folds.length, 'added');
    for (const [index, old] of removed.entries()) {
      const fresh = added[index];
      if (!fresh) break;
      const { before, after } = wordChanges(old.text, fresh.text);
      old.parts = before;
      fresh.parts = after;
    }
    start += removed.length + folds.length + added.length - 1;
  }
}

export function runOf(rows: readonly PatchRow[], start: number, kind: PatchRow['kind']): PatchRow[] {
  let end = start;
  while (rows[end]?.kind === kind) end += 1;
  return rows.slice(start, end);
}
