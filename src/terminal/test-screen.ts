import { type Terminal, visibleWidth } from '@earendil-works/pi-tui';

/** One row: a character per cell, and an empty string for the second cell of a wide one. */
interface Row {
  cells: string[];
  /** The line was wrapped here and continues in the next row. */
  goesOn: boolean;
}

/** How terminals differ when they are resized. */
export interface ResizeBehaviour {
  /** Empty rows at the end are dropped before rows at the top leave the screen. */
  givesUpEmptyRows?: boolean;
  /** Rows come back from the scrollback if there is space for them. */
  takesBack?: boolean;
  /** It does not report its cursor's position. */
  isMute?: boolean;
}

/** A minimal terminal emulator: rows that scroll off, a cursor, and the few sequences that are written. */
export class TestScreen implements Terminal {
  columns: number;
  rows: number;
  readonly kittyProtocolActive = false;
  readonly #manners: ResizeBehaviour;
  /** All rows, including those that have scrolled off. */
  #lines: Row[] = [emptyRow()];
  /** How many have scrolled off. */
  #top = 0;
  #row = 0;
  #column = 0;
  #wraps = true;
  onInput: (data: string) => void = () => {};
  onResize: () => void = () => {};

  constructor(columns: number, rows: number, manners: ResizeBehaviour = {}) {
    this.columns = columns;
    this.rows = rows;
    this.#manners = { takesBack: true, ...manners };
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.onInput = onInput;
    this.onResize = onResize;
  }

  stop(): void {}
  async drainInput(): Promise<void> {}
  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}

  /** The visible rows, without empty ones at the end. */
  get screen(): string[] {
    const lines = this.#lines.slice(this.#top).map(textOf);
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  get scrollback(): string[] {
    return this.#lines.slice(0, this.#top).map(textOf);
  }

  /** The scrollback and the screen, with wrapped lines joined. */
  get text(): string[] {
    return joined(this.#lines).map((cells) => cells.join('').trimEnd());
  }

  /** Re-wraps all rows for the new size, and keeps the cursor at its position in its line. */
  resize(columns: number, rows: number): void {
    const shorter = this.rows - rows;
    const below = this.#lines.length - 1 - this.#row;
    if (shorter > 0) this.#lines.length -= Math.min(shorter, below); // rows below the cursor are dropped
    const cursor = this.#lineOf(this.#row);
    const top = this.#lineOf(this.#top);
    const broken = joined(this.#lines).map((cells) => brokenInto(cells, columns));
    this.columns = columns;
    this.rows = rows;
    this.#lines = broken.flat();
    const moved = newPlace(broken, { ...cursor, offset: cursor.offset + this.#column });
    this.#row = moved.row;
    this.#column = Math.min(moved.column, columns - 1);
    if (this.#manners.givesUpEmptyRows) {
      while (this.#lines.length - 1 > this.#row && this.#lines.at(-1)?.cells.length === 0) this.#lines.pop();
    }
    const least = Math.max(0, this.#lines.length - rows);
    this.#top = this.#manners.takesBack ? least : Math.max(least, Math.min(newPlace(broken, top).row, this.#row));
    this.onResize();
  }

  write(data: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by these characters
    for (const [piece] of data.matchAll(/\u001b\[[?>]?[\d;]*[a-zA-Z]|\u001b\]8;;\u0007|\r|\n|[^\u001b\r\n]+/g))
      this.#take(piece);
  }

  #take(piece: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
    const [, count = '', action] = /^\u001b\[([?>]?[\d;]*)([a-zA-Z])$/.exec(piece) ?? [];
    const number = Number(count || 1);
    if (piece === '\r') this.#column = 0;
    else if (piece === '\n') this.#down();
    else if (action === 'A') this.#row = Math.max(this.#top, this.#row - number);
    else if (action === 'B') this.#row = Math.min(this.#lines.length - 1, this.#row + number);
    else if (action === 'G') this.#column = Math.min(number, this.columns) - 1;
    else if (action === 'K') this.#lines[this.#row] = emptyRow();
    else if (action === 'J') this.#clearBelow();
    else if (count === '?7') this.#wraps = action === 'h';
    else if (count === '18' && action === 't') this.#tell(`8;${this.rows};${this.columns}t`);
    else if (count === '6' && action === 'n') this.#tell(`${this.#row - this.#top + 1};${this.#column + 1}R`);
    else if (!piece.startsWith('\u001b')) for (const one of graphemes(piece)) this.#print(one);
  }

  #tell(answer: string): void {
    if (!this.#manners.isMute) this.onInput(`\u001b[${answer}`);
  }

  #clearBelow(): void {
    this.#lines[this.#row] = { cells: this.#cells.slice(0, this.#column), goesOn: false };
    // Rows stay, but become empty.
    for (let row = this.#row + 1; row < this.#lines.length; row += 1) this.#lines[row] = emptyRow();
  }

  #down(): void {
    this.#row += 1;
    if (this.#row === this.#lines.length) this.#lines.push(emptyRow());
    this.#top = Math.max(this.#top, this.#lines.length - this.rows);
  }

  get #cells(): string[] {
    return this.#lines[this.#row]?.cells ?? [];
  }

  #print(character: string): void {
    const width = visibleWidth(character);
    if (this.#column + width > this.columns) {
      if (this.#wraps) {
        const row = this.#lines[this.#row];
        if (row) row.goesOn = true;
        this.#down();
        this.#column = 0;
      } else this.#column = this.columns - width;
    }
    while (this.#cells.length < this.#column) this.#cells.push(' ');
    this.#cells.splice(this.#column, width, character, ...Array<string>(width - 1).fill(''));
    this.#column += width;
  }

  /** The line that a row belongs to, and how many of its cells come before. */
  #lineOf(row: number): PlaceInLine {
    let first = row;
    while (this.#lines[first - 1]?.goesOn) first -= 1;
    const offset = this.#lines.slice(first, row).reduce((sum, { cells }) => sum + cells.length, 0);
    return { line: joined(this.#lines.slice(0, first)).length, offset };
  }
}

interface PlaceInLine {
  line: number;
  offset: number;
}

function newPlace(
  broken: ReadonlyArray<readonly Row[]>,
  { line, offset }: PlaceInLine,
): { row: number; column: number } {
  let row = broken.slice(0, line).flat().length;
  let column = offset;
  for (const { goesOn, cells } of broken[line] ?? []) {
    if (!goesOn || column < cells.length) break;
    column -= cells.length;
    row += 1;
  }
  return { row, column };
}

const emptyRow = (): Row => ({ cells: [], goesOn: false });

const textOf = ({ cells }: Row): string => cells.join('').trimEnd();

const graphemes = (text: string): string[] => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

function joined(rows: readonly Row[]): string[][] {
  const lines: string[][] = [];
  let isOpen = false;
  for (const { cells, goesOn } of rows) {
    if (isOpen) lines.at(-1)?.push(...cells);
    else lines.push([...cells]);
    isOpen = goesOn;
  }
  return lines;
}

function brokenInto(cells: readonly string[], columns: number): Row[] {
  const rows: Row[] = [emptyRow()];
  let row = rows[0] ?? emptyRow();
  for (let at = 0; at < cells.length; ) {
    const width = cells[at + 1] === '' ? 2 : 1;
    if (row.cells.length + width > columns) {
      row.goesOn = true;
      row = emptyRow();
      rows.push(row);
    }
    row.cells.push(...cells.slice(at, at + width));
    at += width;
  }
  return rows;
}
