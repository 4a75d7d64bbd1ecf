const QUIET_MS = 50; // a window that is being dragged has many sizes, and each repaint costs rows
const MOST_MS = 250; // then it is repainted anyway, so that the user sees progress
const ANSWER_MS = 200; // allows for a remote terminal
const TOLD_MS = 400; // terminals may report a size late: tmux after a quarter of a second
const STORM_MS = 1_000;
const ASK_SIZE_AND_POSITION = '\u001b[18t\u001b[6n';

export interface WindowSize {
  width: number;
  height: number;
}

export interface ResizeSettlerOptions {
  write(text: string): void;
  /** The size last reported. */
  size(): WindowSize;
  now(): number;
  /** Calls back after this many milliseconds; returns a function that cancels it. */
  later(milliseconds: number, callback: () => void): () => void;
  /** The cursor is in this 0-based row of a window of this size; undefined if the terminal does not report it. */
  onSettled(size: WindowSize, cursorRow: number | undefined): void;
}

/**
 * Waits until a window keeps its size, then asks for the cursor's position. Terminals re-wrap lines, push some into the
 * scrollback and take others back, each in its own way: the cursor's position shows which lines are on the screen.
 */
export class ResizeSettler {
  readonly #options: ResizeSettlerOptions;
  #since: number | undefined;
  #changedAt = 0;
  #callOff: () => void = () => {};
  /** The number of outstanding position reports. */
  #asked = 0;
  #isAsking = false;
  #reported: WindowSize | undefined;
  /** The reported size is wrong. */
  #isWrong = false;

  constructor(options: ResizeSettlerOptions) {
    this.#options = options;
  }

  /** While true, nothing may be painted. */
  get isPending(): boolean {
    return this.#since !== undefined;
  }

  /** The window's size has changed. */
  changed(): void {
    const now = this.#options.now();
    this.#since ??= now;
    this.#changedAt = now;
    this.#askIn(Math.max(0, Math.min(QUIET_MS, this.#since + MOST_MS - now)));
  }

  /** True if the input was a position report that we asked for. */
  take(input: string): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a terminal answers
    const [, size, height, width, row] = /^\u001b\[(?:(8);(\d+);(\d+)t|(\d+);\d+R)$/.exec(input) ?? [];
    if (this.#asked === 0 || (size ?? row) === undefined) return false;
    if (size !== undefined) {
      this.#reported = { width: Number(width), height: Number(height) };
      return true;
    }
    this.#asked -= 1;
    if (this.#isAsking && this.#asked === 0) this.#answered(Number(row) - 1);
    return true;
  }

  #askIn(milliseconds: number): void {
    this.#callOff();
    this.#isAsking = false;
    this.#callOff = this.#options.later(milliseconds, () => {
      this.#isAsking = true;
      this.#asked += 1;
      this.#reported = undefined;
      this.#callOff = this.#options.later(ANSWER_MS, () => this.#settle(this.#options.size(), undefined));
      this.#options.write(ASK_SIZE_AND_POSITION);
    });
  }

  #answered(cursorRow: number): void {
    const told = this.#options.size();
    const reported = this.#reported;
    const isSame = !reported || (reported.width === told.width && reported.height === told.height);
    const now = this.#options.now();
    if (!isSame && now - this.#changedAt >= TOLD_MS) this.#isWrong = true;
    if (isSame || this.#isWrong) this.#settle(told, cursorRow);
    else if (now - (this.#since ?? now) >= STORM_MS) this.#settle(reported, cursorRow);
    else this.#askIn(QUIET_MS);
  }

  #settle(size: WindowSize, cursorRow: number | undefined): void {
    this.#callOff();
    this.#isAsking = false;
    this.#since = undefined;
    this.#options.onSettled(size, cursorRow);
  }
}
