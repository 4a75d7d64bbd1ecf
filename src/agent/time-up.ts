import { CallDropped } from '../calls/failure-text.js';
import type { AgentHappening, RunOutcome } from '../contract/event.js';
import { MAX_TIMER_MS } from '../platform/clock.js';
import { INTERRUPTED, timeLimitReached } from './interruption.js';

/** A time limit of a run, and how the run ends when it is reached. */
export interface RunTimeLimit {
  ms: number;
  outcome: RunOutcome;
  /** The result's text. */
  text: string;
}

/** The time limit of one run: interrupts the run, and reports that in its result. */
export class TimeUp {
  readonly #limit: RunTimeLimit | undefined;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  /** The shortest limit applies. */
  constructor(limits: readonly RunTimeLimit[] = []) {
    const [shortest] = limits.toSorted((one, other) => one.ms - other.ms);
    this.#limit = shortest;
    if (shortest === undefined || shortest.ms > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#stop.abort(
        new CallDropped(
          'The time set for this run was over, so the call was ended. What it had done by then stays done; check before you repeat it.',
        ),
      );
    }, shortest.ms);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The note in the history for an interrupt at this moment. */
  get interruption(): string {
    return this.#stop.signal.aborted ? timeLimitReached(this.#limit?.ms ?? 0) : INTERRUPTED;
  }

  /** Returns the event, with the reason added if the run was interrupted by the time limit. */
  toldIn(happening: AgentHappening): AgentHappening {
    if (!this.#stop.signal.aborted || !this.#limit) return happening;
    const { outcome, text } = this.#limit;
    if (happening.type !== 'result' || happening.outcome !== 'interrupted') return happening;
    return { ...happening, outcome, text };
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** The limit of `--max-time`, `maxTimeMs` and `maxRunMinutes`. */
export const runTimeLimit = (ms: number): RunTimeLimit => ({
  ms,
  outcome: 'max_time',
  text: `Stopped after ${ms / 1000} s, the time set for this run, before the work was done.`,
});
