import { matchesKey } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';

const MAX_ITEMS = 12;

export interface TrustFacts {
  /** The real path. */
  folder: string;
  /** `changed`: it was trusted before, and something was added or changed since. */
  state: 'changed' | 'untrusted';
  /** What trust would enable, one sentence each. */
  items: ReadonlyArray<{ text: string; change?: 'new' | 'changed' }>;
}

/**
 * Asks whether to trust a folder with its settings. Helve starts with either answer; without trust, nothing from the
 * folder runs.
 */
export class TrustDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: TrustFacts;
  readonly #list: ChoiceList<boolean>;
  readonly #answer: (isTrusted: boolean) => void;
  readonly takesText = false;
  #isExpanded = false;
  focused = false;

  constructor(theme: Theme, facts: TrustFacts, answer: (isTrusted: boolean) => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#answer = answer;
    this.#list = new ChoiceList(theme, [
      { value: false, key: 'n', label: 'Continue and ignore all of this' },
      { value: true, key: 't', label: 'Trust the folder, with all of this' },
    ]);
  }

  get hint(): string {
    return `↑↓ enter · esc to continue without${this.#facts.items.length > MAX_ITEMS ? ' · ctrl+o for all of it' : ''}`;
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape')) {
      this.#answer(false);
      return;
    }
    if (matchesKey(data, 'ctrl+o')) {
      this.#isExpanded = !this.#isExpanded;
      return;
    }
    const done = this.#list.handle(data);
    if (done && 'chosen' in done) this.#answer(done.chosen);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const { folder, state, items } = this.#facts;
    const title = state === 'changed' ? 'This folder has changed since you trusted it' : 'Do you trust this folder?';
    const shown = this.#isExpanded ? items : items.slice(0, MAX_ITEMS);
    const hidden = items.length - shown.length;
    return [
      titleLine(this.#theme, title, width),
      ...wrap(cleanLine(folder), width, '  '),
      '',
      ...wrap(items.length === 0 ? 'Nothing in it needs trust.' : 'Trusting it would enable:', width),
      ...shown.flatMap(({ text, change }) => {
        const mark = change === 'changed' ? 'changed: ' : '';
        return wrap(`- ${mark}${cleanLine(text)}`, width, '  ');
      }),
      ...(hidden > 0 ? [paint.warning(`… ${hidden} more (ctrl+o)`)] : []),
      '',
      ...this.#list.render(width),
    ];
  }
}
