// Lines of a log whose number others decide: clients can cause one with each message, and would fill the disk.
import { monotonicMs } from '../platform/clock.js';

const WINDOW_MS = 60_000;
const MAX_LINES = 100; // in one window
const MAX_CHARS = 1_000; // of a line

export class LimitedLines {
  readonly #now: () => number;
  #sinceMs: number;
  #count = 0;
  #leftOut = 0;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** The lines to write for this sentence: itself, none if there were too many, or how many were left out before it. */
  take(sentence: string): readonly string[] {
    if (this.#now() - this.#sinceMs >= WINDOW_MS) {
      this.#sinceMs = this.#now();
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count > MAX_LINES) {
      this.#leftOut += 1;
      return this.#count === MAX_LINES + 1 ? ['More lines follow, which are left out for a minute.'] : [];
    }
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    const line = sentence.length > MAX_CHARS ? `${sentence.slice(0, MAX_CHARS)}…` : sentence;
    return leftOut === 0 ? [line] : [`${leftOut} lines were left out.`, line];
  }
}
