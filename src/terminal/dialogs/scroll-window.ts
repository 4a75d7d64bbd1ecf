import { matchesKey } from '@earendil-works/pi-tui';

/** A part of many lines that keys move. */
export class ScrollWindow {
  #start = 0;
  #height = 1;
  #total = 0;
  #hasShownEnd = false;

  /** The lines to show, and a note if there are more. The note takes one of the rows. */
  show(lines: readonly string[], rows: number): { lines: readonly string[]; note?: string } {
    this.#total = lines.length;
    if (lines.length <= rows) {
      this.#start = 0;
      this.#height = lines.length;
      this.#hasShownEnd = true;
      return { lines };
    }
    this.#height = Math.max(1, rows - 1);
    this.#start = Math.min(this.#start, lines.length - this.#height);
    const end = this.#start + this.#height;
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

  get isScrollable(): boolean {
    return this.#height < this.#total;
  }

  /** Whether the key scrolls. */
  handle(data: string): boolean {
    if (matchesKey(data, 'pageDown')) return this.#move(this.#height - 1);
    if (matchesKey(data, 'pageUp')) return this.#move(1 - this.#height);
    if (matchesKey(data, 'ctrl+d')) return this.#move(Math.ceil(this.#height / 2));
    if (matchesKey(data, 'ctrl+u')) return this.#move(-Math.ceil(this.#height / 2));
    return false;
  }

  #move(by: number): boolean {
    this.#start = Math.max(0, Math.min(this.#total - this.#height, this.#start + by));
    return true;
  }
}
