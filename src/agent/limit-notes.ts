// Tells the model that a limit of the run is near, so that it can finish what matters: see also components/budget.ts.
import { monotonicMs } from '../platform/clock.js';
import { shortDuration } from '../platform/text/duration.js';
import type { RunTimeLimit } from './time-up.js';

const NEAR = 0.8; // as for budgets

export interface RunLimits {
  /** Requests to the model. */
  maxTurns: number;
  /** Those of budgets have reminders of their own. */
  timeLimits?: readonly RunTimeLimit[] | undefined;
}

export class LimitNotes {
  readonly #maxTurns: number;
  readonly #maxMs: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #told = new Set<'turns' | 'time'>();

  constructor({ maxTurns, timeLimits = [] }: RunLimits, now: () => number = monotonicMs) {
    this.#maxTurns = maxTurns;
    this.#maxMs = Math.min(...timeLimits.flatMap(({ outcome, ms }) => (outcome === 'max_time' ? [ms] : [])));
    this.#now = now;
    this.#startedAt = now();
  }

  /** What goes with the next message, once for each limit. `turns`: the requests that were made. */
  due(turns: number): string[] {
    const passed = this.#now() - this.#startedAt;
    const notes: string[] = [];
    if (turns < this.#maxTurns && turns / this.#maxTurns >= NEAR && !this.#told.has('turns')) {
      this.#told.add('turns');
      notes.push(`${turns} of the ${this.#maxTurns} requests that this run may make are made. ${ADVICE}`);
    }
    if (passed / this.#maxMs >= NEAR && !this.#told.has('time')) {
      this.#told.add('time');
      const [gone, all] = [shortDuration(passed), shortDuration(this.#maxMs)];
      notes.push(`${gone} of the ${all} that this run may take are over; then its calls are ended. ${ADVICE}`);
    }
    return notes;
  }
}

const ADVICE =
  'Finish what matters most, leave the work in a state that others can continue, and say what is left to do.';
