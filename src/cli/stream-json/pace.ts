import { setImmediate as nextRound } from 'node:timers/promises';

/**
 * Whether the consumer has caught up with a run's events: for code that must not overtake them or run ahead of them.
 */
export class Pace {
  #isWaiting = true;
  #wake = Promise.withResolvers<void>();

  /** The same events, tracking their consumer. */
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

  /** Resolves once the consumer has handled all events and waits for the next one. */
  async caughtUp(): Promise<void> {
    for (;;) {
      if (!this.#isWaiting) await this.#wake.promise;
      await nextRound(); // an event that is already queued reaches its consumer before this
      if (this.#isWaiting) return;
    }
  }

  #waits(): void {
    this.#isWaiting = true;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}
