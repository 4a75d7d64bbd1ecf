import type { Component } from '@earendil-works/pi-tui';
import type { Todo } from '../../contract/todo.js';
import { todoProgress, todoSigns, todoText } from '../../display/todo-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from './fit.js';

/** The todo list as lines: the current item in its active form, the others as written. */
export function todoLines(theme: Theme, todos: readonly Todo[], width: number): string[] {
  const { paint } = theme;
  return todos.flatMap((todo) => {
    const { status } = todo;
    const lines = wrap(`${todoSigns[status]} ${cleanLine(todoText(todo))}`, width, '  ');
    if (status === 'completed') return lines.map(paint.muted);
    return status === 'in_progress' ? lines.map(paint.accent) : lines;
  });
}

/** The todo list with its progress. If there are few rows, finished items are hidden first. */
export class TodoView implements Component {
  readonly #theme: Theme;
  #todos: readonly Todo[] = [];
  #maxItems: number;

  constructor(theme: Theme, { maxItems = 10 }: { maxItems?: number } = {}) {
    this.#theme = theme;
    this.#maxItems = maxItems;
  }

  setTodos(todos: readonly Todo[]): void {
    this.#todos = todos;
  }

  /** Whether all items are done, so that the list can be hidden. */
  get isDone(): boolean {
    return this.#todos.every(({ status }) => status === 'completed');
  }

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#todos.length === 0) return [];
    const { paint } = this.#theme;
    const { shown, doneAbove, below } = this.#window();
    const head = `${paint.strong('To do')} ${paint.muted(todoProgress(this.#todos))}`;
    return [
      cut(head, width),
      ...(doneAbove > 0 ? [paint.muted(cut(`☑ ${doneAbove} done before`, width))] : []),
      ...todoLines(this.#theme, shown, width),
      ...(below > 0 ? [paint.muted(cut(`… ${below} more`, width))] : []),
    ];
  }

  #window(): { shown: readonly Todo[]; doneAbove: number; below: number } {
    const excess = this.#todos.length - this.#maxItems;
    if (excess <= 0) return { shown: this.#todos, doneAbove: 0, below: 0 };
    const firstOpen = this.#todos.findIndex(({ status }) => status !== 'completed');
    // The last finished item stays visible, to show progress.
    const start = Math.min(excess, Math.max(0, (firstOpen === -1 ? this.#todos.length : firstOpen) - 1));
    const shown = this.#todos.slice(start, start + this.#maxItems);
    return { shown, doneAbove: start, below: this.#todos.length - start - shown.length };
  }
}
