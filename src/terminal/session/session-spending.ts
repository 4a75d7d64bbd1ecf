import type { ModelUse, RunResult } from '../../contract/event.js';
import type { SessionUsage } from '../contract.js';

/** The cost of a conversation so far, from the results of its runs. */
export class SessionSpending {
  #models: readonly ModelUse[] = [];
  #prompts = 0;
  #modelMs = 0;
  #totalMs = 0;

  take({ models, modelMs, totalMs }: RunResult): void {
    this.#models = models;
    this.#prompts += 1;
    this.#modelMs += modelMs;
    this.#totalMs += totalMs;
  }

  get usage(): SessionUsage {
    const costs = this.#models.map(({ costUsd }) => costUsd);
    return {
      models: this.#models,
      costUsd: costs.reduce((sum: number | null, cost) => (sum === null || cost === null ? null : sum + cost), 0),
      prompts: this.#prompts,
      modelMs: this.#modelMs,
      totalMs: this.#totalMs,
    };
  }
}
