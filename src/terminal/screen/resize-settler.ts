const QUIET_MS = 50; // a window that is dragged has many sizes, and each repaint costs rows
const MOST_MS = 250; // what is going on is to be seen
const ANSWER_MS = 200; // for a terminal far away
const TOLD_MS = 400; // terminals may tell us of a size later than they have it: tmux a quarter of a second
const STORM_MS = 1_000;
const ASK_SIZE_AND_POSITION = '\u001b[18t\u001b[6n';

export interface WindowSize {
  width: number;
  height: number;
}

export interface ResizeSettlerOptions {
  write(text: string): void;
  /** The size as we were told. */
  size(): WindowSize;
  now(): number;
  /** Calls back after so many milliseconds; gives a way to call it off. */
  later(milliseconds: number, callback: () => void): () => void;
  /** The cursor stands in this row of a window of this size, counted from 0; undefined where nobody says. */
  onSettled(size: WindowSize, cursorRow: number | undefined): void;
}

/**
 * Waits until a window keeps its size, and then asks where the cursor is. Terminals break lines anew, push some into the
 * scrollback and take others back, each in its own way: where the cursor went tells which of them are on the screen.
 */
export class ResizeSettler {
  readonly #options: ResizeSettlerOptions;
  #since: number | undefined;
  #changedAt = 0;
  #callOff: () => void = () => {};
  /** How many answers are still to come. */
  #asked = 0;
  #isAsking = false;
  #reported: WindowSize | undefined;
  /** What it says of its size is not so. */
  #isWrong = false;

  constructor(options: ResizeSettlerOptions) {
    this.#options = options;
  }

  /** Nothing may be painted while this is so. */
  get isPending(): boolean {
    return this.#since !== undefined;
  }

  /** The window has another size. */
  changed(): void {
    const now = this.#options.now();
    this.#since ??= now;
    this.#changedAt = now;
    this.#askIn(Math.max(0, Math.min(QUIET_MS, this.#since + MOST_MS - now)));
  }

  /** True where it was an answer to what was asked. */
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
