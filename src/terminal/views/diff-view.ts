import type { Component } from '@earendil-works/pi-tui';
import type { DisplayBody } from '../../contract/tool.js';
import type { Theme } from '../screen/theme.js';
import { chop, cut, padEnd, wrap } from './fit.js';
import { type PatchRow, parsePatch } from './parse-patch.js';

const SIDE_BY_SIDE_COLUMNS = 140; // each side is then as wide as a narrow window
const BETWEEN = ' │ ';

export type DiffBody = Extract<DisplayBody, { type: 'diff' }>;

/** A patch with line numbers: in one column, or side by side if there is space. */
export class DiffView implements Component {
  readonly #theme: Theme;
  readonly #rows: readonly PatchRow[];
  readonly #shown: readonly PatchRow[];
  #drawn: { width: number; lines: string[] } | undefined;

  /** With `maxRows`, only that many lines of the patch are drawn. */
  constructor(theme: Theme, { patch }: Pick<DiffBody, 'patch'>, { maxRows }: { maxRows?: number } = {}) {
    this.#theme = theme;
    const [first, ...rest] = parsePatch(patch);
    const isBareHunk = first?.kind === 'hunk' && first.text === ''; // an empty hunk header at the top
    const rows = first === undefined || isBareHunk ? rest : [first, ...rest];
    this.#rows = rows;
    this.#shown = maxRows === undefined ? rows : rows.slice(0, maxRows);
  }

  /** How many lines of the patch are not drawn. */
  get hidden(): number {
    return this.#rows.length - this.#shown.length;
  }

  /** The numbers of added and removed lines. */
  get counts(): { added: number; removed: number } {
    const count = (kind: PatchRow['kind']): number => this.#rows.filter((row) => row.kind === kind).length;
    return { added: count('added'), removed: count('removed') };
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  render(width: number): string[] {
    if (this.#drawn?.width === width) return this.#drawn.lines;
    const rows = this.#shown;
    const hasRemoved = rows.some(({ kind }) => kind === 'removed');
    const isWide = width >= SIDE_BY_SIDE_COLUMNS && hasRemoved && rows.some(({ kind }) => kind === 'added');
    const lines = isWide ? this.#sideBySide(rows, width) : this.#unified(rows, width);
    this.#drawn = { width, lines };
    return lines;
  }

  #unified(rows: readonly PatchRow[], width: number): string[] {
    const digits = numberWidth(rows);
    return rows.flatMap((row) => {
      if (row.kind === 'hunk' || row.kind === 'note') return this.#aside(row, width);
      const numbers = digits === 0 ? '' : `${numbered(row.before, digits)} ${numbered(row.after, digits)} `;
      return this.#line(row, numbers, width);
    });
  }

  #sideBySide(rows: readonly PatchRow[], width: number): string[] {
    const digits = numberWidth(rows);
    const half = Math.floor((width - BETWEEN.length) / 2);
    const side = (row: PatchRow | undefined, number: number | undefined): string[] =>
      row ? this.#line(row, digits === 0 ? '' : `${numbered(number, digits)} `, half) : [];
    return pairs(rows).flatMap(({ left, right }) => {
      if (left && (left.kind === 'hunk' || left.kind === 'note')) return this.#aside(left, width);
      const [one, other] = [side(left, left?.before), side(right, right?.after)];
      return Array.from({ length: Math.max(one.length, other.length) }, (_, index) =>
        `${padEnd(one[index] ?? '', half)}${this.#theme.paint.border(BETWEEN)}${other[index] ?? ''}`.trimEnd(),
      );
    });
  }

  /** One line of the file, wrapped to as many rows as it needs. */
  #line(row: PatchRow, numbers: string, width: number): string[] {
    const { paint } = this.#theme;
    const sign = signs[row.kind];
    const painted = row.kind === 'added' ? paint.added : row.kind === 'removed' ? paint.removed : asIs;
    const marked = row.kind === 'added' ? paint.addedPart : paint.removedPart;
    let offset = 0;
    return chop(row.text, width - numbers.length - 2).map((piece, index) => {
      const [from, to] = partWithin(row.part, offset, piece.length);
      offset += piece.length;
      const text = `${painted(piece.slice(0, from))}${marked(piece.slice(from, to))}${painted(piece.slice(to))}`;
      const gutter = index === 0 ? numbers : ' '.repeat(numbers.length);
      return `${paint.muted(gutter)}${painted(index === 0 ? sign : ' ')} ${text}`.trimEnd();
    });
  }

  #aside({ kind, text }: PatchRow, width: number): string[] {
    const { paint } = this.#theme;
    if (kind === 'note') return wrap(text, width).map(paint.muted);
    return [paint.muted(cut(text === '' ? '⋯' : `⋯ ${text}`, width))];
  }
}

const signs = { same: ' ', added: '+', removed: '-', hunk: ' ', note: ' ' } as const;

const asIs = (text: string): string => text;

const numbered = (number: number | undefined, digits: number): string => String(number ?? '').padStart(digits);

const numberWidth = (rows: readonly PatchRow[]): number =>
  rows.reduce((most, { before = 0, after = 0 }) => {
    const largest = Math.max(before, after);
    return largest === 0 ? most : Math.max(most, String(largest).length);
  }, 0);

/** The intersection of the marked part with this piece of the text. */
function partWithin(part: PatchRow['part'], offset: number, length: number): [from: number, to: number] {
  if (!part) return [length, length];
  const within = (at: number): number => Math.min(length, Math.max(0, at - offset));
  return [within(part[0]), within(part[1])];
}

/** Pairs removed lines with the lines that replace them. */
function pairs(rows: readonly PatchRow[]): Array<{ left?: PatchRow; right?: PatchRow }> {
  const result: Array<{ left?: PatchRow; right?: PatchRow }> = [];
  let removed: PatchRow[] = [];
  const flush = (): void => {
    for (const left of removed) result.push({ left });
    removed = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      removed.push(row);
    } else if (row.kind === 'added') {
      const left = removed.shift();
      result.push({ ...(left && { left }), right: row });
    } else {
      flush();
      result.push(row.kind === 'same' ? { left: row, right: row } : { left: row });
    }
  }
  flush();
  return result;
}
