import type { Theme } from '../screen/theme.js';
import { cleanLines, wrap } from '../views/fit.js';
import type { Dialog } from './dialog.js';
import { boxRoom, ScrolledBox } from './dialog-box.js';

/** The input element of a dialog: a list, or a line of text. */
export interface AnswerPart {
  readonly hint: string;
  readonly takesText: boolean;
  focused?: boolean;
  handle(data: string): void;
  render(width: number): string[];
}

export interface TitledDialogFacts {
  title: string;
  /** Text above the input element. */
  text?: string;
  /** The height of the window. */
  rows?(): number;
}

/** A title, an optional text that scrolls if it is long, and an input element below. */
export class TitledDialog implements Dialog {
  readonly #facts: TitledDialogFacts;
  readonly #part: AnswerPart;
  readonly #body: (width: number) => readonly string[];
  readonly #box: ScrolledBox;
  #drawn: { width: number; lines: readonly string[] } | undefined;

  /** `body` draws what is between the text and the input element. */
  constructor(
    theme: Theme,
    facts: TitledDialogFacts,
    part: AnswerPart,
    body: (width: number) => readonly string[] = () => [],
  ) {
    this.#facts = facts;
    this.#part = part;
    this.#body = body;
    this.#box = new ScrolledBox(theme, facts.rows);
  }

  get hint(): string {
    return this.#part.hint;
  }

  get takesText(): boolean {
    return this.#part.takesText;
  }

  get focused(): boolean {
    return this.#part.focused ?? false;
  }

  set focused(value: boolean) {
    this.#part.focused = value;
  }

  handleInput(data: string): void {
    if (!this.#box.handle(data)) this.#part.handle(data);
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  render(width: number): string[] {
    const { title, text = '' } = this.#facts;
    const room = boxRoom(width);
    const words = cleanLines(text).flatMap((line) => wrap(line, room));
    if (this.#drawn?.width !== room) this.#drawn = { width: room, lines: this.#body(room) };
    const blocks = [words, this.#drawn.lines];
    return this.#box.render({ title, blocks, answers: this.#part.render(width) }, width);
  }
}
