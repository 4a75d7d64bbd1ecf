import type { ModelUse } from '../contract/event.js';
import type { Model, Usage } from '../contract/model.js';
import { addUsage, costOf, noUsage } from './usage.js';

/** The parts of a model that determine the cost of its answers. */
export type CountedModel = Pick<Model, 'provider' | 'name'> & Partial<Pick<Model, 'facts' | 'maxOutputTokens'>>;

/** The usage of each model, in the order of their first answers. */
export class UsageByModel {
  readonly #models = new Map<string, ModelUse>();

  add(model: CountedModel, usage: Usage): void {
    const { provider, name, maxOutputTokens, facts: { prices, contextTokens } = {} } = model;
    const key = keyOf(model);
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

  /** The usage of all models together. */
  get usage(): Usage {
    return this.list().reduce((total, { usage }) => addUsage(total, usage), noUsage);
  }

  /** US dollars; null if the prices of one of them are unknown. */
  get costUsd(): number | null {
    return this.list().reduce<number | null>((total, { costUsd }) => sum(total, costUsd), 0);
  }
}

/** The usage of both lists, for each model. */
export function joinUses(before: readonly ModelUse[], added: readonly ModelUse[]): ModelUse[] {
  const models = new Map(before.map((use) => [keyOf(use), use]));
  for (const use of added) {
    const known = models.get(keyOf(use));
    const both = known && { usage: addUsage(known.usage, use.usage), costUsd: sum(known.costUsd, use.costUsd) };
    models.set(keyOf(use), { ...use, ...both });
  }
  return [...models.values()];
}

const keyOf = ({ provider, name }: Pick<ModelUse, 'provider' | 'name'>): string => JSON.stringify([provider, name]);

/** Null if one of them is null. */
export const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
