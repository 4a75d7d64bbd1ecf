import { matchesKey } from '@earendil-works/pi-tui';
import type { Answer, Question } from '../../contract/question.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import type { Dialog } from './dialog.js';
import { boxRoom, ScrolledBox } from './dialog-box.js';
import { TextField } from './text-field.js';

/** The index of an option, or the user's own text. */
type Option = number | 'other';

interface Asked {
  question: Question;
  list: ChoiceList<Option>;
  marked: Set<Option>;
  text: string | undefined;
}

/** The model's questions, one after the other. `stop` means that the user wants the whole turn to end. */
export class QuestionDialog implements Dialog {
  readonly #theme: Theme;
  readonly #rows: (() => number) | undefined;
  readonly #asked: readonly Asked[];
  readonly #answer: (answers: Answer[] | 'stop') => void;
  #index = 0;
  #box: ScrolledBox;
  #field: TextField | undefined;
  #focused = false;

  constructor(
    theme: Theme,
    { questions, rows }: { questions: readonly Question[]; rows?: () => number },
    answer: (answers: Answer[] | 'stop') => void,
  ) {
    this.#theme = theme;
    this.#rows = rows;
    this.#box = new ScrolledBox(theme, rows);
    this.#answer = answer;
    this.#asked = questions.map((question) => ask(theme, question));
  }

  get hint(): string {
    if (this.#field) return 'enter to keep · esc to go back';
    const back = this.#index > 0 ? ' · ← back' : '';
    const isMulti = this.#current?.question.multiSelect;
    const usual = isMulti ? 'space to mark · enter to go on' : '↑↓ enter to choose';
    return `${this.#current?.list.strayHint ?? usual}${back} · esc to stop`;
  }

  get takesText(): boolean {
    return this.#field !== undefined;
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    if (this.#field) this.#field.focused = value;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const asked = this.#current;
    if (!asked) return;
    if (this.#field) {
      this.#write(data, asked, this.#field);
      return;
    }
    if (matchesKey(data, 'escape')) {
      this.#answer('stop');
      return;
    }
    if (matchesKey(data, 'left') || matchesKey(data, 'shift+tab')) {
      this.#goTo(Math.max(0, this.#index - 1));
      return;
    }
    if (this.#box.handle(data)) return;
    const done = asked.list.handle(data);
    if (!done) return;
    if ('toggled' in done) {
      this.#toggle(asked, done.toggled);
      return;
    }
    if (asked.question.multiSelect) {
      this.#chooseMany(asked, done.chosen);
      return;
    }
    if (done.chosen === 'other') {
      this.#openField(asked);
      return;
    }
    asked.marked.clear();
    asked.marked.add(done.chosen);
    asked.text = undefined;
    this.#next();
  }

  render(width: number): string[] {
    const asked = this.#current;
    if (!asked) return [];
    const { paint } = this.#theme;
    const isOne = this.#asked.length === 1;
    const tabs = this.#asked.map(({ question }, index) => {
      const header = cleanLine(question.header);
      return index === this.#index ? paint.selected(`[${header}]`) : paint.muted(` ${header} `);
    });
    const room = boxRoom(width);
    const title = isOne ? asked.question.header : `Question ${this.#index + 1} of ${this.#asked.length}`;
    const answers = this.#field ? ['In your own words:', ...this.#field.render(width)] : asked.list.render(width);
    const blocks = [isOne ? [] : [cut(tabs.join(' '), room)], wrap(cleanLine(asked.question.question), room)];
    return this.#box.render({ title, blocks, answers }, width);
  }

  get #current(): Asked | undefined {
    return this.#asked[this.#index];
  }

  #toggle(asked: Asked, option: Option): void {
    if (option === 'other' && !asked.marked.has('other')) {
      this.#openField(asked);
      return;
    }
    if (asked.marked.has(option)) asked.marked.delete(option);
    else asked.marked.add(option);
    if (option === 'other') asked.text = undefined;
  }

  /**
   * Enter submits the marked options; if none is marked, it marks the focused one, so that it never submits nothing.
   */
  #chooseMany(asked: Asked, focused: Option): void {
    if (asked.marked.size > 0) {
      this.#next();
      return;
    }
    if (focused === 'other') {
      this.#openField(asked);
      return;
    }
    asked.marked.add(focused);
    this.#next();
  }

  #openField(asked: Asked): void {
    this.#field = new TextField({ text: asked.text ?? '' });
    this.#field.focused = this.#focused;
  }

  #write(data: string, asked: Asked, field: TextField): void {
    const done = field.handle(data);
    if (!done) return;
    this.#field = undefined;
    if ('left' in done || done.submitted.trim() === '') return;
    asked.text = done.submitted.trim();
    if (!asked.question.multiSelect) asked.marked.clear();
    asked.marked.add('other');
    if (!asked.question.multiSelect) this.#next();
  }

  #goTo(index: number): void {
    this.#index = index;
    this.#box = new ScrolledBox(this.#theme, this.#rows);
  }

  #next(): void {
    this.#goTo(this.#index + 1);
    if (this.#index >= this.#asked.length) this.#answerAll();
  }

  #answerAll(): void {
    this.#answer(
      this.#asked.map(({ question, marked, text }) => ({
        chosen: question.options.filter((_, index) => marked.has(index)).map(({ label }) => label),
        ...(text !== undefined && { text }),
      })),
    );
  }
}

function ask(theme: Theme, question: Question): Asked {
  const marked = new Set<Option>();
  const choices = [
    ...question.options.map(({ label, description }, index) => ({ value: index, label, description })),
    { value: 'other' as const, label: 'Something else…' },
  ];
  const list = new ChoiceList<Option>(theme, choices, question.multiSelect ? { marked } : {});
  return { question, list, marked, text: undefined };
}
