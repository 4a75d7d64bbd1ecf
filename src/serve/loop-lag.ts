// How late the event loop is, for /metrics.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export class LoopLag {
  readonly #delays: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });

  begin(): void {
    this.#delays.enable();
  }

  /** Of 99 of 100 moments since the last call, in seconds. */
  take(): number {
    const delay = this.#delays.percentile(99);
    this.#delays.reset();
    return Math.max(0, delay / 1e9 - 0.02);
  }

  end(): void {
    this.#delays.disable();
  }
}
