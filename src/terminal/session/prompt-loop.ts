import type { RunResult } from '../../contract/event.js';
import { shortDuration } from '../../platform/text/duration.js';
import { localMinute } from '../../platform/text/local-time.js';
import type { LoopPort } from '../contract.js';

const MAX_FAILURES = 3; // in a row: whatever is wrong does not go away by itself

const MINUTE_MS = 60_000;

/** As it is typed. */
const written = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : ms % MINUTE_MS === 0 ? `${ms / MINUTE_MS}m` : `${ms / 1_000}s`;

interface PromptLoopOptions {
  /** Whether a prompt runs or waits: then the repetition waits for the next time. */
  isBusy(): boolean;
  say(prompt: string): void;
  tell(sentence: string): void;
}

/** Repeats a prompt at an interval until it is stopped. A time at which work is going on is left out. */
export class PromptLoop implements LoopPort {
  readonly #options: PromptLoopOptions;
  #current: { prompt: string; everyMs: number; timer: NodeJS.Timeout; nextAt: Date } | undefined;
  #failures = 0;

  constructor(options: PromptLoopOptions) {
    this.#options = options;
  }

  get described(): string | undefined {
    if (!this.#current) return undefined;
    const { prompt, everyMs, nextAt } = this.#current;
    const minutes = localMinute(nextAt).slice(-5);
    const time = everyMs < MINUTE_MS ? `${minutes}:${String(nextAt.getSeconds()).padStart(2, '0')}` : minutes;
    return `every ${shortDuration(everyMs)}: ${prompt} (next at ${time})`;
  }

  start(prompt: string, everyMs: number): void {
    this.stop();
    this.#failures = 0;
    const timer = setInterval(() => this.#repeat(), everyMs);
    timer.unref();
    this.#current = { prompt, everyMs, timer, nextAt: new Date(Date.now() + everyMs) };
  }

  stop(): boolean {
    clearInterval(this.#current?.timer);
    const was = this.#current !== undefined;
    this.#current = undefined;
    return was;
  }

  /** After each run: an interrupt, a budget that is used up, and failures in a row end the loop. */
  after({ outcome }: Pick<RunResult, 'outcome'>): void {
    if (!this.#current) return;
    const { everyMs, prompt } = this.#current;
    this.#failures = outcome === 'completed' ? 0 : this.#failures + 1;
    const why =
      outcome === 'interrupted'
        ? 'you stopped the work'
        : outcome === 'budget'
          ? 'the budget is used up'
          : this.#failures >= MAX_FAILURES
            ? `${MAX_FAILURES} prompts in a row have failed`
            : undefined;
    if (why === undefined) return;
    this.stop();
    this.#options.tell(
      `The prompt is not repeated any more, because ${why}. To start again: /loop ${written(everyMs)} ${prompt}`,
    );
  }

  #repeat(): void {
    if (!this.#current) return;
    const { prompt, everyMs } = this.#current;
    this.#current.nextAt = new Date(Date.now() + everyMs);
    if (!this.#options.isBusy()) this.#options.say(prompt);
  }
}
