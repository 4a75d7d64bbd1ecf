// Runs that were killed with the process: their prompts count, but what they cost was never written.
import type { RunTotals, SessionRecord, SessionTotals } from './session-record.js';

const noRuns: RunTotals = { prompts: 0, models: [], modelMs: 0, totalMs: 0 };

export class KilledRuns {
  #hasOpenRun = false;
  /** Those that the totals do not count yet. */
  #count = 0;

  take(record: SessionRecord): void {
    switch (record.type) {
      case 'user':
        this.#hasOpenRun ||= record.changes !== undefined; // only prompts of the person have it
        return;
      case 'turn':
        this.#count = 0; // its totals have those before it
        return;
      case 'run':
        this.#count = 0;
        this.#hasOpenRun = false;
        return;
      case 'resume':
        if (this.#hasOpenRun) this.#count += 1;
        this.#hasOpenRun = false;
        return;
      default:
        return;
    }
  }

  addTo(totals: SessionTotals): SessionTotals {
    const count = this.#count + (this.#hasOpenRun ? 1 : 0);
    if (count === 0) return totals;
    const { runs = noRuns } = totals;
    return { ...totals, runs: { ...runs, prompts: runs.prompts + count, killed: (runs.killed ?? 0) + count } };
  }
}
