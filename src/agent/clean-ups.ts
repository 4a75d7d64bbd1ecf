/** What is left to release when a session rests or ends. */
export class CleanUps {
  readonly #atEnd: Array<() => void | Promise<void>> = [];
  readonly #atRest: Array<() => void | Promise<void>> = [];
  readonly #preparations = new Set<Promise<unknown>>();
  #hasEnded = false;

  atEnd(cleanUp: () => void | Promise<void>): void {
    this.#atEnd.push(cleanUp);
    // Created after the end, for example by a preparation that was still running: nothing else would clean it up.
    if (this.#hasEnded) void this.#run();
  }

  atRest(release: () => void | Promise<void>): void {
    this.#atRest.push(release);
  }

  /** Registers work that is done ahead. Only the end waits for it. */
  prepare(work: Promise<unknown>): void {
    const settled = work.catch(() => {}).finally(() => this.#preparations.delete(settled));
    this.#preparations.add(settled);
  }

  async rest(): Promise<void> {
    await Promise.allSettled(this.#atRest.map(async (release) => await release()));
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#preparations);
    await this.#run();
    this.#hasEnded = true;
  }

  async #run(): Promise<void> {
    while (this.#atEnd.length > 0) {
      const cleanUps = this.#atEnd.splice(0);
      await Promise.allSettled(cleanUps.map(async (cleanUp) => await cleanUp())); // may create further resources
    }
  }
}
