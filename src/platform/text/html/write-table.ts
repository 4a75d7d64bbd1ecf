// Data tables in GitHub Flavored Markdown.
import type { PageElement, PageNode } from './page-tree.js';
import { oneLine, type Writing } from './write-inline.js';

const MAX_COLUMNS = 60; // a wider table is unreadable
const MAX_CELLS = 100_000;
const MAX_SPAN_ROWS = 1_000;

/** The table's lines, or undefined for a layout table. */
export function writeTable(table: PageElement, writing: Writing): string | undefined {
  const { rows, caption } = partsOf(table);
  if (table.attributes.get('role') === 'presentation' || isLayout(rows)) return undefined;
  const { lines, left } = grid(rows, writing);
  const filled = lines.filter((cells) => cells.some((cell) => cell !== ''));
  if (filled.length === 0) return undefined;
  const width = Math.max(...filled.slice(0, 1_000).map((cells) => cells.length));
  const isHeaded = rows[0] !== undefined && cellsOf(rows[0]).every(({ name }) => name === 'th');
  const body = isHeaded ? filled : [[], ...filled]; // a Markdown table needs a header row, even an empty one
  const written = body.map((cells) => row(cells, width));
  const title = caption && oneLine(caption.children, writing);
  return [
    ...(title ? [`**${title}**`, ''] : []),
    written[0] ?? '',
    `|${' --- |'.repeat(width)}`,
    ...written.slice(1),
    ...(left > 0 ? ['', `[… ${left} more cells of this table are left out …]`] : []),
  ].join('\n');
}

const row = (cells: readonly string[], width: number): string =>
  `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`;

interface Parts {
  rows: PageElement[];
  caption: PageElement | undefined;
}

function partsOf(table: PageElement): Parts {
  const parts: Parts = { rows: [], caption: undefined };
  for (const child of elementsOf(table)) {
    if (child.name === 'caption') parts.caption = child;
    else if (child.name === 'tr') parts.rows.push(child);
    else if (['thead', 'tbody', 'tfoot'].includes(child.name)) {
      for (const inner of elementsOf(child)) if (inner.name === 'tr') parts.rows.push(inner);
    }
  }
  return parts;
}

const elementsOf = ({ children }: PageElement): PageElement[] => children.filter((child) => typeof child !== 'string');

const cellsOf = (line: PageElement): PageElement[] =>
  elementsOf(line).filter(({ name }) => name === 'td' || name === 'th');

/** One cell, or one column with whole blocks in it. */
function isLayout(rows: readonly PageElement[]): boolean {
  const widest = rows.reduce((most, line) => Math.max(most, cellsOf(line).length), 0);
  if (rows.length === 0 || widest <= 1) return true;
  return rows.slice(0, 50).some((line) => cellsOf(line).some((cell) => holdsBlocks(cell.children, 3)));
}

/** Whether the cell contains block content: a heading, a table, a long code block. */
function holdsBlocks(nodes: readonly PageNode[], depth: number): boolean {
  return nodes.some(
    (node) =>
      typeof node !== 'string' &&
      (/^(?:h[1-6]|table|article|section|blockquote)$/.test(node.name) ||
        (depth > 0 && holdsBlocks(node.children, depth - 1))),
  );
}

/** Puts every cell into its column. A cell that spans several leaves the others empty. */
function grid(rows: readonly PageElement[], writing: Writing): { lines: string[][]; left: number } {
  const lines: string[][] = [];
  /** For each column, how many more rows a cell above still covers. */
  const taken: number[] = [];
  let cells = 0;
  let left = 0;
  for (const line of rows) {
    const texts: string[] = [];
    let column = 0;
    const skipTaken = (): void => {
      while ((taken[column] ?? 0) > 0) {
        taken[column] = (taken[column] ?? 0) - 1;
        texts[column] = '';
        column += 1;
      }
    };
    for (const cell of cellsOf(line)) {
      skipTaken();
      if (column >= MAX_COLUMNS || cells >= MAX_CELLS) {
        left += 1;
        continue;
      }
      const across = Math.min(spanOf(cell, 'colspan'), MAX_COLUMNS - column);
      const down = Math.min(spanOf(cell, 'rowspan'), MAX_SPAN_ROWS);
      texts[column] = cellText(cell, { across, down }, writing);
      for (let index = column; index < column + across; index += 1) {
        texts[index] ??= '';
        if (down > 1) taken[index] = down - 1;
      }
      column += across;
      cells += across;
    }
    skipTaken();
    if (texts.length > 0 && cells <= MAX_CELLS) lines.push(texts);
  }
  return { lines, left };
}

function spanOf({ attributes }: PageElement, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(attributes.get(name) ?? '1', 10);
  return span > 1 ? span : 1;
}

function cellText(cell: PageElement, { across, down }: { across: number; down: number }, writing: Writing): string {
  const text = oneLine(cell.children, writing).replaceAll('|', '\\|');
  if (text === '') return '';
  const spans = [across > 1 && `${across} columns`, down > 1 && `${down} rows`].filter(Boolean);
  return spans.length > 0 ? `${text} (spans ${spans.join(', ')})` : text;
}
