import { sliceByColumn, type Terminal, TuiMainScreen, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { rowsOf, type TextPosition } from './line-rows.js';
import { frame, moveRows, type Painted, paintAll, paintChanges, withoutBlankEnd } from './paint-lines.js';
import { ResizeSettler, type ResizeSettlerOptions, type WindowSize } from './resize-settler.js';

const MIN_SHOWN = 8; // lines: where a tree has become so short that less is left on the screen, all of it is filled

/**
 * Draws the tree below what the terminal shows already, and lets it scroll up into the terminal's own scrollback. What
 * has scrolled off is never painted again, whatever becomes of the view that it came from: the library's own screen
 * would clear the scrollback, with the person's lines from before, and print everything anew.
 */
export class InlineScreen extends TuiMainScreen {
  /** What stands on the screen, from our first line there on. */
  #shown: string[] = [];
  /** In which of those lines the cursor stands. */
  #row = 0;
  #column = 0;
  /** How many lines of the tree are above the screen. */
  #above = 0;
  /** The size that was painted for, and the one that was seen last. */
  #painted: WindowSize = { width: 0, height: 0 };
  #seen: WindowSize = { width: 0, height: 0 };
  #paintsAll = false;
  /** So few lines may be left on the screen: a resize has pushed the others off it. */
  #fewest = MIN_SHOWN;
  readonly #size: ResizeSettler;
  /** Told after each frame how many lines of the tree are above the screen; gives how many of them it has let go. */
  onPainted: ((above: number) => number) | undefined;
  /** Asked after a resize where a line of the tree is now. */
  onResized: ((line: number) => TextPosition) | undefined;

  constructor(terminal: Terminal, clock: Pick<ResizeSettlerOptions, 'now' | 'later'> = realClock) {
    super(terminal, false);
    this.#size = new ResizeSettler({
      ...clock,
      write: (text) => terminal.write(text),
      size: () => ({ width: terminal.columns, height: terminal.rows }),
      onSettled: (size, cursorRow) => {
        this.#resized(size, cursorRow);
        this.requestRender(); // it may have another size already
      },
    });
    this.addInputListener((data) => (this.#size.take(data) ? { consume: true } : undefined));
  }

  /** Prints the tree again from this line of it on, where that has scrolled off; what is above stays as it is. */
  printAgainFrom(line: number): void {
    this.#above = Math.min(this.#above, Math.max(0, line));
    this.#paintsAll = true;
    this.requestRender();
  }

  /** After another program had the terminal: begins anew below what it left. */
  beginBelow(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    this.printAgainFrom(this.#above);
  }

  protected override resetRenderState(): void {
    this.#paintsAll = true;
  }

  /** Takes our lines off the screen, so that they are not there twice once they are painted again. */
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
    const isFirst = this.#shown.length === 0; // nothing of ours is there to be found again
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

  /** Paints what is on the screen anew, for its size, and nothing that the terminal has pushed off it. */
  #resized(size: WindowSize, cursorRow: number | undefined): void {
    if (this.stopped) return;
    this.#seen = size;
    const { first, rowsUp } = this.#stillShown(cursorRow);
    this.#painted = this.#seen;
    const { width, height } = this.#painted;
    const lines = this.render(width);
    const cursor = this.extractCursorPosition(lines, height);
    const line = this.#above + first;
    const place = this.onResized?.(line) ?? { line: Math.min(line, lines.length - 1), column: 0 };
    // Of a line that stands above in part, only the rest is written.
    const rest = place.column > 0 ? [sliceByColumn(lines[place.line] ?? '', place.column, width)] : [];
    const start = place.line + rest.length;
    const wanted = lines.slice(start);
    const painted = paintAll(
      [...rest, ...wanted].map((text) => this.#asPainted(text)),
      rowsUp,
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
    return left < Math.min(this.#fewest, height) ? Math.min(this.#above, Math.max(0, count - height)) : this.#above;
  }

  /** Only what is written is measured: most lines are as they were. */
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

  /** A terminal of another width has broken our lines anew; the cursor went with its own. */
  #stillShown(cursorRow: number | undefined): { first: number; rowsUp: number } {
    const { width, height } = this.#seen;
    const rows = (line: string): number => rowsOf(this.#asPainted(line), width);
    const ofCursor = rows(this.#shown[this.#row] ?? '');
    const own = Math.min(Math.floor(this.#column / width), ofCursor - 1);
    const most = cursorRow ?? height - 1;
    let first = this.#row;
    let rowsUp = own;
    for (; first > 0; first -= 1) {
      const more = rows(this.#shown[first - 1] ?? '');
      if (rowsUp + more > most) break;
      rowsUp += more;
    }
    return { first, rowsUp: Math.min(rowsUp, most) };
  }
}

const realClock: Pick<ResizeSettlerOptions, 'now' | 'later'> = {
  now: () => performance.now(),
  later: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
