import type { Component, Focusable } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { counted, cut } from '../views/fit.js';
import { type Dialog, typedCharacter } from './dialog.js';

/** How long a dialog is seen, and no key comes, before a key answers it: what is typed sooner was meant for something else. */
const QUIET_MS = 300;

export interface DialogQueueOptions {
  theme: Theme;
  /** Milliseconds, on a clock that only goes forward. */
  now: () => number;
  /** Calls back after so many milliseconds; gives a way to call it off. */
  later: (milliseconds: number, callback: () => void) => () => void;
  /** Something is to be drawn anew: another dialog, none any more, or one that now takes keys. */
  onChange: () => void;
  /** A key that came too early to be meant for the dialog. It may be put where the person was typing. */
  onEarlyInput?: (data: string) => void;
}

interface Entry {
  dialog: Dialog;
  /** When it was first drawn, or a key came too early. */
  quietSince: number | undefined;
}

/** Dialogs in the order in which they came. One is shown; the others wait. */
export class DialogQueue implements Component, Focusable {
  readonly #options: DialogQueueOptions;
  #entries: Entry[] = [];
  #callOff: (() => void) | undefined;
  /** Keys of one read that are not given on yet. */
  #burst: string[] = [];
  #focused = false;

  constructor(options: DialogQueueOptions) {
    this.#options = options;
  }

  /** Resolves with the answer. Rejects when the signal aborts: then the question is gone from the screen. */
  async ask<Answer>(make: (answer: (value: Answer) => void) => Dialog, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const entry: Entry = { dialog: make(resolve), quietSince: undefined };
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#entries.push(entry);
    this.#changed();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#entries = this.#entries.filter((other) => other !== entry);
      this.#changed();
    }
  }

  get current(): Dialog | undefined {
    return this.#entries[0]?.dialog;
  }

  /** How many wait behind the one that is shown. */
  get waiting(): number {
    return Math.max(0, this.#entries.length - 1);
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    for (const { dialog } of this.#entries) dialog.focused = value;
  }

  handleInput(data: string): void {
    const entry = this.#entries[0];
    if (!entry) return;
    if (!this.#takesKeys(entry)) {
      if (entry.quietSince !== undefined) this.#waitForQuiet(entry);
      this.#options.onEarlyInput?.(data);
    } else if (entry.dialog.takesText) {
      entry.dialog.handleInput(data);
    } else if (this.#burst.push(data) === 1) {
      queueMicrotask(() => this.#take(entry)); // once all keys of one read are here
    }
  }

  /** A person presses one key after the other. Several at once, letters among them, are a paste without brackets. */
  #take(entry: Entry): void {
    const burst = this.#burst;
    this.#burst = [];
    if (this.#entries[0] !== entry) return;
    if (burst.length > 1 && burst.some((data) => typedCharacter(data) !== undefined)) {
      this.#waitForQuiet(entry);
      for (const data of burst) this.#options.onEarlyInput?.(data);
    } else {
      for (const data of burst) entry.dialog.handleInput(data);
    }
    this.#options.onChange();
  }

  invalidate(): void {
    for (const { dialog } of this.#entries) dialog.invalidate();
  }

  render(width: number): string[] {
    const entry = this.#entries[0];
    if (!entry) return [];
    if (entry.quietSince === undefined) this.#waitForQuiet(entry);
    const { paint } = this.#options.theme;
    const waits = this.waiting === 0 ? '' : `${counted(this.waiting, 'more question')} · `;
    // The keys are told when they count, and not before.
    const hint = this.#takesKeys(entry) ? entry.dialog.hint : '…';
    return [...entry.dialog.render(width), paint.muted(cut(`${waits}${hint}`, width))];
  }

  #takesKeys({ quietSince }: Entry): boolean {
    return quietSince !== undefined && this.#options.now() - quietSince >= QUIET_MS;
  }

  #waitForQuiet(entry: Entry): void {
    entry.quietSince = this.#options.now();
    this.#callOff?.();
    this.#callOff = this.#options.later(QUIET_MS, this.#options.onChange);
  }

  #changed(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    const [first] = this.#entries;
    if (first) first.dialog.focused = this.#focused;
    this.#options.onChange();
  }
}
