import type { Theme } from '../theme.js';
import { cleanLines, wrap } from '../views/fit.js';
import { type Dialog, titleLine } from './dialog.js';
import { TextField } from './text-field.js';

export interface TextDialogFacts {
  title: string;
  text?: string;
  /** Shown as dots. */
  isSecret?: boolean;
  /** What the line holds at first. */
  draft?: string;
}

/** A question for one line. Undefined where the person leaves it. */
export class TextDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: TextDialogFacts;
  readonly #field: TextField;
  readonly #answer: (text: string | undefined) => void;

  constructor(theme: Theme, facts: TextDialogFacts, answer: (text: string | undefined) => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#answer = answer;
    this.#field = new TextField({ text: facts.draft ?? '', isSecret: facts.isSecret ?? false });
  }

  get hint(): string {
    return 'enter to send · esc to leave';
  }

  #focused = false;

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    this.#field.focused = value;
  }

  handleInput(data: string): void {
    const done = this.#field.handle(data);
    if (done) this.#answer('submitted' in done ? done.submitted : undefined);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { title, text = '' } = this.#facts;
    return [
      titleLine(this.#theme, title, width),
      ...cleanLines(text).flatMap((line) => wrap(line, width)),
      ...this.#field.render(width),
    ];
  }
}
