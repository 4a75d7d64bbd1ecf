// What a patch shows beside its text: which rows are side by side, which are asides, and how they are coloured.
import { visibleLines } from '../platform/text/visible-lines.js';
import { type PatchRow, parsePatch } from './parse-patch.js';

export const patchSigns = { same: ' ', added: '+', removed: '-', hunk: ' ', note: ' ', fold: ' ' } as const;

export const isAside = ({ kind }: PatchRow): boolean => kind === 'hunk' || kind === 'note' || kind === 'fold';

/** The words of a row that is no line of the file: the lines that a hunk covers, or how many are not shown. */
export function asideWords({ kind, text, lines }: PatchRow): string {
  if (kind !== 'hunk') return text;
  const range = lines === undefined ? '' : lines[1] > lines[0] ? `lines ${lines[0]}–${lines[1]}` : `line ${lines[0]}`;
  return [range, text].filter((word) => word !== '').join(' · ');
}

/** The numbers of added and removed lines of a patch, and whether it makes a new file. */
export function patchCounts(patch: string): { added: number; removed: number; isNew: boolean } {
  const rows = parsePatch(visibleLines(patch));
  const count = (kind: PatchRow['kind']): number => rows.filter((row) => row.kind === kind).length;
  return { added: count('added'), removed: count('removed'), isNew: isNewFile(rows) };
}

/** A new file is shown as its text: signs and a background on each line would say nothing. */
export const isNewFile = (rows: readonly PatchRow[]): boolean => {
  const lines = rows.filter(({ kind }) => kind !== 'hunk' && kind !== 'note');
  return lines.length > 0 && lines[0]?.after === 1 && lines.every(({ kind }) => kind === 'added');
};

/** Pairs removed lines with the lines that replace them. */
export function pairRows(rows: readonly PatchRow[]): Array<{ left?: PatchRow; right?: PatchRow }> {
  const result: Array<{ left?: PatchRow; right?: PatchRow }> = [];
  let removed: PatchRow[] = [];
  let folds: PatchRow[] = []; // below both sides of what they belong to
  const flush = (): void => {
    for (const left of [...removed, ...folds]) result.push({ left });
    removed = [];
    folds = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      removed.push(row);
    } else if (row.kind === 'fold') {
      folds.push(row);
    } else if (row.kind === 'added') {
      const left = removed.shift();
      result.push({ ...(left && { left }), right: row });
    } else {
      flush();
      result.push(row.kind === 'same' ? { left: row, right: row } : { left: row });
    }
  }
  flush();
  return result;
}
