import { matchesKey } from '@earendil-works/pi-tui';
import { rowsOf } from '../screen/line-rows.js';

const LEAST_WIDTH = 60; // columns: a window is hardly made narrower than this
const WIDE = 140; // columns: a wide window may give almost half of them to another one
const INDENT = '  '; // of the lines in a dialog

/** The width that a window may have after it was made narrower in one step. */
const narrowed = (width: number): number => Math.max(LEAST_WIDTH, Math.ceil(width * (width >= WIDE ? 0.55 : 0.75)));

/** For text that can be wrapped anywhere: short enough to stay as it is in a narrower window. */
export const proseWidth = (width: number): number => narrowed(width) - INDENT.length;

/**
 * How many rows the lines take in a narrower window. The terminal wraps them before Helve can draw, and pushes what no
 * longer fits into its scrollback, from where nothing can be removed.
 */
export const rowsWhenNarrowed = (lines: readonly string[], width: number): number =>
  lines.reduce((sum, line) => sum + rowsOf(`${INDENT}${line}`, narrowed(width)), 0);

/** A part of many lines that keys move. */
export class ScrollWindow {
  #start = 0;
  #isScrollable = false;
  #hasShownEnd = false;
  /** How many lines, from the first on, have been on the screen. */
  #seen = 0;
  #length = 0;
  /** How many lines a key moves the part by. */
  #step = { down: 1, up: 1 };
  /** The last start: the end of the text is then on the screen. */
  #last = 0;

  /**
   * The lines to show in a window of this width, and a note if there are more. The note takes one of the rows. They fit
   * even after the window has become narrower.
   */
  show(lines: readonly string[], rows: number, width: number): { lines: readonly string[]; note?: string } {
    this.#length = lines.length;
    this.#isScrollable = countThatFits(lines, { from: 0, rows, width }) < lines.length;
    if (!this.#isScrollable) {
      this.#start = 0;
      this.#hasShownEnd = true;
      return { lines };
    }
    const room = rows - 1;
    this.#last = lines.length - countThatFits(lines, { from: lines.length - 1, rows: room, width, by: -1 });
    this.#start = Math.min(this.#start, this.#last);
    const end = this.#start + countThatFits(lines, { from: this.#start, rows: room, width });
    const before = countThatFits(lines, { from: this.#start, rows: room, width, by: -1 });
    this.#step = { down: Math.max(1, end - this.#start - 1), up: Math.max(1, before - 1) };
    this.#seen = Math.max(this.#seen, end);
    if (end >= lines.length) this.#hasShownEnd = true;
    const more = end < lines.length ? 'pgdn for more' : 'pgup to go back';
    return {
      lines: lines.slice(this.#start, end),
      note: `lines ${this.#start + 1}–${end} of ${lines.length} · ${more}`,
    };
  }

  /** Whether the last line has been on the screen. */
  get hasShownEnd(): boolean {
    return this.#hasShownEnd;
  }

  /** How many lines at the end have not been on the screen. */
  get unseen(): number {
    return this.#hasShownEnd ? 0 : Math.max(0, this.#length - this.#seen);
  }

  get isScrollable(): boolean {
    return this.#isScrollable;
  }

  /** Whether the key scrolls. */
  handle(data: string): boolean {
    const { down, up } = this.#step;
    if (matchesKey(data, 'pageDown')) return this.#move(down);
    if (matchesKey(data, 'pageUp')) return this.#move(-up);
    if (matchesKey(data, 'ctrl+d')) return this.#move(Math.ceil(down / 2));
    if (matchesKey(data, 'ctrl+u')) return this.#move(-Math.ceil(up / 2));
    return false;
  }

  #move(by: number): boolean {
    this.#start = Math.max(0, Math.min(this.#last, this.#start + by));
    return true;
  }
}

/** Which part of the lines is on the screen at first. */
export function shareThatFits(lines: readonly string[], rows: number, width: number): number {
  const fitting = countThatFits(lines, { from: 0, rows, width });
  return fitting >= lines.length ? 1 : countThatFits(lines, { from: 0, rows: rows - 1, width }) / lines.length;
}

const SPARE_ROWS = 8; // of the conversation above, which may be pushed off in their place

/** How many lines in a row fit, at least one: from this one on downwards, or upwards. */
function countThatFits(
  lines: readonly string[],
  { from, rows, width, by = 1 }: { from: number; rows: number; width: number; by?: 1 | -1 },
): number {
  let used = 0;
  let count = 0;
  for (let line = lines[from]; line !== undefined; line = lines[from + count * by]) {
    used += rowsWhenNarrowed([line], width);
    if (count > 0 && (used > rows || used - count - 1 > SPARE_ROWS)) break;
    count += 1;
  }
  return count;
}
