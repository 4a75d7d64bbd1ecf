import type { Theme } from '../screen/theme.js';
import { chop, cleanLine } from '../views/fit.js';

/**
 * The lines of a command with the parts in question highlighted: by colour or, without colours, by underlining on the
 * next line.
 */
export function markedLines(theme: Theme, text: string, parts: readonly string[], width: number): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => markedLine(theme, cleanLine(line), parts.flatMap(eachLine), width));
}

const eachLine = (part: string): string[] =>
  part
    .split('\n')
    .map(cleanLine)
    .filter((line) => line.trim() !== '');

function markedLine(theme: Theme, line: string, parts: readonly string[], width: number): string[] {
  const isMarked = marksIn(line, parts);
  let offset = 0;
  return chop(line, width).flatMap((piece) => {
    const marks = isMarked.slice(offset, offset + piece.length);
    offset += piece.length;
    if (theme.hasColors) return [painted(theme, piece, marks)];
    const below = marks
      .map((isIn) => (isIn ? '^' : ' '))
      .join('')
      .trimEnd();
    return below === '' ? [piece] : [piece, below];
  });
}

/** For each character, whether it is in one of the parts. */
function marksIn(line: string, parts: readonly string[]): boolean[] {
  const marks = Array.from({ length: line.length }, () => false);
  for (const part of parts) {
    for (let at = line.indexOf(part); at !== -1; at = line.indexOf(part, at + part.length)) {
      marks.fill(true, at, at + part.length);
    }
  }
  return marks;
}

function painted({ paint }: Theme, piece: string, marks: readonly boolean[]): string {
  let out = '';
  for (let start = 0; start < piece.length; ) {
    const isIn = marks[start];
    let end = start;
    while (end < piece.length && marks[end] === isIn) end += 1;
    const text = piece.slice(start, end);
    out += isIn ? paint.underline(paint.warning(text)) : text;
    start = end;
  }
  return out;
}
