/** Runs work that needs the same keys one after the other, in order of arrival. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** All keys are acquired at once, which prevents deadlocks. */
  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.map((key) => this.#last.get(key));
    const { promise: done, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#last.set(key, done);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      resolve();
      for (const key of keys) if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
