import { matchesKey } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLines, cut, wrap } from '../views/fit.js';
import type { Dialog } from './dialog.js';
import { boxLines, boxRoom } from './dialog-box.js';

const OTHER_ROWS = 9; // title, empty lines, hint, status line, and some of the conversation
const LEAST_ROWS = 5;

export interface ScrollDialogFacts {
  title: string;
  lines(width: number): readonly string[];
  /** The height of the window. */
  rows(): number;
  /** Lines that already have their colours are shown as they are. */
  isStyled?: boolean;
  /** A key beside those that scroll, and what it does. */
  extra?: { key: string; about: string; run(): void } | undefined;
  /** Another key that closes it, such as the one that has opened it. */
  closes?(data: string): boolean;
}

/** A text that may be longer than the screen. It follows the end until the user scrolls up. */
export class ScrollDialog implements Dialog {
  readonly takesText = false;
  readonly givesWay = true;
  focused = false;
  readonly #theme: Theme;
  readonly #facts: ScrollDialogFacts;
  readonly #close: () => void;
  /** The first row that is shown; undefined while it follows the end. */
  #top: number | undefined;
  #count = 0;

  constructor(theme: Theme, facts: ScrollDialogFacts, close: () => void, { fromStart = false } = {}) {
    this.#theme = theme;
    this.#facts = facts;
    this.#close = close;
    this.#top = fromStart ? 0 : undefined;
  }

  get hint(): string {
    const { extra } = this.#facts;
    return [
      '↑↓ page-up page-down to scroll',
      ...(extra ? [`${extra.key} to ${extra.about}`] : []),
      'esc to close',
    ].join(' · ');
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { extra, closes } = this.#facts;
    const page = this.#room - 1;
    if (
      matchesKey(data, 'escape') ||
      data === 'q' ||
      matchesKey(data, 'enter') ||
      matchesKey(data, 'ctrl+c') ||
      closes?.(data)
    ) {
      this.#close();
    } else if (matchesKey(data, 'up') || data === 'k') this.#scroll(-1);
    else if (matchesKey(data, 'down') || data === 'j') this.#scroll(1);
    else if (matchesKey(data, 'pageUp')) this.#scroll(-page);
    else if (matchesKey(data, 'pageDown') || matchesKey(data, 'space')) this.#scroll(page);
    else if (matchesKey(data, 'home') || data === 'g') this.#top = 0;
    else if (matchesKey(data, 'end') || data === 'G') this.#top = undefined;
    else if (extra && data === extra.key) extra.run();
  }

  render(width: number): string[] {
    const { title, lines, isStyled = false } = this.#facts;
    const columns = boxRoom(width);
    const rows = isStyled
      ? lines(columns).map((line) => cut(line, columns))
      : lines(columns).flatMap((line) => cleanLines(line === '' ? ' ' : line).flatMap((one) => wrap(one, columns)));
    this.#count = rows.length;
    const room = this.#room;
    const last = Math.max(0, rows.length - room);
    const top = Math.min(this.#top ?? last, last);
    const shown = rows.slice(top, top + room);
    const position = rows.length > room ? ` ${top + 1}–${top + shown.length} of ${rows.length}` : '';
    const block = rows.length === 0 ? [this.#theme.paint.muted('Nothing yet.')] : shown;
    return boxLines(this.#theme, { title: `${title}${position}`, blocks: [block] }, width);
  }

  get #room(): number {
    return Math.max(LEAST_ROWS, this.#facts.rows() - OTHER_ROWS);
  }

  #scroll(by: number): void {
    const last = Math.max(0, this.#count - this.#room);
    const next = Math.max(0, (this.#top ?? last) + by);
    this.#top = next >= last ? undefined : next;
  }
}
