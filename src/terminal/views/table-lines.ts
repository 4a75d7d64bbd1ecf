import { visibleWidth } from '@earendil-works/pi-tui';
import type { Tokens } from 'marked';
import type { Theme } from '../screen/theme.js';
import { wrap } from './fit.js';
import { inlineText } from './markdown-inline.js';

const BETWEEN = 3; // columns between two cells: a line with a space on each side
const MAX_WORD = 40; // a longer word may be broken

/** A table with columns as wide as they need; where words would be broken, one row below the other instead. */
export function tableLines(theme: Theme, { header, rows, align }: Tokens.Table, width: number): string[] {
  const head = header.map(({ tokens }) => inlineText(theme, tokens, ['strong']));
  const cells = rows.map((row) => row.map(({ tokens }) => inlineText(theme, tokens)));
  const columns = head.map((text, index) => [text, ...cells.map((row) => row[index] ?? '')]);
  const widths = columnWidths(columns, width - BETWEEN * (head.length - 1));
  if (!widths) return stackedLines(theme, head, cells, width);
  const { paint } = theme;
  const line = (row: readonly string[]): string[] => {
    const wrapped = widths.map((columns, index) => cellLines(row[index] ?? '', columns));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((lines, index) => aligned(lines[at] ?? '', widths[index] ?? 0, align[index]))
        .join(paint.border(' │ '))
        .trimEnd(),
    );
  };
  const rule = paint.border(widths.map((columns) => '─'.repeat(columns)).join('─┼─'));
  return [...line(head), rule, ...cells.flatMap(line)];
}

const cellLines = (text: string, width: number): string[] => text.split('\n').flatMap((line) => wrap(line, width));

/** Undefined if a word would have to be broken. */
function columnWidths(columns: readonly (readonly string[])[], room: number): number[] | undefined {
  const natural = columns.map((texts) => Math.max(1, ...texts.map((text) => visibleWidth(text))));
  if (sum(natural) <= room) return natural;
  const least = columns.map((texts) => Math.min(MAX_WORD, Math.max(1, ...texts.map(longestWord))));
  const spare = room - sum(least);
  if (spare < 0) return undefined;
  // Each column gets a share of the spare width by what it lacks; the widest one gets the rest.
  const lacking = natural.map((columns, index) => columns - (least[index] ?? 0));
  const shares = lacking.map((lack) => Math.floor((spare * lack) / sum(lacking)));
  const widest = lacking.indexOf(Math.max(...lacking));
  return least.map((columns, index) => columns + (shares[index] ?? 0) + (index === widest ? spare - sum(shares) : 0));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const longestWord = (text: string): number => Math.max(0, ...text.split(/\s+/).map((word) => visibleWidth(word)));

function aligned(text: string, width: number, align: 'left' | 'right' | 'center' | null | undefined): string {
  const space = Math.max(0, width - visibleWidth(text));
  const left = align === 'right' ? space : align === 'center' ? Math.floor(space / 2) : 0;
  return `${' '.repeat(left)}${text}${' '.repeat(space - left)}`;
}

/** Each row as its own lines: the header of a cell, and the cell behind it. */
function stackedLines(
  theme: Theme,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const all = rows.length === 0 ? [head.map(() => '')] : rows;
  return all.flatMap((row, index) => [
    ...(index > 0 ? [theme.paint.border('─'.repeat(Math.min(width, 12)))] : []),
    ...head.flatMap((name, column) => wrap(`${name}${name === '' ? '' : ': '}${row[column] ?? ''}`, width, '  ')),
  ]);
}
