import type { ModelUse } from '../contract/event.js';
import type { Model, Usage } from '../contract/model.js';
import { addUsage, costOf, noUsage } from './usage.js';

/** As much of a model as it takes to say what its answers cost. */
export type CountedModel = Pick<Model, 'provider' | 'name'> & Partial<Pick<Model, 'facts' | 'maxOutputTokens'>>;

/** What each model was used for, in the order in which they first answered. */
export class UsageByModel {
  readonly #models = new Map<string, ModelUse>();

  add(model: CountedModel, usage: Usage): void {
    const { provider, name, maxOutputTokens, facts: { prices, contextTokens } = {} } = model;
    const key = JSON.stringify([provider, name]);
    const before = this.#models.get(key);
    this.#models.set(key, {
      provider,
      name,
      usage: addUsage(before?.usage ?? noUsage, usage),
      costUsd: sum(before ? before.costUsd : 0, prices ? costOf(usage, prices) : null),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    });
  }

  list(): ModelUse[] {
    return [...this.#models.values()];
  }

  /** All of them together. */
  get usage(): Usage {
    return this.list().reduce((total, { usage }) => addUsage(total, usage), noUsage);
  }

  /** US dollars; null where the prices of one of them are not known. */
  get costUsd(): number | null {
    return this.list().reduce<number | null>((total, { costUsd }) => sum(total, costUsd), 0);
  }
}

/** Not known where one of them is not. */
export const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
