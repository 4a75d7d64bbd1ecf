import type { Model } from '../contract/model.js';
import type { RetryOptions } from '../contract/retry-options.js';
import { withRetries } from '../models/retry/retry.js';
import { retriesFrom } from '../models/retry/retry-environment.js';
import { type Observer, observedModel } from './observe/observe.js';

export interface ResilienceOptions {
  /** At most three models that are asked in turn while the one before is overloaded or unavailable. */
  fallbackModels?: readonly Model[];
  /** How failed requests are sent again, before what the environment says; false for not at all. */
  retries?: Omit<RetryOptions, 'fallbacks'> | false;
  env?: Readonly<Record<string, string | undefined>>;
  observers?: readonly Observer[];
}

/** The model with retries around it, each request of which is shown to those who watch. */
export function resilientModel(model: Model, options: ResilienceOptions): Model {
  const { fallbackModels = [], retries = {}, env = process.env, observers } = options;
  if (retries === false) return model; // who makes the retries shows the requests, each of them
  const watched = (each: Model): Model => (observers ? observedModel(each, observers) : each);
  return withRetries(watched(model), { ...retriesFrom(env), ...retries, fallbacks: fallbackModels.map(watched) });
}

/** The same for one that is called by its name, and has no other to fall back on. */
export async function resilientModelNamed(name: string | undefined, options: ResilienceOptions): Promise<Model> {
  const { chooseModel } = await import('../models/catalogue/choose-model.js');
  const { fallbackModels: _, ...alone } = options;
  return resilientModel(await chooseModel(name, options.env ?? process.env), alone);
}
