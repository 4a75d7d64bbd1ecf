import type { Model } from '../contract/model.js';
import type { RetryOptions } from '../contract/retry-options.js';
import { withRetries } from '../models/retry/retry.js';
import { retriesFrom } from '../models/retry/retry-environment.js';
import { type Observer, observedModel } from './observe/observe.js';

export interface ResilienceOptions {
  /** At most three models, used in order while the one before is overloaded or unavailable. */
  fallbackModels?: readonly Model[];
  /** Options for retries, which override those of the environment; false turns retries off. */
  retries?: Omit<RetryOptions, 'fallbacks'> | false;
  env?: Readonly<Record<string, string | undefined>>;
  observers?: readonly Observer[];
}

/** Adds retries to the model, and reports each request to the observers. */
export function resilientModel(model: Model, options: ResilienceOptions): Model {
  const { fallbackModels = [], retries = {}, env = process.env, observers } = options;
  if (retries === false) return model; // the caller makes the retries and reports the requests
  const watched = (each: Model): Model => (observers ? observedModel(each, observers) : each);
  return withRetries(
    watched(model),
    { ...retriesFrom(env), ...retries, fallbacks: fallbackModels.map(watched) },
    options,
  );
}

/** The same for a model by name, without fallback models. */
export async function resilientModelNamed(name: string | undefined, options: ResilienceOptions): Promise<Model> {
  const { chooseModel } = await import('../models/catalogue/choose-model.js');
  const { fallbackModels: _, ...alone } = options;
  return resilientModel(await chooseModel(name, options.env ?? process.env), alone);
}
