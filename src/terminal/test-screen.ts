import type { Terminal } from '@earendil-works/pi-tui';

/** As much of a terminal as the screen needs: rows that scroll off, a cursor, and the few sequences that are written. */
export class TestScreen implements Terminal {
  columns: number;
  rows: number;
  readonly kittyProtocolActive = false;
  /** All lines, those that have scrolled off first. */
  #lines: string[] = [''];
  #row = 0;
  #column = 0;
  onInput: (data: string) => void = () => {};
  onResize: () => void = () => {};

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
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

  /** What can be seen, without what is empty at the end. */
  get screen(): string[] {
    return trimmed(this.#lines.slice(this.#top));
  }

  get scrollback(): string[] {
    return this.#lines.slice(0, this.#top);
  }

  get #top(): number {
    return Math.max(0, this.#lines.length - this.rows);
  }

  write(data: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is steered by
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
    else if (action === 'G') this.#column = number - 1;
    else if (action === 'K') this.#lines[this.#row] = '';
    else if (action === 'J') {
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
      // Rows stay where they are, with nothing in them.
      for (let row = this.#row + 1; row < this.#lines.length; row += 1) this.#lines[row] = '';
    } else if (!piece.startsWith('\u001b')) this.#print(piece);
  }

  #down(): void {
    this.#row += 1;
    if (this.#row === this.#lines.length) this.#lines.push('');
  }

  #print(text: string): void {
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
  }
}

const trimmed = (lines: readonly string[]): string[] => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
