import { matchesKey } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import type { Dialog } from './dialog.js';
import { boxRoom, ScrolledBox } from './dialog-box.js';

export interface TrustFacts {
  /** For people: `~/project`. */
  folder: string;
  /** `changed`: it was trusted before, and something was added or changed since. */
  state: 'changed' | 'untrusted';
  /** What trust would enable, by the file that it comes from. */
  groups: readonly TrustGroup[];
  /** Files with instructions for the model. Alone, they are asked about in one sentence. */
  instructions: readonly string[];
}

export interface TrustGroup {
  file: string;
  items: readonly TrustItem[];
}

interface TrustItem {
  text: string;
  line?: number | undefined;
  change?: 'new' | 'changed' | undefined;
}

/** An entry with its line in the file, and whether it has changed. */
export const itemWords = ({ text, line, change }: TrustItem): string =>
  `${change === 'changed' ? 'changed: ' : ''}${text}${line === undefined ? '' : ` (line ${line})`}`;

/** The question and its two answers. */
export function trustQuestion({ state, groups, instructions }: TrustFacts) {
  const isSimple = groups.length === 0;
  const names = instructions.join(' and ');
  const it = instructions.length === 1 ? 'it' : 'them';
  return {
    title: state === 'changed' ? 'This folder has changed since you trusted it' : 'Do you trust this folder?',
    sentence: isSimple
      ? names === ''
        ? 'Nothing in it needs trust.'
        : `${names} ${it === 'it' ? 'tells' : 'tell'} the model how to work here. Trust ${it} if you know who wrote ${it}.`
      : 'Trusting it switches this on:',
    no: isSimple ? `No, treat ${it} as notes` : 'No, continue and ignore all of this',
    yes: isSimple ? `Yes, follow ${it}` : 'Yes, trust the folder, with all of this',
  };
}

/** What else trust includes. */
export const instructionsLine = ({ groups, instructions }: TrustFacts): string[] =>
  groups.length > 0 && instructions.length > 0
    ? [`${instructions.join(', ')}: the model follows it (without trust, Helve asks about it on its own)`]
    : [];

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
