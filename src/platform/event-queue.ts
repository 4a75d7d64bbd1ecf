/** Carries events from many producers to one reader, in the order in which they were pushed. */
export class EventQueue<T> implements AsyncIterable<T> {
  #events: T[] = [];
  #ended = false;
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(event: T): void {
    if (this.#ended) return;
    this.#events.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      const batch = this.#events;
      this.#events = [];
      yield* batch;
      if (this.#events.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
