// Parses a patch for display: hunks get line numbers, and anything else is kept as is.
import { cleanLine, cleanLines } from './fit.js';

export interface PatchRow {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  /** The line's numbers in the file before and after, if it exists there. */
  before?: number;
  after?: number;
  /** The range that differs from the line it replaces, or that replaces it. */
  part?: readonly [from: number, to: number];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

export function parsePatch(patch: string): PatchRow[] {
  const rows: PatchRow[] = [];
  let hunk: { before: number; after: number; beforeLeft: number; afterLeft: number } | undefined;
  for (const line of cleanLines(patch)) {
    const head = HUNK.exec(line);
    if (head && !(hunk && (hunk.beforeLeft > 0 || hunk.afterLeft > 0))) {
      const [, before, beforeCount = '1', after, afterCount = '1', title = ''] = head;
      hunk = {
        before: Number(before),
        after: Number(after),
        beforeLeft: Number(beforeCount),
        afterLeft: Number(afterCount),
      };
      rows.push({ kind: 'hunk', text: title.trim() });
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
      rows.push({ kind: 'note', text: cleanLine(text.trim()) });
    } else {
      rows.push({ kind: 'same', text, before: hunk.before++, after: hunk.after++ });
      hunk.beforeLeft -= 1;
      hunk.afterLeft -= 1;
    }
  }
  markParts(rows);
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

/** Compares removed lines one by one with the same number of lines added in their place. */
function markParts(rows: PatchRow[]): void {
  for (let start = 0; start < rows.length; start += 1) {
    if (rows[start]?.kind !== 'removed') continue;
    const removed = runOf(rows, start, 'removed');
    const added = runOf(rows, start + removed.length, 'added');
    for (const [index, old] of removed.entries()) {
      const fresh = added[index];
      if (fresh && removed.length === added.length) markPair(old, fresh);
    }
    start += removed.length + added.length - 1;
  }
}

function runOf(rows: readonly PatchRow[], start: number, kind: PatchRow['kind']): PatchRow[] {
  let end = start;
  while (rows[end]?.kind === kind) end += 1;
  return rows.slice(start, end);
}

function markPair(old: PatchRow, fresh: PatchRow): void {
  const [one, other] = [old.text, fresh.text];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  start = withoutHalf(one, start);
  end -= one.length - end < one.length && isLowHalf(one, one.length - end) ? 1 : 0;
  const common = one.slice(0, start).trim().length + one.slice(one.length - end).trim().length;
  // Two lines with little in common are separate lines, not one changed line.
  if (common * 3 < Math.max(one.trim().length, other.trim().length)) return;
  if (start < one.length - end) old.part = [start, one.length - end];
  if (start < other.length - end) fresh.part = [start, other.length - end];
}

const isLowHalf = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '');
const withoutHalf = (text: string, at: number): number => (isLowHalf(text, at) ? at - 1 : at);
