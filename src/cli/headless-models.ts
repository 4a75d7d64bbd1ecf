import type { Model } from '../contract/model.js';
import { type Catalogue, isSetUp } from '../models/catalogue.js';
import { chooseModel } from '../models/choose-model.js';
import { MAX_FALLBACKS, withRetries } from '../models/retry.js';
import { retriesFrom } from '../models/retry-environment.js';
import type { CliEngineOptions } from './engine-options.js';
import { type HeadlessFlags, readEffort } from './headless-flags.js';
import { UsageProblem } from './usage-problem.js';

/** The models that a run may ask. */
export interface HeadlessModels {
  first: Model;
  fallbacks: readonly Model[];
  /** A model by its name, or the first one, that is asked again where a request fails in a way that may pass. */
  patient(name?: string): Promise<Model>;
}

export async function readModels(
  flags: Pick<HeadlessFlags, 'model' | 'fallbackModel' | 'effort'>,
  { env, settings: { current } }: CliEngineOptions,
  catalogue: Catalogue,
  observed: (model: Model) => Model = (model) => model,
): Promise<HeadlessModels> {
  const retries = retriesFrom(env);
  const options = { ...readEffort(flags.effort ?? current.effort?.value), catalogue };
  const choose = async (name: string | undefined): Promise<Model> => observed(await chooseModel(name, env, options));
  const first = await choose(flags.model ?? current.model?.value);
  const fallback = flags.fallbackModel ?? current.fallbackModel?.value.join(',') ?? '';
  const names = fallback.split(',').filter((name) => name.trim() !== '');
  if (flags.fallbackModel !== undefined && (names.length === 0 || names.length > MAX_FALLBACKS)) {
    throw new UsageProblem(
      `--fallback-model takes one to ${MAX_FALLBACKS} models with commas between, but was "${flags.fallbackModel}".`,
    );
  }
  const fallbacks: Model[] = [];
  for (const name of names) fallbacks.push(await choose(name));
  return {
    first,
    fallbacks,
    async patient(name) {
      const model = name === undefined ? first : await choose(name);
      return withRetries(model, { ...retries, fallbacks });
    },
  };
}

/** What a host can choose from: the known models of the providers that are set up. */
export function modelChoices(
  catalogue: Catalogue,
  env: CliEngineOptions['env'],
  { provider, name }: Pick<Model, 'provider' | 'name'>,
): Array<{ value: string; displayName: string; description: string }> {
  const choices = [...catalogue.models.keys()]
    .filter((id) => {
      const known = catalogue.providers.get(id.slice(0, id.indexOf('/')));
      return known !== undefined && isSetUp(known, env);
    })
    .map((id) => ({ value: id, displayName: id.slice(id.indexOf('/') + 1), description: titleOf(id, catalogue) }));
  return [{ value: 'default', displayName: name, description: `${provider}/${name}, chosen at the start` }, ...choices];
}

const titleOf = (id: string, catalogue: Catalogue): string =>
  `of ${catalogue.providers.get(id.slice(0, id.indexOf('/')))?.title ?? 'an unknown provider'}`;
