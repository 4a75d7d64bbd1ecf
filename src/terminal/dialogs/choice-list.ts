import { matchesKey, visibleWidth } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, padEnd, wrap } from '../views/fit.js';
import { typedCharacter } from './dialog.js';

const MAX_SHOWN = 10;
const MAX_ROWS = 14; // of a window of 24, with the title, the hints and the status line
const SHOWN_AFTER = 2; // items below the selected one
const MOST_KEYS = 9; // items without a letter have a digit
const MIN_ROW = 60; // columns: in a narrower list, descriptions are below their labels

export interface ListedChoice<Value> {
  value: Value;
  label: string;
  description?: string | undefined;
  /** A heading above it and the items that follow it with the same one. */
  group?: string | undefined;
  /** A letter that selects it at once. */
  key?: string | undefined;
  /** Whether it is the current value. */
  isCurrent?: boolean | undefined;
}

export interface ChoiceListOptions<Value> {
  /** The item that Enter selects before any key is pressed; -1 for none. */
  focus?: number;
  /** Typing filters the list, so letters and digits don't select. */
  isFilterable?: boolean;
  /** Multiple selection: space and digits toggle, Enter accepts. */
  marked?: ReadonlySet<Value>;
}

/** A list to choose from, with arrows and Enter, and the letter or digit before each item, which chooses it at once. */
export class ChoiceList<Value> {
  readonly #theme: Theme;
  #all: ReadonlyArray<ListedChoice<Value>>;
  readonly #options: ChoiceListOptions<Value>;
  #filter = '';
  #focus: number;
  /** The last key, if it was a character that does nothing here. */
  #stray: string | undefined;

  constructor(theme: Theme, choices: ReadonlyArray<ListedChoice<Value>>, options: ChoiceListOptions<Value> = {}) {
    this.#theme = theme;
    this.#all = choices;
    this.#options = options;
    this.#focus = Math.min(
      options.focus ??
        Math.max(
          0,
          choices.findIndex(({ isCurrent }) => isCurrent),
        ),
      choices.length - 1,
    );
  }

  get choices(): ReadonlyArray<ListedChoice<Value>> {
    return this.#all;
  }

  /** Replaces the items; the selected one stays selected, wherever it is now. */
  update(choices: ReadonlyArray<ListedChoice<Value>>): void {
    const { focused } = this;
    this.#all = choices;
    if (!focused) return;
    const index = this.#shown.findIndex(({ value }) => value === focused.value);
    this.#focus = index === -1 ? Math.max(0, Math.min(this.#focus, this.#shown.length - 1)) : index;
  }

  /** Makes it the item that Enter selects; -1 for none. */
  select(index: number): void {
    this.#focus = Math.min(index, this.#all.length - 1);
  }

  get focused(): ListedChoice<Value> | undefined {
    return this.#shown[this.#focus];
  }

  /** After a character that is no choice: which characters are one. It is shown instead of the usual hint. */
  get strayHint(): string | undefined {
    if (this.#stray === undefined) return undefined;
    const letters = this.#all.flatMap(({ key }) => key ?? []);
    const digits = this.#all.length > letters.length && letters.length === 0;
    const keys = digits ? [`1 to ${Math.min(MOST_KEYS, this.#all.length)}`] : letters;
    return `“${cleanLine(this.#stray)}” is no choice: press ${[...keys, 'an arrow'].join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
  }

  /** The effect of the key: a choice, a toggle, or nothing. */
  handle(data: string): { chosen: Value } | { toggled: Value } | undefined {
    this.#stray = undefined;
    if (matchesKey(data, 'up') || matchesKey(data, 'ctrl+p')) return this.#move(-1);
    if (matchesKey(data, 'down') || matchesKey(data, 'ctrl+n')) return this.#move(1);
    if (matchesKey(data, 'home')) return this.#move(-this.#focus);
    if (matchesKey(data, 'end')) return this.#move(this.#shown.length - 1 - this.#focus);
    if (matchesKey(data, 'pageUp')) return this.#jump(-MAX_SHOWN);
    if (matchesKey(data, 'pageDown')) return this.#jump(MAX_SHOWN);
    if (matchesKey(data, 'enter')) return this.focused && { chosen: this.focused.value };
    if (this.#options.isFilterable) return this.#type(data);
    const character = typedCharacter(data);
    if (character === undefined) return undefined;
    const index = this.#all.findIndex(({ key }, at) => (key ?? String(at + 1)) === character.toLowerCase());
    const picked = this.#all[index];
    if (picked && index < MOST_KEYS) {
      this.#focus = index;
      return this.#options.marked ? { toggled: picked.value } : { chosen: picked.value };
    }
    if (character === ' ' && this.#options.marked && this.focused) return { toggled: this.focused.value };
    this.#stray = character;
    return undefined;
  }

  get #shown(): ReadonlyArray<ListedChoice<Value>> {
    const wanted = this.#filter.toLowerCase();
    if (wanted === '') return this.#all;
    return this.#all.filter(({ label, description = '', group = '' }) =>
      `${label} ${description} ${group}`.toLowerCase().includes(wanted),
    );
  }

  #move(by: number): undefined {
    const { length } = this.#shown;
    const from = this.#focus < 0 && by < 0 ? 0 : this.#focus; // with nothing selected, up leads to the last
    if (length > 0) this.#focus = (from + by + length) % length;
  }

  #jump(by: number): undefined {
    this.#focus = Math.max(0, Math.min(this.#shown.length - 1, this.#focus + by));
  }

  #type(data: string): undefined {
    if (matchesKey(data, 'backspace')) this.#filter = [...this.#filter].slice(0, -1).join('');
    else this.#filter += typedCharacter(data) ?? '';
    this.#focus = Math.max(0, Math.min(this.#focus, this.#shown.length - 1));
  }

  render(width: number): string[] {
    const { paint } = this.#theme;
    const shown = this.#shown;
    const [start, end] = this.#part(shown, width);
    const window = shown.slice(start, end);
    const lines = window.flatMap((choice, index) => this.#item(choice, window[index - 1], start + index, width));
    const filter = this.#options.isFilterable
      ? [
          cut(
            this.#filter === '' ? paint.muted('type to narrow the list') : `filter: ${cleanLine(this.#filter)}`,
            width,
          ),
        ]
      : [];
    const above = start > 0 ? [paint.muted(`  ↑ ${start} more`)] : [];
    const below = shown.length - start - window.length;
    const nothing = shown.length === 0 ? [paint.muted('  nothing fits')] : [];
    return [...filter, ...above, ...lines, ...nothing, ...(below > 0 ? [paint.muted(`  ↓ ${below} more`)] : [])];
  }

  /** The items on the screen: the selected one with those around it, as many as fit. */
  #part(shown: ReadonlyArray<ListedChoice<Value>>, width: number): [start: number, end: number] {
    const height = (index: number): number => {
      const choice = shown[index];
      return choice ? this.#item(choice, shown[index - 1], index, width).length : Number.POSITIVE_INFINITY;
    };
    let start = Math.max(0, Math.min(this.#focus, shown.length - 1));
    let end = start;
    let rows = 0;
    const take = (index: number): boolean => {
      const more = height(index);
      if (end - start >= MAX_SHOWN || (end > start && rows + more > MAX_ROWS)) return false;
      rows += more;
      return true;
    };
    for (const last = start + SHOWN_AFTER; end <= last && end < shown.length && take(end); ) end += 1;
    while (start > 0 && take(start - 1)) start -= 1;
    while (end < shown.length && take(end)) end += 1;
    return [start, end];
  }

  #item(choice: ListedChoice<Value>, before: ListedChoice<Value> | undefined, index: number, width: number): string[] {
    return [...this.#heading(choice, before, width), ...this.#line(choice, index, width)];
  }

  #heading({ group }: ListedChoice<Value>, before: ListedChoice<Value> | undefined, width: number): string[] {
    return group === undefined || group === before?.group
      ? []
      : [this.#theme.paint.strong(cut(cleanLine(group), width))];
  }

  #labelColumn(width: number): number {
    const widest = Math.max(...this.#all.map(({ label }) => visibleWidth(cleanLine(label))));
    return Math.min(widest + 6, Math.floor(width * 0.6)); // plus the cursor, the mark and the gap
  }

  /** One column for all descriptions, unless a long label would leave no room for it. */
  #descriptionColumn(before: number, width: number): number {
    const labels = this.#all.filter(({ description = '' }) => description !== '').map(({ label }) => cleanLine(label));
    const widest = before + Math.max(0, ...labels.map((label) => visibleWidth(label))) + 2;
    const usual = Math.min(34, Math.floor(width / 2));
    return widest <= width * 0.7 ? Math.max(usual, widest) : usual;
  }

  #line({ label, description, key, value, isCurrent }: ListedChoice<Value>, index: number, width: number): string[] {
    const { paint } = this.#theme;
    const isFocused = index === this.#focus;
    const mark = this.#options.marked ? (this.#options.marked.has(value) ? '[x] ' : '[ ] ') : '';
    const sign = this.#options.isFilterable
      ? ''
      : key !== undefined
        ? `${key}  `
        : index < MOST_KEYS
          ? `${index + 1}  `
          : '   ';
    const head = `${isFocused ? '❯ ' : '  '}${sign}${mark}`;
    const hanging = ' '.repeat(visibleWidth(head));
    const text = `${head}${cleanLine(label)}${isCurrent ? ' ✓' : ''}`;
    const painted = isFocused ? paint.selected : asIs;
    if (description === undefined || description === '') return wrap(text, width, hanging).map(painted);
    const about = cleanLine(description);
    if (this.#options.isFilterable && width >= MIN_ROW) {
      // Long lists are scanned by eye: all descriptions are in one column.
      const column = this.#labelColumn(width);
      const [first = '', ...rest] = wrap(about, width - column);
      return [
        `${painted(padEnd(cut(text, column - 2), column))}${paint.muted(first)}`,
        ...rest.map((line) => `${' '.repeat(column)}${paint.muted(line)}`),
      ];
    }
    const room = Math.max(visibleWidth(text) + 2, this.#descriptionColumn(hanging.length, width));
    if (room + visibleWidth(about) <= width) return [`${painted(padEnd(text, room))}${paint.muted(about)}`];
    const below = wrap(about, Math.max(1, width - hanging.length)).map((line) => `${hanging}${line}`);
    return [...wrap(text, width, hanging).map(painted), ...below.map(paint.muted)];
  }
}

const asIs = (text: string): string => text;
