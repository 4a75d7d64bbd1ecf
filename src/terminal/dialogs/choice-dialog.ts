import { matchesKey } from '@earendil-works/pi-tui';
import type { Choice } from '../contract.js';
import type { Theme } from '../theme.js';
import { cleanLines, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';

const MANY = 9; // more than there are digits

export interface ChoiceDialogFacts {
  title: string;
  /** What there is to know before one chooses. */
  text?: string;
  items: readonly Choice[];
}

/** A list with a title. Undefined where the person leaves it. */
export class ChoiceDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: ChoiceDialogFacts;
  readonly #list: ChoiceList<string>;
  readonly #answer: (value: string | undefined) => void;
  focused = false;

  constructor(theme: Theme, facts: ChoiceDialogFacts, answer: (value: string | undefined) => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#answer = answer;
    const choices = facts.items.map((item) => ({ ...item, label: item.label ?? item.value }));
    this.#list = new ChoiceList(theme, choices, { isFilterable: choices.length > MANY });
  }

  get hint(): string {
    return '↑↓ enter to choose · esc to leave';
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape')) {
      this.#answer(undefined);
      return;
    }
    const done = this.#list.handle(data);
    if (done && 'chosen' in done) this.#answer(done.chosen);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { title, text = '' } = this.#facts;
    return [
      titleLine(this.#theme, title, width),
      ...cleanLines(text).flatMap((line) => wrap(line, width)),
      ...this.#list.render(width),
    ];
  }
}
