// What becomes of a line that stands in a terminal when the window has another width.
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';

/** How many rows a terminal breaks a line into. */
export function rowsOf(line: string, width: number): number {
  if (visibleWidth(line) <= width) return 1;
  let rows = 1;
  let column = 0;
  for (const { segment } of new Intl.Segmenter().segment(stripTerminalSequences(line))) {
    const cells = visibleWidth(segment);
    if (column + cells > width) {
      // A wide character is never cut in two.
      rows += 1;
      column = 0;
    }
    column += cells;
  }
  return rows;
}

export interface TextPosition {
  line: number;
  /** How many cells of that line stand before it. */
  column: number;
}

/** Where the text that began a line of one layout stands in another layout of the same text. */
export function samePosition(before: readonly string[], now: readonly string[], line: number): TextPosition {
  if (before.slice(0, line).every((text, index) => text === now[index])) return { line, column: 0 };
  const passed = before.slice(0, line).reduce((sum, text) => sum + letters(text), 0);
  let count = 0;
  for (const [index, text] of now.entries()) {
    const more = letters(text);
    if (count + more > passed) return { line: index, column: columnAfter(text, passed - count) };
    count += more;
  }
  return { line: now.length, column: 0 };
}

/** Signs around the text, such as frames, differ from layout to layout. */
const LETTER = /[\p{L}\p{N}]/gu;

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
