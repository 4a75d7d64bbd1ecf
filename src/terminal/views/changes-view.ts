import { patchCounts } from '../../display/patch-rows.js';
import type { ShownChange, ShownDiff } from '../contract.js';
import type { Theme } from '../screen/theme.js';
import { DiffView } from './diff-view.js';
import { cleanLine, cut } from './fit.js';

const INDENT = '  ';

/** Changes of files, each below its name. */
export function changesLines(theme: Theme, changes: readonly ShownChange[], width: number): string[] {
  return changes.flatMap((change, index) => {
    const head = [...(index === 0 ? [] : ['']), headLine(theme, change, width)];
    if (change.patch === '') return head;
    const rows = new DiffView(theme, change, { isInDialog: true }).render(Math.max(1, width - INDENT.length));
    return [...head, ...rows.map((row) => `${INDENT}${row}`)];
  });
}

const MAX_LISTED = 20; // files of a deleted folder

/** What happened to a file or a folder: a heading with the numbers of lines, and below it the patch or what was in it. */
export function diffLines(theme: Theme, { path, what, patch, files = [] }: ShownDiff, width: number): string[] {
  const { paint } = theme;
  const words = what === undefined ? [] : [paint.muted(cleanLine(what))];
  const patches = files.length === 0 ? [patch] : files.map((file) => file.patch);
  const head = cut([paint.accent(cleanLine(path)), ...words, ...countWords(theme, patches)].join('  '), width);
  const room = Math.max(1, width - INDENT.length);
  const rows = patch === '' ? [] : new DiffView(theme, { patch, path }).render(room);
  const listed = files
    .slice(0, MAX_LISTED)
    .map((file) => cut([cleanLine(file.path), ...countWords(theme, [file.patch])].join('  '), room));
  const more = files.length > MAX_LISTED ? [paint.muted(`… ${files.length - MAX_LISTED} more files`)] : [];
  return [head, ...[...rows, ...listed, ...more].map((row) => `${INDENT}${row}`)];
}

function headLine(theme: Theme, { title, isBlocked = false, patch }: ShownChange, width: number): string {
  const { paint } = theme;
  const head = isBlocked ? paint.warning(`! ${cleanLine(title)}`) : paint.strong(cleanLine(title));
  return cut([head, ...countWords(theme, [patch])].join('  '), width);
}

/** The numbers of added and removed lines of patches, if there are any. */
function countWords({ paint }: Theme, patches: readonly string[]): string[] {
  let [added, removed] = [0, 0];
  for (const patch of patches) {
    const counts = patch === '' ? undefined : patchCounts(patch);
    added += counts?.added ?? 0;
    removed += counts?.removed ?? 0;
  }
  const words = [
    ...(added > 0 ? [paint.added(`+${added}`)] : []),
    ...(removed > 0 ? [paint.removed(`-${removed}`)] : []),
  ];
  return words.length === 0 ? [] : [words.join(' ')];
}
