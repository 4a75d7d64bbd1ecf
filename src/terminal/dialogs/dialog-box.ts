// The layout that all dialogs share: a headline, indented blocks of text, and the part that answers.
import type { Theme } from '../screen/theme.js';
import { cut } from '../views/fit.js';
import { type Tone, titleLine } from './dialog.js';
import { rowsWhenNarrowed, ScrollWindow } from './scroll-window.js';

const INDENT = '  ';
const LEAST_ROWS = 5; // of the text in a small window
const OTHER_ROWS = 9; // the hint, the status line, and some of the conversation above

export interface DialogBox {
  title: string;
  tone?: Tone;
  /** Each is set off by empty lines. Empty blocks are left out. */
  blocks: ReadonlyArray<readonly string[]>;
  /** The choices or the text field, which indent themselves. */
  answers?: readonly string[];
  /** Without empty lines. */
  isTight?: boolean;
}

/** The width of the text in a dialog. */
export const boxRoom = (width: number): number => Math.max(1, width - INDENT.length);

export function boxLines(
  theme: Theme,
  { title, tone = 'warning', blocks, answers = [], isTight = false }: DialogBox,
  width: number,
): string[] {
  const indented = blocks.map((block) => block.map((line) => `${INDENT}${line}`.trimEnd()));
  const parts = [...indented, answers].filter((part) => part.length > 0);
  return [titleLine(theme, title, width, tone), ...parts.flatMap((part) => (isTight ? part : ['', ...part]))];
}

/** A box whose text scrolls if it does not fit into the window. */
export class ScrolledBox {
  readonly #theme: Theme;
  readonly #rows: () => number;
  readonly #window = new ScrollWindow();

  /** `rows` returns the height of the window. */
  constructor(theme: Theme, rows: () => number = () => Number.POSITIVE_INFINITY) {
    this.#theme = theme;
    this.#rows = rows;
  }

  /** The last line has not been on the screen. */
  get isUnread(): boolean {
    return !this.#window.hasShownEnd;
  }

  /** Whether the key scrolls. */
  handle(data: string): boolean {
    return this.#window.isScrollable && this.#window.handle(data);
  }

  render(box: DialogBox, width: number): string[] {
    const { blocks, answers = [] } = box;
    const text = blocks
      .filter((block) => block.length > 0)
      .flatMap((block, index) => (index === 0 ? block : ['', ...block]));
    const space = this.#rows() - OTHER_ROWS - rowsWhenNarrowed(answers, width);
    const { lines, note } = this.#window.show(text, Math.max(LEAST_ROWS, space), width);
    const more = note === undefined ? [] : [this.#theme.paint.muted(cut(note, boxRoom(width)))];
    return boxLines(this.#theme, { ...box, blocks: [[...lines, ...more]] }, width);
  }
}
