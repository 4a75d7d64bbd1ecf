import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { KeyAction } from '../../settings/key-actions.js';
import type { KeyBindings } from '../input/key-bindings.js';
import type { Theme } from '../screen/theme.js';
import { cut, padEnd } from './fit.js';

const COLUMN = 40;

const signs: ReadonlyArray<readonly [string, string]> = [
  ['/', 'commands'],
  ['@', 'files'],
  ['!', 'run a shell command'],
  ['#', 'remember a note'],
];

const shownActions: ReadonlyArray<readonly [KeyAction, string]> = [
  ['interrupt', 'stop · twice: go back'],
  ['cycleMode', 'permission mode'],
  ['newLine', 'new line'],
  ['expand', 'expand results'],
  ['background', 'run in the background'],
  ['todos', 'to-do list'],
  ['historySearch', 'search earlier prompts'],
  ['externalEditor', 'edit in your editor'],
  ['pasteImage', 'paste an image'],
  ['complete', 'complete'],
  ['suspend', 'suspend'],
  ['clear', 'clear · twice: leave'],
];

/** The keys at a glance, below the prompt, until another key is pressed. */
export class KeysView implements Component {
  readonly #theme: Theme;
  readonly #keys: KeyBindings;
  readonly #onKey: (data: string) => void;

  constructor(theme: Theme, keys: KeyBindings, onKey: (data: string) => void) {
    this.#theme = theme;
    this.#keys = keys;
    this.#onKey = onKey;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    this.#onKey(data);
  }

  render(width: number): string[] {
    const { paint } = this.#theme;
    const entries = [
      ...signs,
      ...shownActions.map(([action, about]) => [this.#keys.hint(action), about] as const),
      ['↓', 'background commands, agents'] as const,
      ['/help', 'all commands and keys'] as const,
    ].filter(([key]) => key !== '');
    const columns = Math.max(1, Math.floor(width / COLUMN));
    const rows = Math.ceil(entries.length / columns);
    const keyColumns = Math.max(...entries.map(([key]) => visibleWidth(key)));
    const cells = entries.map(([key, about]) => `${paint.accent(padEnd(key, keyColumns))}  ${paint.muted(about)}`);
    return Array.from({ length: rows }, (_, row) =>
      cut(
        `  ${Array.from({ length: columns }, (__, column) => padEnd(cells[column * rows + row] ?? '', COLUMN)).join('')}`.trimEnd(),
        width,
      ),
    );
  }
}
