import { type Component, type Focusable, isKeyRepeat, matchesKey } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { fitHints, HINT_SEPARATOR } from '../views/fit.js';
import { type Dialog, typedCharacter } from './dialog.js';

/**
 * How long a dialog must be visible without a key press before a key answers it: keys typed earlier were meant for
 * something else.
 */
const QUIET_MS = 300;

/**
 * How long a key that could answer is held back: the rest of a paste may follow it. It is longer than the time for which
 * the parser of keys waits for the end of an escape sequence, and too short to be felt.
 */
const HOLD_MS = 60;

const EARLY_KEYS = 'not answered: what you typed is kept below';
const LOST_KEYS = 'not answered: press the key again';

export interface DialogQueueOptions {
  theme: Theme;
  /** Milliseconds, from a monotonic clock. */
  now: () => number;
  /** Calls back after this many milliseconds; returns a function that cancels it. */
  later: (milliseconds: number, callback: () => void) => () => void;
  /** Something must be redrawn: another dialog, no dialog, or one that now accepts keys. */
  onChange: () => void;
  /** A key that came too early to be meant for the dialog. It can be passed to the editor. */
  onEarlyInput?: (data: string) => void;
  /** Whether such keys can be seen below the dialog. Default: yes. */
  showsEarlyInput?: () => boolean;
}

interface Entry {
  dialog: Dialog;
  /** When it was first drawn, or when the last early key came. */
  quietSince: number | undefined;
  /** Keys came before it took any, and went to the prompt: its hint says so until a key counts. */
  hadEarlyKeys: boolean;
}

/** Dialogs in order of arrival. One is shown; the others wait. */
export class DialogQueue implements Component, Focusable {
  readonly #options: DialogQueueOptions;
  #entries: Entry[] = [];
  #callOff: (() => void) | undefined;
  /** The keys that arrived together and have not been passed on. */
  #burst: string[] = [];
  /** Set while a key that could answer is held back: cancels its timer. */
  #cancelHold: (() => void) | undefined;
  #focused = false;

  constructor(options: DialogQueueOptions) {
    this.#options = options;
  }

  /** Resolves with the answer. Rejects if the signal aborts, which also removes the question. */
  async ask<Answer>(make: (answer: (value: Answer) => void) => Dialog, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const entry: Entry = { dialog: make(resolve), quietSince: undefined, hadEarlyKeys: false };
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#entries = entry.dialog.givesWay ? [...this.#entries, entry] : this.#withQuestion(entry);
    this.#changed();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#entries = this.#entries.filter((other) => other !== entry);
      this.#changed();
    }
  }

  /** A question waits for earlier questions, and not for a dialog that only the user has opened. */
  #withQuestion(entry: Entry): Entry[] {
    const index = this.#entries.findIndex(({ dialog }) => dialog.givesWay);
    if (index === -1) return [...this.#entries, entry];
    const covered = this.#entries[0];
    // The key that answers the question must not choose in the list that comes back after it.
    if (index === 0 && covered) covered.quietSince = undefined;
    return this.#entries.toSpliced(index, 0, entry);
  }

  get current(): Dialog | undefined {
    return this.#entries[0]?.dialog;
  }

  /** How many questions wait behind the dialog that is shown. */
  get waiting(): number {
    return this.#entries.slice(1).filter(({ dialog }) => !dialog.givesWay).length;
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
      if (entry.quietSince !== undefined) {
        this.#waitForQuiet(entry);
        entry.hadEarlyKeys ||= typedCharacter(data) !== undefined;
      }
      this.#options.onEarlyInput?.(data);
    } else if (entry.dialog.takesText) {
      entry.dialog.handleInput(data);
    } else if (isKeyRepeat(data) && (typedCharacter(data) !== undefined || matchesKey(data, 'enter'))) {
      // A key that is held down was pressed for something else.
    } else {
      this.#burst.push(data);
      if (this.#cancelHold) this.#take(entry);
      else if (this.#burst.length === 1) queueMicrotask(() => this.#collect(entry)); // once all keys of one read have arrived
    }
  }

  #collect(entry: Entry): void {
    const [first = ''] = this.#burst;
    if (this.#burst.length > 1 || !couldAnswer(first)) this.#take(entry);
    else this.#cancelHold = this.#options.later(HOLD_MS, () => this.#take(entry));
  }

  /** A user presses one key at a time. Several at once that could answer are a paste without brackets. */
  #take(entry: Entry): void {
    this.#cancelHold?.();
    this.#cancelHold = undefined;
    const burst = this.#burst;
    this.#burst = [];
    if (this.#entries[0] !== entry) return;
    if (burst.length > 1 && burst.some(couldAnswer)) {
      this.#waitForQuiet(entry);
      const kept = textOf(burst);
      entry.hadEarlyKeys ||= kept.length > 0;
      for (const data of kept) this.#options.onEarlyInput?.(data);
    } else {
      entry.hadEarlyKeys = false;
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
    const waits = this.waiting === 0 ? [] : [counted(this.waiting, 'more question')];
    // Key hints are shown only once keys count.
    const keys = this.#takesKeys(entry) ? entry.dialog.hint.split(HINT_SEPARATOR) : ['…'];
    const isKept = this.#options.showsEarlyInput?.() ?? true;
    const early = entry.hadEarlyKeys ? [isKept ? EARLY_KEYS : LOST_KEYS] : [];
    const isNeeded = (hint: string): boolean => hint === keys[0] || hint === early[0] || hint.startsWith('esc');
    return [...entry.dialog.render(width), '', paint.muted(fitHints([...early, ...waits, ...keys], width, isNeeded))];
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

const couldAnswer = (data: string): boolean => typedCharacter(data) !== undefined || matchesKey(data, 'enter');

/**
 * The keys of a paste that belong into the editor. One letter and Enter may be an answer over a slow link: the letter is
 * kept as text, and not sent to the model. Keys without any text are dropped.
 */
function textOf(burst: readonly string[]): readonly string[] {
  if (!burst.some((data) => typedCharacter(data) !== undefined)) return [];
  const [, last = ''] = burst;
  return burst.length === 2 && matchesKey(last, 'enter') ? burst.slice(0, 1) : burst;
}
