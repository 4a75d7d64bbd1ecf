// Limits on guessing: how often one address may fail to sign in, and all of them together.
import { monotonicMs } from '../platform/clock.js';

const WINDOW_MS = 60_000;
const MAX_OF_ONE = 10;
const MAX_OF_ALL = 100;

export class Tries {
  readonly #now: () => number;
  readonly #failures = new Map<string, number>();
  #sinceMs: number;
  #all = 0;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** How many seconds the address must wait; undefined if it may try. */
  waitSeconds(address: string): number | undefined {
    this.#roll();
    const isOver = this.#all >= MAX_OF_ALL || (this.#failures.get(address) ?? 0) >= MAX_OF_ONE;
    return isOver ? Math.max(1, Math.ceil((this.#sinceMs + WINDOW_MS - this.#now()) / 1_000)) : undefined;
  }

  failed(address: string): void {
    this.#roll();
    this.#all += 1;
    this.#failures.set(address, (this.#failures.get(address) ?? 0) + 1);
  }

  #roll(): void {
    if (this.#now() - this.#sinceMs < WINDOW_MS) return;
    this.#sinceMs = this.#now();
    this.#failures.clear(); // holds at most MAX_OF_ALL addresses
    this.#all = 0;
  }
}
