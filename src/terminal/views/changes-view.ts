import { patchCounts } from '../../display/patch-rows.js';
import type { ShownChange } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { DiffView } from './diff-view.js';
import { cleanLine, cut } from './fit.js';

const INDENT = '  ';

/** Changes of files, each below its name. */
export function changesLines(theme: Theme, changes: readonly ShownChange[], width: number): string[] {
  return changes.flatMap((change, index) => {
    const head = [...(index === 0 ? [] : ['']), headLine(theme, change, width)];
    if (change.patch === '') return head;
    const rows = new DiffView(theme, change).render(Math.max(1, width - INDENT.length));
    return [...head, ...rows.map((row) => `${INDENT}${row}`)];
  });
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
