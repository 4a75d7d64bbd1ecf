const LAST_WORDS_MS = 2_000; // for a host that has stopped reading, once the session is ending

/** Waits for a host to take its lines; once it is limited, not for one that takes none. */
export class SlowReaderGuard {
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #hasGivenUp = false;

  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** Settles when the line is taken, or is waited for no longer. */
  async wait(line: Promise<void>): Promise<void> {
    // Not by Promise.race with one promise for all: that would hold on to every line there was.
    await new Promise<void>((done, failed) => {
      if (this.#hasGivenUp) done();
      this.#waiting.add(done);
      line.then(done, failed).finally(() => this.#waiting.delete(done));
    });
    this.#taken += 1;
  }

  /** Until what is returned is called. */
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
