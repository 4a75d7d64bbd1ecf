export interface ForegroundTaskOptions {
  onBegin(): void;
  onEnd(): void;
}

/** A task that the user runs, next to the model, and can stop. */
export class ForegroundTask {
  readonly #options: ForegroundTaskOptions;
  #running: AbortController | undefined;

  constructor(options: ForegroundTaskOptions) {
    this.#options = options;
  }

  async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    this.#options.onBegin();
    try {
      await work(controller.signal);
    } finally {
      if (this.#running === controller) this.#running = undefined;
      this.#options.onEnd();
    }
  }

  /** False if nothing runs. */
  stop(): boolean {
    if (!this.#running) return false;
    this.#running.abort(new Error('Interrupted.'));
    return true;
  }
}
