import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { DisplayBody } from '../../contract/tool.js';
import { capRows } from '../../display/cap-rows.js';
import { type CodeSpan, languageOf, sliceSpans } from '../../display/code-span.js';
import { codeSpans } from '../../display/code-spans.js';
import { markChanges, type PatchRow, parsePatch } from '../../display/parse-patch.js';
import { spansByRow } from '../../display/patch-colors.js';
import { asideWords, isAside, isNewFile, pairRows, patchSigns } from '../../display/patch-rows.js';
import type { Theme } from '../screen/theme.js';
import { chopCode, cleanLines, cut, padEnd, wrap } from './fit.js';
import { paintedSpans } from './painted-code.js';

export const SIDE_BY_SIDE_COLUMNS = 140; // each side is then as wide as a narrow window
const BETWEEN = ' │ ';
const LEAST_COLUMNS = 60; // of the filled part in a dialog, so that a short line is a bar too
const LEAST_SIDE = 40; // columns of each side
const MAX_PIECES = 50; // rows of one line of the file
const MAX_HANG = 24; // columns that a continuation is indented by at most

export type DiffBody = Extract<DisplayBody, { type: 'diff' }>;

interface DiffViewOptions {
  maxRows?: number;
  isWhole?: boolean;
  isInDialog?: boolean;
}

/** A patch with line numbers: in one column, or side by side if there is space. */
export class DiffView implements Component {
  readonly #theme: Theme;
  readonly #rows: readonly PatchRow[];
  readonly #shown: readonly PatchRow[];
  readonly #spans: ReadonlyMap<PatchRow, readonly CodeSpan[]>;
  /** How many lines of the patch are not drawn. */
  readonly hidden: number;
  readonly #maxPieces: number;
  readonly #isInDialog: boolean;
  #drawn: { width: number; lines: string[] } | undefined;

  /**
   * With `maxRows`, only that many lines of the patch are drawn; `isWhole` draws very long lines to their end.
   * `isInDialog`: no row may wrap when the window becomes narrower, only because of its background.
   */
  constructor(
    theme: Theme,
    { patch, path = '' }: { patch: string; path?: string },
    { maxRows, isWhole = false, isInDialog = false }: DiffViewOptions = {},
  ) {
    this.#theme = theme;
    const [first, ...rest] = parsePatch(cleanLines(patch));
    const isBareHunk = first?.kind === 'hunk' && first.text === ''; // an empty hunk header at the top
    const rows = first === undefined || isBareHunk ? rest : [first, ...rest];
    const { shown, hidden } = capRows(rows, maxRows ?? rows.length);
    markChanges(shown);
    this.#rows = rows;
    this.#shown = shown;
    this.#spans = spansByRow(shown, (code) => codeSpans(code, languageOf(path)));
    this.hidden = hidden;
    this.#isInDialog = isInDialog;
    this.#maxPieces = isWhole ? Number.POSITIVE_INFINITY : MAX_PIECES;
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
    const isNew = isNewFile(this.#rows);
    const filled = this.#isInDialog ? columnsFor(rows, { digits, least: LEAST_COLUMNS, most: width }) : width;
    return rows.flatMap((row) => {
      if (isAside(row)) return this.#aside(row, digits, width);
      return this.#line(row, { number: row.after ?? row.before, digits, width, filled, isNew });
    });
  }

  #sideBySide(rows: readonly PatchRow[], width: number): string[] {
    const digits = numberWidth(rows);
    const most = Math.floor((width - BETWEEN.length) / 2);
    const sideOf = (other: PatchRow['kind']): number =>
      columnsFor(
        rows.filter(({ kind }) => kind !== other),
        { digits, least: LEAST_SIDE, most },
      );
    const [before, after] = [sideOf('added'), sideOf('removed')];
    const side = (
      row: PatchRow | undefined,
      number: number | undefined,
      columns: number,
      looks: { filled?: number; hasRoom?: boolean } = {},
    ): string[] => (row ? this.#line(row, { number, digits, width: columns, filled: columns, ...looks }) : []);
    const rest = width - before - BETWEEN.length;
    const atEdge = this.#isInDialog ? { hasRoom: after < rest } : { filled: Math.max(after, rest) };
    return pairRows(rows).flatMap(({ left, right }) => {
      if (left && isAside(left)) return this.#aside(left, digits, width);
      const [one, other] = [side(left, left?.before, before), side(right, right?.after, after, atEdge)];
      return Array.from({ length: Math.max(one.length, other.length) }, (_, index) =>
        `${padEnd(one[index] ?? '', before)}${this.#theme.paint.border(BETWEEN)}${other[index] ?? ''}`.trimEnd(),
      );
    });
  }

  /** One line of the file, wrapped to as many rows as it needs. */
  #line(
    row: PatchRow,
    {
      number,
      digits,
      width,
      filled,
      isNew = false,
      hasRoom = filled < width,
    }: {
      number: number | undefined;
      digits: number;
      width: number;
      filled: number;
      isNew?: boolean;
      /** There are columns of the window beside the filled part. */
      hasRoom?: boolean;
    },
  ): string[] {
    const { paint } = this.#theme;
    const isChange = (row.kind === 'added' || row.kind === 'removed') && !isNew;
    const gutter = digits === 0 ? '' : `${String(number ?? '').padStart(digits)} `;
    const sign = isNew ? '' : `${patchSigns[row.kind]} `;
    const painted = isChange && row.kind !== 'same' ? paint[row.kind === 'added' ? 'added' : 'removed'] : paint.muted;
    const room = width - gutter.length - sign.length;
    return rangesOf(row.text, room, this.#maxPieces).map(([from, to], index) => {
      const head = index === 0 ? painted(`${gutter}${sign}`) : ' '.repeat(width - room);
      const hang = index === 0 ? '' : ' '.repeat(hangOf(row.text, room));
      const line = `${head}${hang}${this.#text(row, from, to, isChange)}`;
      if (isChange && row.kind !== 'same') {
        return this.#filled(row.kind === 'added' ? 'added' : 'removed', line, { filled, hasRoom });
      }
      return line.trimEnd();
    });
  }

  /** The background reaches the edge of the window: beyond the filled part, if there is one, the rest is erased in it. */
  #filled(role: 'added' | 'removed', line: string, { filled, hasRoom }: { filled: number; hasRoom: boolean }): string {
    if (!this.#theme.hasGrounds) return line.trimEnd();
    return hasRoom ? this.#theme.bar(role, line, filled) : this.#theme.on(role, line, filled);
  }

  /** A piece of the line with the colours of its language, and its changed words on a stronger background. */
  #text(row: PatchRow, from: number, to: number, isChange: boolean): string {
    const { paint, hasGrounds } = this.#theme;
    const spans = this.#spans.get(row) ?? [{ text: row.text }];
    if (!isChange) return paintedSpans(sliceSpans(spans, from, to), paint);
    const isAdded = row.kind === 'added';
    const part = isAdded ? 'addedPart' : 'removedPart';
    const pieces: string[] = [];
    let at = from;
    // On a terminal without backgrounds the whole line has the colour of its kind instead.
    const plain = (end: number): string =>
      hasGrounds
        ? paintedSpans(sliceSpans(spans, at, end), paint)
        : paint[isAdded ? 'added' : 'removed'](row.text.slice(at, end));
    for (const [start, end] of row.parts ?? []) {
      if (end <= at || start >= to) continue;
      const [first, last] = [Math.max(start, at), Math.min(end, to)];
      pieces.push(plain(first));
      const piece = paintedSpans(sliceSpans(spans, first, last), paint);
      pieces.push(hasGrounds ? this.#theme.on(part, piece) : paint[part](row.text.slice(first, last)));
      at = last;
    }
    return [...pieces, plain(to)].join('');
  }

  #aside(row: PatchRow, digits: number, width: number): string[] {
    const { paint } = this.#theme;
    const indent = ' '.repeat(digits === 0 ? 0 : digits + 1);
    if (row.kind === 'note') return wrap(row.text, width).map(paint.muted);
    return [paint.muted(cut(`${indent}⋯ ${asideWords(row)}`.trimEnd(), width))];
  }
}

const numberWidth = (rows: readonly PatchRow[]): number =>
  rows.reduce((most, { before = 0, after = 0 }) => {
    const largest = Math.max(before, after);
    return largest === 0 ? most : Math.max(most, String(largest).length);
  }, 0);

/**
 * The width of a side: that of its longest line, so that a terminal that becomes narrower does not wrap what is only
 * background.
 */
function columnsFor(
  rows: readonly PatchRow[],
  { digits, least, most }: { digits: number; least: number; most: number },
): number {
  const head = (digits === 0 ? 0 : digits + 1) + 2; // the number and the sign
  const longest = rows.reduce((sum, row) => Math.max(sum, isAside(row) ? 0 : visibleWidth(row.text)), 0);
  return Math.min(most, Math.max(least, head + longest));
}

/** Where continuation rows start: two columns to the right of the line's own indentation. */
const hangOf = (text: string, room: number): number =>
  Math.min(/^ */.exec(text)?.[0].length ?? 0, MAX_HANG, Math.max(0, Math.floor(room / 2) - 2)) + (room > 12 ? 2 : 0);

/** The ranges of the text that fit into a row each; continuations are indented. */
function rangesOf(text: string, room: number, maxPieces: number): Array<[from: number, to: number]> {
  let at = 0;
  return chopCode(text, room, hangOf(text, room), maxPieces).map((piece) => {
    at += piece.length;
    return [at - piece.length, at];
  });
}
