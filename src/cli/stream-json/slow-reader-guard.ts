const LAST_WORDS_MS = 2_000; // for a host that has stopped reading, once the session is ending

/** Waits until a host has read its lines; once limited, no longer for a host that reads none. */
export class SlowReaderGuard {
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #hasGivenUp = false;

  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** Resolves once the line is read, or no longer waited for. */
  async wait(line: Promise<void>): Promise<void> {
    // Not Promise.race with one shared promise: that would retain every line.
    await new Promise<void>((done, failed) => {
      if (this.#hasGivenUp) done();
      this.#waiting.add(done);
      line.then(done, failed).finally(() => this.#waiting.delete(done));
    });
    this.#taken += 1;
  }

  /** Applies until the returned function is called. */
  limit(everyMs = LAST_WORDS_MS): () => void {
    let before = this.#taken;
    const timer = setInterval(() => {
      if (this.#waiting.size > 0 && this.#taken === before) this.#giveUp();
      before = this.#taken;
    }, everyMs);
    return () => clearInterval(timer);
  }

  #giveUp(): void {
    this.#hasGivenUp = true;
    for (const wake of this.#waiting) wake();
  }
}
