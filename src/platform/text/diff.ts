import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import { counted } from './counted.js';
import { countEndings, countLines, normalizeEndings } from './line-endings.js';

const CONTEXT_LINES = 3;
const MAX_CHARS = 12_000;
const MAX_COMPARED_CHARS = 16_000_000; // both texts together, without their common start and end
const MAX_COMPARED_LINES = 1_000_000;
const MAX_CHANGED_LINES = MAX_CHARS / 2; // the shortest line of a patch is a sign and an ending
const TIMEOUT_MS = 500; // two large texts with nothing in common take seconds to compare

/** A unified patch from one text to the other, ignoring line endings, or a line that says why there is none. */
export function unifiedPatch(path: string, before: string, after: string): string {
  if (before === after) return '';
  const { from, oldEnd, freshEnd } = changedPart(before, after, CONTEXT_LINES);
  if (oldEnd - from + (freshEnd - from) > MAX_COMPARED_CHARS) return tooLarge(before, after);
  const old = normalizeEndings(before.slice(from, oldEnd));
  const fresh = normalizeEndings(after.slice(from, freshEnd));
  if (old === fresh) return '(only line endings changed)';
  // Every line that only one of the texts has appears in the patch.
  if (Math.abs(old.length - fresh.length) > MAX_CHARS) return tooLarge(before, after);
  if (countLines(old) + countLines(fresh) > MAX_COMPARED_LINES) return tooLarge(before, after);

  const patch = structuredPatch(`a/${path}`, `b/${path}`, old, fresh, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_CHANGED_LINES,
    timeout: TIMEOUT_MS,
  });
  if (patch === undefined) return tooLarge(before, after);
  const above = countEndings(before.slice(0, from));
  for (const hunk of patch.hunks) {
    hunk.oldStart += above;
    hunk.newStart += above;
  }
  const text = formatPatch(patch, FILE_HEADERS_ONLY);
  return text.length > MAX_CHARS ? tooLarge(before, after) : text.replace(/\n$/, '');
}

/** Instead of a patch. */
export const tooLarge = (before: string, after: string): string =>
  `(the difference is too large to show: ${counted(countLines(before), 'line')} before, ${countLines(after)} after)`;

/**
 * The range in which the texts differ, in whole lines plus lines of context. Both parts start at the
 * same offset.
 */
export function changedPart(
  before: string,
  after: string,
  context: number,
): { from: number; oldEnd: number; freshEnd: number } {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  let from = lineStart(before, same);
  for (let line = 0; line < context; line += 1) from = lineStart(before, from - 1);

  const rest = shorter - same;
  let alike = 0;
  while (alike < rest && before.charCodeAt(before.length - 1 - alike) === after.charCodeAt(after.length - 1 - alike)) {
    alike += 1;
  }
  let oldEnd = before.length - alike;
  for (let line = 0; line <= context; line += 1) oldEnd = lineEnd(before, oldEnd);
  return { from, oldEnd, freshEnd: after.length - (before.length - oldEnd) };
}

// A line feed ends a line in every kind of text. For texts with single carriage returns, more is compared than
// necessary.
const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

function lineEnd(text: string, at: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed + 1;
}
