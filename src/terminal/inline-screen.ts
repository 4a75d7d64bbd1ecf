import { type Terminal, TuiMainScreen, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { moveRows, type Painted, paintAll, paintChanges } from './paint-lines.js';

const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
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
  #width = 0;
  #height = 0;
  #paintsAll = false;
  /** Told after each frame how many lines of the tree are above the screen; gives how many of them it has let go. */
  onPainted: ((above: number) => number) | undefined;

  constructor(terminal: Terminal) {
    super(terminal, false);
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

  protected override beforeTerminalStop(): void {
    this.terminal.write(`${moveRows(this.#shown.length - 1 - this.#row)}\r\n`);
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns: width, rows: height } = this.terminal;
    const lines = this.render(width);
    const cursor = this.extractCursorPosition(lines, height);
    const isResized = this.#width !== 0 && (width !== this.#width || height !== this.#height);
    const start = this.#firstLine(lines.length, height, isResized);
    const all = this.#paintsAll || isResized || start < this.#above;
    const wanted = lines.slice(start);
    const fitted = (line: string): string => (visibleWidth(line) > width ? truncateToWidth(line, width) : line);
    const up = isResized ? this.#rowsAboveCursor(width, height) : this.#row;
    const painted = all ? paintAll(wanted.map(fitted), up) : this.#changes(wanted, fitted);

    const off = Math.max(0, wanted.length - height);
    const text = painted.text + this.#moveCursor(cursor && cursor.row - start - off, cursor?.col, painted.row - off);
    if (text !== '') this.terminal.write(`${BEGIN_FRAME}${text}${END_FRAME}`);
    this.#shown = wanted.slice(off);
    this.#above = start + off;
    this.#width = width;
    this.#height = height;
    this.#paintsAll = false;
    this.#above -= this.onPainted?.(this.#above) ?? 0;
  }

  #firstLine(count: number, height: number, isResized: boolean): number {
    const filled = Math.max(0, count - height);
    // Lines are broken elsewhere now, so it is not known which of them are above; those that were stay where they are.
    if (isResized) return this.#above === 0 ? 0 : filled;
    return count - this.#above < Math.min(MIN_SHOWN, height) ? Math.min(this.#above, filled) : this.#above;
  }

  /** Only what is written is measured: most lines are as they were. */
  #changes(wanted: readonly string[], fitted: (line: string) => string): Painted {
    const shown = this.#shown;
    const lines = wanted.map((line, index) => (line === shown[index] ? line : fitted(line)));
    return paintChanges(lines, shown, this.#row);
  }

  #moveCursor(row: number | null, column = 0, from: number): string {
    const isMoved = row !== null && row >= 0 && (row !== from || from !== this.#row || column !== this.#column);
    this.#row = row === null || row < 0 ? from : row;
    this.#column = column;
    return isMoved ? `${moveRows(this.#row - from)}\u001b[${column + 1}G` : '';
  }

  /** A terminal that became narrower has broken our lines anew; the cursor went with its own. */
  #rowsAboveCursor(width: number, height: number): number {
    const rows = this.#shown
      .slice(0, this.#row)
      .reduce(
        (sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / width)),
        Math.floor(this.#column / width),
      );
    return Math.min(rows, height - 1);
  }
}
