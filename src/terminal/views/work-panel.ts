import { type Component, type Focusable, matchesKey, visibleWidth } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import { shortCount, shortTime } from '../../platform/text/short-amounts.js';
import type { Theme } from '../screen/theme.js';
import type { WorkItem } from '../session/background-work.js';
import { cleanLine, cut, padEnd } from './fit.js';

const MAX_ROWS = 6;
const TITLE_SHARE = 0.45; // of the width; the rest is for the facts
const TIME_COLUMNS = 26; // for the sign, the time and the tokens

export interface WorkPanelOptions {
  items(): readonly WorkItem[];
  /** Whether it is shown at all: not while a question is open. */
  isShown(): boolean;
  /** Whether something is drawn directly above it. */
  hasWorkAbove(): boolean;
  look(item: WorkItem): void;
  stop(item: WorkItem): void;
  /** Gives the keys back to the editor; a key that is not the panel's own comes with it. */
  leave(data?: string): void;
}

/** What runs beside the conversation: a line for each command and task in the background and each child agent. */
export class WorkPanel implements Component, Focusable {
  readonly #theme: Theme;
  readonly #options: WorkPanelOptions;
  #chosen = 0;
  #isFocused = false;

  constructor(theme: Theme, options: WorkPanelOptions) {
    this.#theme = theme;
    this.#options = options;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(value: boolean) {
    if (value && !this.#isFocused) this.#chosen = 0;
    this.#isFocused = value;
  }

  handleInput(data: string): void {
    const { items, look, stop, leave } = this.#options;
    const all = items();
    const item = all[this.#chosenOf(all)];
    if (!item || matchesKey(data, 'escape') || (matchesKey(data, 'up') && this.#chosen === 0)) leave();
    else if (matchesKey(data, 'up')) this.#chosen -= 1;
    else if (matchesKey(data, 'down')) this.#chosen = Math.min(this.#chosen + 1, all.length - 1);
    else if (matchesKey(data, 'enter')) look(item);
    else if (data === 'x') stop(item);
    else leave(data);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { items, isShown, hasWorkAbove } = this.#options;
    const all = items();
    if (all.length === 0 || !isShown()) return [];
    const chosen = this.#chosenOf(all);
    const start = Math.max(0, Math.min(chosen - MAX_ROWS + 1, all.length - MAX_ROWS));
    const shown = all.slice(start, start + MAX_ROWS);
    // As long as no call or output stands beside them, the titles have its place.
    const hasMore = shown.some(({ latest, isAsking }) => latest !== undefined || isAsking);
    const room = hasMore ? Math.floor(width * TITLE_SHARE) : width - TIME_COLUMNS;
    const titles = shown.map((item) => cut(cleanLine(item.title), Math.max(10, room)));
    const columns = Math.max(...titles.map((title) => visibleWidth(title)));
    const { paint } = this.#theme;
    const hidden = all.length - shown.length;
    return [
      ...(hasWorkAbove() ? [''] : []),
      this.#head(workCounts(all), width),
      ...shown.map((item, index) => {
        const isChosen = this.#isFocused && start + index === chosen;
        const sign = item.isAsking ? paint.warning('?') : paint.accent('●');
        const title = padEnd(titles[index] ?? '', columns);
        const named = isChosen ? paint.selected(title) : title;
        return cut(`${isChosen ? paint.selected('❯') : ' '} ${sign} ${named}  ${paint.muted(factsOf(item))}`, width);
      }),
      ...(hidden > 0 ? [paint.muted(cut(`  … ${hidden} more`, width))] : []),
    ];
  }

  /** The list may have become shorter. */
  #chosenOf(all: readonly WorkItem[]): number {
    this.#chosen = Math.max(0, Math.min(this.#chosen, all.length - 1));
    return this.#isFocused ? this.#chosen : 0;
  }

  /** In a narrow window, the keys matter more than the counts. */
  #head(counts: string, width: number): string {
    const { paint } = this.#theme;
    const hint = this.#isFocused ? '↑↓ choose · enter to look · x to stop · esc to go back' : '↓ to look or stop';
    const whole = `${paint.strong(counts)} ${paint.muted(`· ${hint}`)}`;
    return visibleWidth(whole) <= width
      ? whole
      : cut(this.#isFocused ? paint.muted(hint) : paint.strong(counts), width);
  }
}

/** `1 background command, 1 task, 2 agents`. */
export function workCounts(items: readonly WorkItem[]): string {
  const commands = items.filter(({ kind }) => kind === 'command').length;
  const tasks = items.filter(({ kind }) => kind === 'task').length;
  const agents = items.length - commands - tasks;
  return [
    ...(commands > 0 ? [`${counted(commands, 'background command')}`] : []),
    ...(tasks > 0 ? [counted(tasks, 'task')] : []),
    ...(agents > 0 ? [counted(agents, 'agent')] : []),
  ].join(', ');
}

function factsOf({ kind, milliseconds, tokens = 0, isAsking, latest }: WorkItem): string {
  return [
    shortTime(milliseconds),
    ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ...(isAsking
      ? [kind === 'task' ? 'asks a question' : 'asks for permission']
      : latest === undefined
        ? []
        : [cleanLine(latest)]),
  ].join(' · ');
}
