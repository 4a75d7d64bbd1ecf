import { visibleWidth } from '@earendil-works/pi-tui';
import type { Risk } from '../../contract/permission.js';
import type { Theme } from '../screen/theme.js';
import { chopCode, cleanLine } from '../views/fit.js';

/** A part of a command to highlight. */
export interface MarkedPart {
  text: string;
  level: Risk['level'];
}

type Mark = Risk['level'] | undefined;

/**
 * The lines of a command with the parts in question highlighted: by colour or, without colours, by underlining on the
 * next line.
 */
export function markedLines(theme: Theme, text: string, parts: readonly MarkedPart[], width: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n').map(cleanLine);
  const found = distinct(parts)
    .flatMap(eachLine)
    .flatMap((part) => asWritten(part, lines));
  return lines.flatMap((line) => markedLine(theme, line, found, width));
}

const eachLine = ({ text, level }: MarkedPart): MarkedPart[] =>
  text
    .split('\n')
    .map((line) => ({ text: cleanLine(line), level }))
    .filter((part) => part.text.trim() !== '');

/** Several risks of one command name the same part. */
const distinct = (parts: readonly MarkedPart[]): MarkedPart[] => [
  ...new Map(parts.map((part) => [`${part.level} ${part.text}`, part])).values(),
];

/** An analysed command may be quoted otherwise than it was typed: then its first words are highlighted. */
function asWritten({ text, level }: MarkedPart, lines: readonly string[]): MarkedPart[] {
  const words = text.split(' ');
  const start = (count: number): string => words.slice(0, count).join(' ');
  // If a line contains the first words, it contains fewer of them too, so the longest beginning is found by bisection.
  let [found, missing] = [0, words.length + 1];
  while (missing - found > 1) {
    const middle = (found + missing) >>> 1;
    if (lines.some((line) => line.includes(start(middle)))) found = middle;
    else missing = middle;
  }
  const written = start(found);
  return written === '' ? [] : [{ text: written, level }];
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

/** For each character, the level of the part that it is in; the higher one counts. */
function marksIn(line: string, parts: readonly MarkedPart[]): Mark[] {
  const marks: Mark[] = Array.from({ length: line.length }, () => undefined);
  for (const level of ['notable', 'high'] as const) {
    for (const part of parts.filter((each) => each.level === level)) {
      for (let at = line.indexOf(part.text); at !== -1; at = line.indexOf(part.text, at + part.text.length)) {
        if (isWholeWord(line, at, part.text)) marks.fill(level, at, at + part.text.length);
      }
    }
  }
  return marks;
}

/** `rm` is not a part of `format`. */
const isWholeWord = (line: string, at: number, part: string): boolean =>
  !/\w/.test(line[at - 1] ?? '') && !(/\w$/.test(part) && /\w/.test(line[at + part.length] ?? ''));

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
