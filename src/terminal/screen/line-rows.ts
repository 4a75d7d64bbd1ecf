// Computes how a terminal re-wraps a line when the window's width changes.
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';

/** How many rows a terminal wraps a line into. */
export function rowsOf(line: string, width: number): number {
  if (visibleWidth(line) <= width) return 1;
  let rows = 1;
  let column = 0;
  for (const { segment } of new Intl.Segmenter().segment(stripTerminalSequences(line))) {
    const cells = visibleWidth(segment);
    if (column + cells > width) {
      // A wide character is never split.
      rows += 1;
      column = 0;
    }
    column += cells;
  }
  return rows;
}

export interface TextPosition {
  line: number;
  /** The number of cells of that line before it. */
  column: number;
}

/** Maps the start of a line in one layout to its position in another layout of the same text. */
export function samePosition(before: readonly string[], now: readonly string[], line: number): TextPosition {
  if (before.slice(0, line).every((text, index) => text === now[index])) return { line, column: 0 };
  const passed = lettersOf(before.slice(0, line));
  if (lettersOf(before) !== lettersOf(now)) {
    const same = nearestStart(before[line] ?? '', now, line);
    if (same !== undefined) return { line: same, column: 0 };
  }
  let count = 0;
  for (const [index, text] of now.entries()) {
    const more = letters(text);
    if (count + more > passed) return { line: index, column: columnAfter(text, passed - count) };
    count += more;
  }
  return { line: now.length, column: 0 };
}

/**
 * A line that was cut in one of the layouts has fewer letters there, so that those before a place say nothing about it.
 * The start of its own line does, if it is there.
 */
function nearestStart(wanted: string, now: readonly string[], line: number): number | undefined {
  const text = comparable(wanted);
  if (text === '') return undefined;
  const starts = now.flatMap((each, index) => {
    const other = comparable(each);
    const isSame = other !== '' && (other.startsWith(text) || text.startsWith(other));
    return isSame ? [index] : [];
  });
  return starts.sort((a, b) => Math.abs(a - line) - Math.abs(b - line))[0];
}

const comparable = (line: string): string => (stripTerminalSequences(line).match(LETTER) ?? []).join('');

/** Decoration around the text, such as frames, differs between layouts. */
const LETTER = /[\p{L}\p{N}]/gu;

const lettersOf = (lines: readonly string[]): number => lines.reduce((sum, text) => sum + letters(text), 0);

const letters = (line: string): number => stripTerminalSequences(line).match(LETTER)?.length ?? 0;

function columnAfter(line: string, count: number): number {
  if (count === 0) return 0;
  let left = count;
  let column = 0;
  for (const { segment } of new Intl.Segmenter().segment(stripTerminalSequences(line))) {
    if (left <= 0 && segment !== ' ') return column;
    left -= segment.match(LETTER)?.length ?? 0;
    column += visibleWidth(segment);
  }
  return column;
}
