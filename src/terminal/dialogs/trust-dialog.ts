import { matchesKey } from '@earendil-works/pi-tui';
import { instructionsLine, itemWords, type TrustFacts, trustQuestion } from '../../display/trust-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import type { Dialog } from './dialog.js';
import { boxRoom, ScrolledBox } from './dialog-box.js';

/**
 * Asks whether to trust a folder with its settings. Helve starts with either answer; without trust, nothing from the
 * folder runs.
 */
export class TrustDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: TrustFacts;
  readonly #list: ChoiceList<boolean>;
  readonly #answer: (isTrusted: boolean) => void;
  readonly #box: ScrolledBox;
  readonly takesText = false;
  focused = false;

  constructor(theme: Theme, { rows, ...facts }: TrustFacts & { rows(): number }, answer: (isTrusted: boolean) => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#box = new ScrolledBox(theme, rows);
    this.#answer = answer;
    const { no, yes } = trustQuestion(facts);
    const choices = [
      { value: true, key: 'y', label: yes },
      { value: false, key: 'n', label: no },
    ];
    this.#list = new ChoiceList(theme, choices, { focus: 1 });
  }

  get hint(): string {
    return `${this.#list.strayHint ?? '↑↓ enter to choose'} · esc to continue without`;
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape')) {
      this.#answer(false);
      return;
    }
    if (this.#box.handle(data)) return;
    const done = this.#list.handle(data);
    if (done && 'chosen' in done) this.#answer(done.chosen);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const { folder, groups } = this.#facts;
    const { title, sentence } = trustQuestion(this.#facts);
    const room = boxRoom(width);
    const listed = groups.flatMap((group) => [
      ...wrap(cleanLine(group.file), room).map((line) => paint.strong(line)),
      ...group.items.flatMap((item) => wrap(`  ${cleanLine(itemWords(item))}`, room, '    ')),
    ]);
    const others = instructionsLine(this.#facts).flatMap((text) => wrap(cleanLine(text), room, '  '));
    const blocks = [wrap(cleanLine(folder), room), [...wrap(sentence, room), ...listed, ...others]];
    return this.#box.render({ title, blocks, answers: this.#list.render(width) }, width);
  }
}
