import { sliceByColumn, type Terminal, TuiMainScreen, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { rowsOf, type TextPosition } from './line-rows.js';
import { frame, moveRows, type Painted, paintAll, paintChanges, withoutBlankEnd } from './paint-lines.js';
import { ResizeSettler, type ResizeSettlerOptions, type WindowSize } from './resize-settler.js';

const MIN_SHOWN = 8; // lines: if the content shrinks so that fewer are left on the screen, the screen is filled up

/**
 * Draws below the terminal's existing content, and lets lines scroll into the terminal's own scrollback. Lines that
 * have scrolled off are never repainted, even if their view changes: pi-tui's own screen would clear the scrollback,
 * including the user's earlier output, and print everything again.
 */
export class InlineScreen extends TuiMainScreen {
  /** The lines on the screen, starting with our first. */
  #shown: string[] = [];
  /** The cursor's line among them. */
  #row = 0;
  #column = 0;
  /** How many lines of the content are above the screen. */
  #above = 0;
  /** The size of the last paint, and the last known size. */
  #painted: WindowSize = { width: 0, height: 0 };
  #seen: WindowSize = { width: 0, height: 0 };
  #paintsAll = false;
  /** The minimum of lines left on the screen, reduced if a resize has pushed others off it. */
  #fewest = MIN_SHOWN;
  /** A larger window shows rows above ours again, so it need not be filled up. */
  #hasRowsAbove = false;
  readonly #size: ResizeSettler;
  /** Lines of the frame that the terminal has pushed off the screen in a resize, and nothing after them. */
  #pushed: string[] = [];
  /** Called after each frame with the number of lines above the screen; returns how many of them were dropped. */
  onPainted: ((above: number) => number) | undefined;
  /** How many lines of the content stay: those below belong to the frame, which is drawn anew. */
  lastingLines: (() => number) | undefined;
  /** Called after a resize to map a line of the content to its new position. */
  onResized: ((line: number) => TextPosition) | undefined;

  constructor(terminal: Terminal, clock: Pick<ResizeSettlerOptions, 'now' | 'later'> = realClock) {
    super(terminal, false);
    this.#size = new ResizeSettler({
      ...clock,
      write: (text) => terminal.write(text),
      size: () => ({ width: terminal.columns, height: terminal.rows }),
      onSettled: (size, cursorRow) => {
        this.#resized(size, cursorRow);
        this.requestRender(); // the size may have changed again
      },
    });
    this.addInputListener((data) => (this.#size.take(data) ? { consume: true } : undefined));
  }

  /** Called after another program used the terminal: starts below its output. */
  beginBelow(): void {
    this.#shown = [];
    this.#pushed = [];
    this.#row = 0;
    this.#column = 0;
    this.#paintsAll = true;
    this.requestRender();
  }

  protected override resetRenderState(): void {
    this.#paintsAll = true;
  }

  /** Erases our lines from the screen, so that repainting does not duplicate them. */
  erase(): void {
    this.terminal.write(`${moveRows(-this.#row)}\r\u001b[J`);
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
  }

  protected override beforeTerminalStop(): void {
    if (this.#shown.length === 0) return;
    const { columns } = this.terminal;
    const below = this.#shown
      .slice(this.#row + 1)
      .reduce((sum, line) => sum + rowsOf(this.#asPainted(line), columns), 0);
    this.terminal.write(`${moveRows(below)}\r\n`);
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns: width, rows: height } = this.terminal;
    const isChanged = width !== this.#seen.width || height !== this.#seen.height;
    this.#seen = { width, height };
    const isFirst = this.#shown.length === 0; // there are no lines of ours to find again
    if (isChanged && !isFirst) this.#size.changed();
    if (isFirst) this.#resized(this.#seen, 0);
    else if (!this.#size.isPending) this.#paint();
  }

  #paint(): void {
    const { width, height } = this.#painted;
    const lines = this.render(width);
    const cursor = this.extractCursorPosition(lines, height);
    const start = this.#firstLine(lines.length, height);
    const wanted = lines.slice(start);
    const isAll = this.#paintsAll || start < this.#above;
    const painted = isAll
      ? paintAll(
          wanted.map((line) => this.#asPainted(line)),
          this.#row,
        )
      : this.#changes(wanted);
    this.#show(painted, { start, wanted, cursor });
  }

  /** Repaints the screen for its new size, without the lines that the terminal has pushed off it. */
  #resized(size: WindowSize, cursorRow: number | undefined): void {
    if (this.stopped) return;
    this.#seen = size;
    const { first, rowsUp } = this.#stillShown(cursorRow);
    const back = cursorRow === undefined ? 0 : this.#cameBack(cursorRow - rowsUp);
    this.#hasRowsAbove = cursorRow !== undefined && cursorRow > rowsUp;
    this.#notePushed(first);
    this.#painted = this.#seen;
    const { width, height } = this.#painted;
    const lines = this.render(width);
    const cursor = this.extractCursorPosition(lines, height);
    const line = this.#above + first;
    const place = this.onResized?.(line) ?? { line: Math.min(line, lines.length - 1), column: 0 };
    // If a line is partly above the screen, only the rest is written.
    const rest = place.column > 0 ? [sliceByColumn(lines[place.line] ?? '', place.column, width)] : [];
    const start = place.line + rest.length;
    const wanted = lines.slice(start);
    const painted = paintAll(
      [...rest, ...wanted].map((text) => this.#asPainted(text)),
      rowsUp + back,
    );
    if (this.#shown.length > 0) this.#fewest = Math.min(MIN_SHOWN, wanted.length);
    this.#show({ text: painted.text, row: painted.row - rest.length }, { start, wanted, cursor });
  }

  #show(
    painted: Painted,
    {
      start,
      wanted,
      cursor,
    }: { start: number; wanted: readonly string[]; cursor: { row: number; col: number } | null },
  ): void {
    const off = Math.max(0, wanted.length - this.#painted.height);
    if (off > 0) {
      this.#pushed = [];
      this.#hasRowsAbove = false;
    }
    const text =
      painted.text +
      this.#moveCursor(cursor && { row: cursor.row - start - off, column: cursor.col }, painted.row - off);
    if (text !== '') this.terminal.write(frame(text));
    this.#shown = wanted.slice(off);
    this.#above = start + off;
    this.#paintsAll = false;
    this.#above -= this.onPainted?.(this.#above) ?? 0;
  }

  #firstLine(count: number, height: number): number {
    const left = count - this.#above;
    if (left >= MIN_SHOWN) this.#fewest = MIN_SHOWN;
    if (this.#hasRowsAbove) return this.#above;
    return left < Math.min(this.#fewest, height) ? Math.min(this.#above, Math.max(0, count - height)) : this.#above;
  }

  /** Only written lines are measured: most are unchanged. */
  #changes(wanted: readonly string[]): Painted {
    const shown = this.#shown;
    const lines = wanted.map((line, index) => (line === shown[index] ? line : this.#asPainted(line)));
    return paintChanges(lines, shown, this.#row);
  }

  #asPainted(line: string): string {
    const { width } = this.#painted;
    const trimmed = withoutBlankEnd(line);
    return visibleWidth(trimmed) > width ? truncateToWidth(trimmed, width) : trimmed;
  }

  #moveCursor(wanted: { row: number; column: number } | null, from: number): string {
    const { row, column } = wanted && wanted.row >= 0 ? wanted : { row: from, column: 0 };
    const isMoved = row !== from || from !== this.#row || column !== this.#column;
    this.#row = row;
    this.#column = column;
    return isMoved ? `${moveRows(row - from)}\u001b[${column + 1}G` : '';
  }

  /** A part of a question or of the prompt that was pushed off the screen is outdated, and no view draws over it. */
  #notePushed(first: number): void {
    const lasting = this.#ofFrame;
    const own = this.#shown.slice(Math.max(0, lasting), first).map((line) => this.#asPainted(line));
    if (first > 0) this.#pushed = lasting > 0 ? own : [...this.#pushed, ...own];
  }

  /** The first of the lines shown that belongs to the frame; negative if those before it are above the screen. */
  get #ofFrame(): number {
    return (this.lastingLines?.() ?? Number.POSITIVE_INFINITY) - this.#above;
  }

  /** Rows above ours that show pushed lines again, since the window has become larger: they are ours to overwrite. */
  #cameBack(rowsAbove: number): number {
    let rows = 0;
    for (let last = this.#pushed.at(-1); last !== undefined; last = this.#pushed.at(-1)) {
      const more = rowsOf(last, this.#seen.width);
      if (rows + more > rowsAbove) break;
      rows += more;
      this.#pushed.pop();
    }
    return rows;
  }

  /** Draws the content once more, without reprinting lines that have scrolled off: nothing is drawn after it. */
  finish(): void {
    this.#fewest = 0;
    this.renderNow();
  }

  /** After a change of width the terminal has re-wrapped our lines; the cursor moved with its line. */
  #stillShown(cursorRow: number | undefined): { first: number; rowsUp: number } {
    const frame = this.#ofFrame;
    const { width, height } = this.#seen;
    const rows = (line: string): number => rowsOf(this.#asPainted(line), width);
    const ofCursor = rows(this.#shown[this.#row] ?? '');
    const own = Math.min(Math.floor(this.#column / width), ofCursor - 1);
    const most = cursorRow ?? height - 1;
    let first = this.#row;
    let rowsUp = own;
    for (; first > 0; first -= 1) {
      const more = rows(this.#shown[first - 1] ?? '');
      // The rest of a line of the frame that is partly pushed off is drawn over.
      if (rowsUp + more > most) return { first, rowsUp: first > frame ? most : rowsUp };
      rowsUp += more;
    }
    return { first, rowsUp: Math.min(rowsUp, most) };
  }
}

/** The clock of this machine. */
export const realClock: Pick<ResizeSettlerOptions, 'now' | 'later'> = {
  now: () => performance.now(),
  later: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
