import type { Theme } from '../screen/theme.js';
import { cleanLines, wrap } from '../views/fit.js';
import { type Dialog, titleLine } from './dialog.js';

/** The input element of a dialog: a list, or a line of text. */
export interface AnswerPart {
  readonly hint: string;
  readonly takesText: boolean;
  focused?: boolean;
  handle(data: string): void;
  render(width: number): string[];
}

/** A title, an optional text, and an input element below. */
export class TitledDialog implements Dialog {
  readonly #theme: Theme;
  readonly #title: string;
  readonly #text: string;
  readonly #part: AnswerPart;

  constructor(theme: Theme, { title, text = '' }: { title: string; text?: string }, part: AnswerPart) {
    this.#theme = theme;
    this.#title = title;
    this.#text = text;
    this.#part = part;
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
    this.#part.handle(data);
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [
      titleLine(this.#theme, this.#title, width),
      ...cleanLines(this.#text).flatMap((line) => wrap(line, width)),
      ...this.#part.render(width),
    ];
  }
}
