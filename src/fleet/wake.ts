// A loop that looks regularly, and earlier when something has happened.
export class Wake {
  #woken = Promise.withResolvers<void>();

  wake(): void {
    this.#woken.resolve();
  }

  /** Resolves when it was woken since the last call, or after the time. */
  async next(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.#woken.promise, limit]);
    clearTimeout(timer);
    this.#woken = Promise.withResolvers<void>();
  }
}
