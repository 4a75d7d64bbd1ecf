import { visibleWidth } from '@earendil-works/pi-tui';
import { type Mark, type MarkedPart, marksIn, partsAsWritten } from '../../display/marked-parts.js';
import type { Theme } from '../screen/theme.js';
import { chopCode, cleanLine } from '../views/fit.js';

/**
 * The lines of a command with the parts in question highlighted: by colour or, without colours, by underlining on the
 * next line.
 */
export function markedLines(theme: Theme, text: string, parts: readonly MarkedPart[], width: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n').map(cleanLine);
  const found = partsAsWritten(parts, lines, cleanLine);
  return lines.flatMap((line) => markedLine(theme, line, found, width));
}

function markedLine(theme: Theme, line: string, parts: readonly MarkedPart[], width: number): string[] {
  const marked = marksIn(line, parts);
  let offset = 0;
  return chopCode(line, width, 0, MAX_ROWS).flatMap((piece) => {
    const marks = marked.slice(offset, offset + piece.length);
    offset += piece.length;
    if (theme.hasColors) return [painted(theme, piece, marks)];
    const below = underline(piece, marks);
    return below === '' ? [piece] : [piece, below];
  });
}

/** A caret below each column of a marked character. */
function underline(piece: string, marks: readonly Mark[]): string {
  let out = '';
  let at = 0;
  let columns = 0;
  for (const character of piece) {
    const before = columns;
    columns = visibleWidth(piece.slice(0, at + character.length)); // a combining character has none of its own
    out += (marks[at] === undefined ? ' ' : '^').repeat(Math.max(0, columns - before));
    at += character.length;
  }
  return out.trimEnd();
}

/** A command is shown whole: the question scrolls. */
const MAX_ROWS = Number.POSITIVE_INFINITY;

function painted({ paint }: Theme, piece: string, marks: readonly Mark[]): string {
  let out = '';
  for (let start = 0; start < piece.length; ) {
    const mark = marks[start];
    let end = start;
    while (end < piece.length && marks[end] === mark) end += 1;
    const text = piece.slice(start, end);
    out += mark === undefined ? text : paint.underline((mark === 'high' ? paint.failure : paint.warning)(text));
    start = end;
  }
  return out;
}
