// What calls have changed, from before to now, in words: the items of an undo, read the other way round.
import { sep } from 'node:path';
import type { EntryState } from '../../platform/files/entry-state.js';
import { shortPath } from '../../platform/files/paths.js';
import { counted } from '../../platform/text/counted.js';
import { reversePatch } from '../../platform/text/reverse-patch.js';
import type { UndoItem } from './undo.js';

export interface ChangeToShow {
  /** A folder ends in a slash. */
  path: string;
  isFolder: boolean;
  /** What happened to it, as in "deleted" or "moved from a.txt"; undefined if its patch says all. */
  what?: string;
  /** The files that were in a deleted folder, by their paths in it. */
  files: ReadonlyArray<{ path: string; patch: string }>;
  /** A unified patch; empty if there is none to show. */
  patch: string;
}

/** Files below a folder that is gone stand in its entry, and a folder that was made only if nothing is in it. */
export function describeChanges(items: readonly UndoItem[], cwd: string): ChangeToShow[] {
  const described: ChangeToShow[] = [];
  const movedFrom = moves(items);
  const gone = new Set(movedFrom.values());
  let folder: string | undefined;
  for (const [index, item] of items.entries()) {
    if (gone.has(item) || (folder !== undefined && item.real.startsWith(folder) && isGone(item))) continue;
    const below = items.slice(index + 1).filter(({ real }) => real.startsWith(`${item.real}${sep}`));
    if (isGone(item) && item.target?.kind === 'folder') folder = `${item.real}${sep}`;
    else if (item.target === null && item.now?.kind === 'folder' && below.length > 0) continue;
    const from = movedFrom.get(item);
    described.push(describe(item, { cwd, below: below.filter((one) => !gone.has(one)), from }));
  }
  return described;
}

const isGone = ({ now, target }: UndoItem): boolean => now === null && target !== null;

/** The files that have the content of one that is gone, each with that one. */
export function moves(items: readonly UndoItem[]): Map<UndoItem, UndoItem> {
  const found = new Map<UndoItem, UndoItem>();
  const left = new Map(items.filter(isGone).map((item) => [hashOf(item.target), item]));
  for (const item of items) {
    const isEmpty = item.diff === ''; // all empty files are alike
    const hash = item.target === null && !isEmpty ? hashOf(item.now) : undefined;
    const from = hash === undefined ? undefined : left.get(hash);
    if (from === undefined) continue;
    left.delete(hash);
    found.set(item, from);
  }
  return found;
}

const hashOf = (state: EntryState): string | undefined => (state?.kind === 'file' ? state.hash : undefined);

function describe(
  item: UndoItem,
  { cwd, below, from }: { cwd: string; below: readonly UndoItem[]; from: UndoItem | undefined },
): ChangeToShow {
  const { real, now, target: before } = item;
  const isFolder = (now ?? before)?.kind === 'folder';
  const path = `${shortPath(cwd, real)}${isFolder ? '/' : ''}`;
  if (from) return { path, isFolder, what: `moved from ${shortPath(cwd, from.real)}`, files: [], patch: '' };
  if (isFolder && now === null) {
    const files = below
      .filter((one) => isGone(one) && one.target?.kind !== 'folder')
      .map((one) => ({ path: one.real.slice(real.length + 1), patch: patchOf(one) }));
    const what = files.length === 0 ? 'deleted, it was empty' : `deleted, with ${counted(files.length, 'file')}`;
    return { path, isFolder, what, files, patch: '' };
  }
  const patch = patchOf(item);
  const words = [...kindWords(now, before), ...modeWords(now, before), ...remarkOf(item, patch)];
  return { path, isFolder, ...(words.length > 0 && { what: words.join(', ') }), files: [], patch };
}

function kindWords(now: EntryState, before: EntryState): string[] {
  if (now === null) return [`deleted${before?.kind === 'link' ? `, it was a link to ${before.target}` : ''}`];
  const link = now.kind === 'link' ? [`a link to ${now.target}`] : [];
  if (before === null) return [`new${now.kind === 'folder' ? ', empty' : ''}`, ...link];
  if (now.kind !== before.kind) return [`now ${withArticle(now)}`, `before ${withArticle(before)}`];
  if (before.kind !== 'link' || now.kind !== 'link' || before.target === now.target) return [];
  return [...link, `before to ${before.target}`];
}

const withArticle = (state: NonNullable<EntryState>): string =>
  state.kind === 'link' ? `a link to ${state.target}` : `a ${state.kind}`;

function modeWords(now: EntryState, before: EntryState): string[] {
  if (now === null || before === null || now.kind === 'link' || before.kind === 'link') return [];
  if (now.kind !== before.kind || now.mode === undefined || before.mode === undefined || now.mode === before.mode)
    return [];
  return [`mode ${now.mode.toString(8)}, before ${before.mode.toString(8)}`];
}

/** Why there is no patch, in the words of the undo, which compares the other way round. */
function remarkOf({ diff, now, target: before, impossible }: UndoItem, patch: string): string[] {
  if (patch !== '' || (now?.kind !== 'file' && before?.kind !== 'file')) return [];
  if (impossible !== undefined) return [impossible];
  if (diff === undefined) return ['not compared, because so many files have changed'];
  const about = /^\((?!mode|a link)(.*)\)$/m.exec(diff)?.[1];
  if (about === undefined) return now === null || before === null ? ['empty'] : [];
  const lines = /^(.*: )([\d,]+) lines? before, ([\d,]+) after$/.exec(about);
  return [lines ? `${lines[1]}${lines[3]} lines before, ${lines[2]} now` : about.replace(' then', ' before')];
}

function patchOf({ diff = '', impossible }: UndoItem): string {
  const start = /^(?:--- |@@ )/m.exec(diff)?.index;
  return start === undefined || impossible !== undefined ? '' : reversePatch(diff.slice(start));
}
