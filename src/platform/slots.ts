import { abortable } from './abortable.js';

/** A counting semaphore, first come, first served. */
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
      // The slot was handed over in the moment of the abort: pass it on, or it is lost.
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
