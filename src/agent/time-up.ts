import { CallDropped } from '../calls/failure-text.js';
import type { AgentHappening } from '../contract/event.js';
import { INTERRUPTED, timeLimitReached } from './interruption.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1; // a longer timer would fire at once

/** The time limit of one run: interrupts the run, and reports that in its result. */
export class TimeUp {
  readonly #limitMs: number | undefined;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs;
    if (limitMs === undefined || limitMs > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#stop.abort(
        new CallDropped(
          'The time set for this run was over, so the call was ended. What it had done by then stays done; check before you repeat it.',
        ),
      );
    }, limitMs);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The note in the history for an interrupt at this moment. */
  get interruption(): string {
    return this.#stop.signal.aborted ? timeLimitReached(this.#limitMs ?? 0) : INTERRUPTED;
  }

  /** Returns the event, with the reason added if the run was interrupted by the time limit. */
  toldIn(happening: AgentHappening): AgentHappening {
    if (!this.#stop.signal.aborted) return happening;
    if (happening.type === 'result' && happening.outcome === 'interrupted') {
      const text = `Stopped after ${(this.#limitMs ?? 0) / 1000} s, the time set for this run, before the work was done.`;
      return { ...happening, outcome: 'max_time', text };
    }
    return happening;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
