import type { CodeSpan } from './code-span.js';
import type { PatchRow } from './parse-patch.js';
import { isAside } from './patch-rows.js';

/** The colours of each line: the old lines of a hunk are read as one text, and so are the new ones. */
export function spansByRow(
  rows: readonly PatchRow[],
  spansOf: (code: string) => CodeSpan[][],
): Map<PatchRow, CodeSpan[]> {
  const spans = new Map<PatchRow, CodeSpan[]>();
  let hunk: PatchRow[] = [];
  const flush = (): void => {
    for (const skipped of ['added', 'removed'] as const) {
      const side = hunk.filter(({ kind }) => kind !== skipped);
      const lines = spansOf(side.map(({ text }) => text).join('\n'));
      for (const [index, row] of side.entries()) spans.set(row, lines[index] ?? []);
    }
    hunk = [];
  };
  for (const row of rows) {
    if (row.kind === 'hunk') flush();
    else if (!isAside(row)) hunk.push(row);
  }
  flush();
  return spans;
}
