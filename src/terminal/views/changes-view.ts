import type { ShownChange } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { DiffView, patchCounts } from './diff-view.js';
import { cleanLine, cut } from './fit.js';

const INDENT = '  ';

/** Changes of files, each below its name; with `maxRows`, no more rows than that and a count of the rest. */
export function changesLines(
  theme: Theme,
  changes: readonly ShownChange[],
  width: number,
  { maxRows = Number.POSITIVE_INFINITY }: { maxRows?: number } = {},
): string[] {
  const { paint } = theme;
  const lines: string[] = [];
  for (const [index, change] of changes.entries()) {
    const left = maxRows - lines.length;
    if (left < 2) {
      const more = changes.length - index;
      return [...lines, paint.muted(`… ${more} more ${more === 1 ? 'file' : 'files'}`)];
    }
    lines.push(headLine(theme, change, width));
    if (change.patch === '') continue;
    const rows = new DiffView(theme, change).render(Math.max(1, width - INDENT.length));
    // The last row says what is left out, so one row more than that is shown whole.
    const shown = rows.length <= left - 1 ? rows : rows.slice(0, Math.max(0, left - 2));
    lines.push(...shown.map((row) => `${INDENT}${row}`));
    if (shown.length < rows.length) lines.push(paint.muted(`${INDENT}… ${rows.length - shown.length} more lines`));
  }
  return lines;
}

function headLine({ paint }: Theme, { title, isBlocked = false, patch }: ShownChange, width: number): string {
  const { added, removed } = patch === '' ? { added: 0, removed: 0 } : patchCounts(patch);
  const counts = [
    ...(added > 0 ? [paint.added(`+${added}`)] : []),
    ...(removed > 0 ? [paint.removed(`-${removed}`)] : []),
  ];
  const head = isBlocked ? paint.warning(`! ${cleanLine(title)}`) : paint.strong(cleanLine(title));
  return cut([head, ...counts].join(' '), width);
}
