import { abortable } from './abortable.js';

/** A number of places of which each piece of work takes one, first come, first served. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    try {
      await abortable(() => turn.promise, signal);
    } catch (reason) {
      // Handed over in the moment of the abort: it must go on to the next, or it is lost.
      if (!this.#waiting.delete(turn.resolve)) this.#giveBack();
      throw reason;
    }
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
