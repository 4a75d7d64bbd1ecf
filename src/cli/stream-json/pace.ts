import { setImmediate as nextRound } from 'node:timers/promises';

/** Whether the reader of a run's events has come to their end: for what must not overtake them, nor run ahead of them. */
export class Pace {
  #isWaiting = true;
  #wake = Promise.withResolvers<void>();

  /** The same events, with their reader watched. */
  async *follow<T>(events: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const iterator = events[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.#waits();
        const next = await iterator.next();
        this.#isWaiting = false;
        if (next.done) return;
        yield next.value;
      }
    } finally {
      this.#waits();
      await iterator.return?.();
    }
  }

  /** Resolves when the reader has dealt with every event that there is, and waits for the next one. */
  async caughtUp(): Promise<void> {
    for (;;) {
      if (!this.#isWaiting) await this.#wake.promise;
      await nextRound(); // an event that is there already reaches its reader before this
      if (this.#isWaiting) return;
    }
  }

  #waits(): void {
    this.#isWaiting = true;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
