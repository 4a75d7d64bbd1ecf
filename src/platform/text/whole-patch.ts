import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import { changedPart, tooLarge } from './diff.js';
import { countEndings, countLines, normalizeEndings } from './line-endings.js';

const MAX_CHARS = 2_000_000; // of a question; it is drawn whole, and more can't be judged
const MAX_LINES = 50_000;
const TIMEOUT_MS = 300;
const CONTEXT_LINES = 3;

export interface WholePatch {
  patch: string;
  /** The change is larger than what can be shown. */
  isPartial?: true;
}

/**
 * A unified patch with the whole change, for a question that is answered by looking at it. If comparing takes too long,
 * the patch has all old lines and then all new ones.
 */
export function wholePatch(path: string, before: string, after: string): WholePatch {
  if (before === after) return { patch: '' };
  const { from, oldEnd, freshEnd } = changedPart(before, after, CONTEXT_LINES);
  const old = normalizeEndings(before.slice(from, oldEnd));
  const fresh = normalizeEndings(after.slice(from, freshEnd));
  if (old === fresh) return { patch: '(only line endings changed)' };
  if (old.length + fresh.length > MAX_CHARS || countLines(old) + countLines(fresh) > MAX_LINES) {
    return { patch: tooLarge(before, after), isPartial: true };
  }
  if (old === '' || fresh === '') return { patch: replacement(path, before, after) };
  const patch = structuredPatch(`a/${path}`, `b/${path}`, old, fresh, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: TIMEOUT_MS,
  });
  if (patch === undefined) return { patch: replacement(path, before, after) };
  const above = countEndings(before.slice(0, from));
  for (const hunk of patch.hunks) {
    hunk.oldStart += above;
    hunk.newStart += above;
  }
  return { patch: formatPatch(patch, FILE_HEADERS_ONLY).replace(/\n$/, '') };
}

/** One hunk with all old lines and then all new ones, without comparing them. */
function replacement(path: string, before: string, after: string): string {
  const { from, oldEnd, freshEnd } = changedPart(before, after, 0);
  const [old, fresh] = [linesOf(before.slice(from, oldEnd)), linesOf(after.slice(from, freshEnd))];
  const above = countEndings(before.slice(0, from));
  const range = ({ count }: PatchLines): string => `${count === 0 ? above : above + 1},${count}`;
  return [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${range(old)} +${range(fresh)} @@`,
    ...old.lines.map((line) => (line === NO_FEED ? line : `-${line}`)),
    ...fresh.lines.map((line) => (line === NO_FEED ? line : `+${line}`)),
  ].join('\n');
}

const NO_FEED = '\\ No newline at end of file';

interface PatchLines {
  lines: string[];
  count: number;
}

function linesOf(text: string): PatchLines {
  if (text === '') return { lines: [], count: 0 };
  const lines = normalizeEndings(text).split('\n');
  if (lines.at(-1) === '') return { lines: lines.slice(0, -1), count: lines.length - 1 };
  return { lines: [...lines, NO_FEED], count: lines.length };
}
