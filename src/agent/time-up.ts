import { CallDropped } from '../calls/failure-text.js';
import type { AgentHappening } from '../contract/event.js';
import { INTERRUPTED, timeLimitReached } from './interruption.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1; // a timer that is set for longer fires at once

/** The limit of time of one run: interrupts it, and says so in its result. */
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

  /** What the history says of a run that is interrupted now. */
  get interruption(): string {
    return this.#stop.signal.aborted ? timeLimitReached(this.#limitMs ?? 0) : INTERRUPTED;
  }

  /** The same, with the reason where a run was interrupted because its time was over. */
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
