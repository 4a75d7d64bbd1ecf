import type { SessionTotals } from '../../agent/store/session-record.js';
import { joinUses, sum } from '../../agent/usage-by-model.js';
import type { ModelUse, RunResult } from '../../contract/event.js';
import type { SessionUsage } from '../contract.js';

/** The cost of a conversation so far, from the results of its runs. */
export class SessionSpending {
  readonly #before: SessionTotals | undefined;
  /** Of this process. */
  #models: readonly ModelUse[] = [];
  #prompts = 0;
  #outcome: RunResult['outcome'] | undefined;
  #modelMs = 0;
  #totalMs = 0;

  /** `before`: what a resumed conversation had cost until then. */
  constructor(before?: SessionTotals) {
    this.#before = before;
    const { prompts = 0, modelMs = 0, totalMs = 0 } = before?.runs ?? {};
    this.#prompts = prompts;
    this.#modelMs = modelMs;
    this.#totalMs = totalMs;
  }

  take({ outcome, models, modelMs, totalMs }: RunResult): void {
    this.#outcome = outcome;
    this.#models = models;
    this.#prompts += 1;
    this.#modelMs += modelMs;
    this.#totalMs += totalMs;
  }

  /** How the last run of this process ended, if there was one; an interrupted one has not failed. */
  get ended(): 'idle' | 'done' | 'failed' {
    if (this.#outcome === undefined) return 'idle';
    return this.#outcome === 'completed' || this.#outcome === 'interrupted' ? 'done' : 'failed';
  }

  get usage(): SessionUsage {
    const { costUsd = 0, runs } = this.#before ?? {};
    return {
      models: joinUses(runs?.models ?? [], this.#models),
      costUsd: this.#models.map((model) => model.costUsd).reduce(sum, costUsd),
      prompts: this.#prompts,
      ...(runs?.killed && { killed: runs.killed }),
      modelMs: this.#modelMs,
      totalMs: this.#totalMs,
    };
  }
}
