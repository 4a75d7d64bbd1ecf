// Work that must not overlap with a run, such as undoing changes of files.
export class IdleWork {
  #isRunning = false;
  #work: Promise<unknown> = Promise.resolve();

  /** A run begins, once work that came before it has ended. */
  async begin(): Promise<void> {
    this.#isRunning = true;
    await this.#work;
  }

  end(): void {
    this.#isRunning = false;
  }

  /** Does the work, unless a run is active: then it returns undefined. */
  async whileIdle<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isRunning) return undefined;
    const result = this.#work.then(work);
    this.#work = result.catch(() => {}); // reported to the caller
    return await result;
  }
}
