// The order in which processes of servers start: first come, first served, a few at once.
import { abortable } from '../../platform/abortable.js';

export const STARTS_AT_ONCE = 3; // the machine has other work

export class StartQueue {
  #limit = STARTS_AT_ONCE;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Sets how many may start at once from now on. Those that have begun go on; with 0, no other begins. */
  limit(count: number): void {
    this.#limit = count;
    this.#startNext();
  }

  /** Does the work when it is its turn. Rejects with the reason of an abort, if that comes first. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    this.#startNext();
    try {
      await abortable(() => turn.promise, signal);
    } catch (reason) {
      if (!this.#waiting.delete(turn.resolve)) this.#ended(); // its turn came in the moment of the abort
      throw reason;
    }
    try {
      return await work();
    } finally {
      this.#ended();
    }
  }

  #ended(): void {
    this.#running -= 1;
    this.#startNext();
  }

  #startNext(): void {
    for (const start of this.#waiting) {
      if (this.#running >= this.#limit) return;
      this.#running += 1;
      this.#waiting.delete(start);
      start();
    }
  }
}
