import { type Effort, efforts, type Model, ModelFailure } from '../contract/model.js';
import { type Catalogue, isSetUp } from '../models/catalogue/catalogue.js';
import { type ChooseModelOptions, chooseModel } from '../models/catalogue/choose-model.js';
import { MAX_FALLBACKS, withRetries } from '../models/retry/retry.js';
import { retriesFrom } from '../models/retry/retry-environment.js';
import { visible } from '../platform/text/visible.js';
import type { CliEngineOptions } from './engine-options.js';
import { namedModel, settingFrom } from './named-model.js';
import { type RunFlags, readEffort } from './run-flags.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

/** The models of a run. */
export interface RunModels {
  first: Model;
  fallbacks: readonly Model[];
  /** A model by its name, or the default one, with retries for transient failures. */
  resilientModel(name?: string): Promise<Model>;
  /** The effort of models that are created from now on; undefined for their own default. */
  effort: Effort | undefined;
}

export interface ModelPorts {
  observed?: ((model: Model) => Model) | undefined;
  /** Shows a sentence to the person, such as one about a name that may be misspelt. */
  tell?: ((sentence: string) => void) | undefined;
}

export async function readModels(
  flags: Pick<RunFlags, 'model' | 'fallbackModel' | 'effort' | 'resume'>,
  { env, settings: { current } }: CliEngineOptions,
  catalogue: Catalogue,
  { observed = (model) => model, tell }: ModelPorts = {},
): Promise<RunModels> {
  const told = new Set<string>();
  const onMisspelt = (sentence: string): void => {
    if (!told.has(sentence)) tell?.(sentence);
    told.add(sentence);
  };
  const retries = retriesFrom(env);
  let { effort } = readEffort(flags.effort ?? current.effort?.value);
  const chosen = await withKeyHelper(current.apiKeyHelper?.value, env);
  const choose = async (name: string | undefined, from?: string): Promise<Model> => {
    const options = { ...(effort && { effort }), catalogue, onMisspelt };
    const model = await chosen(name, options).catch(async (failed: unknown) => {
      const error = await withLocalName(failed, name, env, catalogue);
      throw from === undefined ? error : namedBy(from, error);
    });
    return observed(model);
  };
  const named = flags.model === undefined ? namedModel(current, env) : { name: flags.model, from: undefined };
  const first =
    (named ? undefined : await resumedModel(flags.resume, env, choose)) ?? (await choose(named?.name, named?.from));
  const fallback = flags.fallbackModel ?? current.fallbackModel?.value.join(',') ?? '';
  const names = fallback.split(',').filter((name) => name.trim() !== '');
  if (flags.fallbackModel !== undefined && (names.length === 0 || names.length > MAX_FALLBACKS)) {
    throw new UsageProblem(
      `--fallback-model takes one to ${MAX_FALLBACKS} models with commas between, but was "${flags.fallbackModel}".`,
    );
  }
  const fallbacks: Model[] = [];
  const listed = flags.fallbackModel === undefined ? current.fallbackModel : undefined;
  const from = listed && settingFrom('fallbackModel', listed.origin);
  for (const name of names) fallbacks.push(await choose(name, from));
  return {
    first,
    fallbacks,
    get effort() {
      return effort;
    },
    set effort(wanted) {
      effort = wanted;
    },
    async resilientModel(name) {
      const model = name === undefined ? first : await choose(name);
      return withRetries(model, { ...retries, fallbacks });
    },
  };
}

type ChooseByName = (name: string | undefined, options: ChooseModelOptions) => Promise<Model>;

/** Keys in the environment and stored keys come first; the helper is for Anthropic's models without one. */
export async function withKeyHelper(command: string | undefined, env: CliEngineOptions['env']): Promise<ChooseByName> {
  const plain: ChooseByName = async (name, options) => await chooseModel(name, env, options);
  if (command === undefined) return plain;
  const { HELPER_PROVIDER, HELPER_VARIABLE, KeyHelper, modelWithHelper } = await import('./key-helper.js');
  const { withStoredKeys } = await import('../models/catalogue/stored-keys.js');
  const helper = new KeyHelper(command, env);
  return async (name, options) => {
    const keys = withStoredKeys(env);
    const hasKey = [HELPER_VARIABLE, 'ANTHROPIC_AUTH_TOKEN'].some((variable) => keys[variable]?.trim());
    if (hasKey) return await plain(name, options);
    const withKey = async (key: string): Promise<Model> =>
      await chooseModel(name, { ...env, [HELPER_VARIABLE]: key }, options);
    const described = await withKey('from-the-helper'); // to see which provider is meant; no request is sent with it
    return described.provider === HELPER_PROVIDER
      ? modelWithHelper(described, helper, withKey)
      : await plain(name, options);
  };
}

/** A resumed session keeps its model, if that is available. */
async function resumedModel(
  session: string | undefined,
  env: CliEngineOptions['env'],
  choose: (name: string) => Promise<Model>,
): Promise<Model | undefined> {
  if (session === undefined) return undefined;
  const { recordedModel } = await import('./sessions/recorded-model.js');
  const name = await recordedModel(session, env);
  if (name === undefined) return undefined;
  try {
    return await choose(name);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    const sentence = `The session used the model ${name}, which is not available here, so it continues with another. ${error.message}`;
    await writeLine(process.stderr, `helve: ${visible(sentence)}`);
    return undefined;
  }
}

/** An unknown bare name may be that of a model on this machine, so its servers are asked. */
export async function withLocalName(
  error: unknown,
  name: string | undefined,
  env: CliEngineOptions['env'],
  catalogue: Catalogue,
): Promise<unknown> {
  const isUnknown = error instanceof ModelFailure && error.kind === 'unknown_model';
  if (!isUnknown || name === undefined || name.includes('/')) return error;
  const { modelOnThisMachine } = await import('../models/catalogue/unknown-model.js');
  const found = await modelOnThisMachine(name, env, catalogue);
  if (found === undefined) return error;
  const sentence = `"${name}" names no model without its provider. Did you mean "${found}", which runs on this machine?`;
  return new ModelFailure('unknown_model', sentence, { cause: error });
}

/** The user did not type the name just now, so the failure says where it was set. */
function namedBy(from: string, error: unknown): unknown {
  if (!(error instanceof ModelFailure)) return error;
  return new ModelFailure(error.kind, `${error.message} The model is named by ${from}.`, { cause: error });
}

/** A model that a host can choose, in the words of the Agent SDK. */
export interface ModelChoice {
  value: string;
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort: boolean;
  supportedEffortLevels?: readonly Effort[];
}

/** The models that a host can choose from: known models of providers that are set up. */
export function modelChoices(
  catalogue: Catalogue,
  env: CliEngineOptions['env'],
  { provider, name }: Pick<Model, 'provider' | 'name'>,
): ModelChoice[] {
  const choices = [...catalogue.models.keys()]
    .filter((id) => {
      const known = catalogue.providers.get(id.slice(0, id.indexOf('/')));
      return known !== undefined && isSetUp(known, env);
    })
    .map((id) => ({
      value: id,
      displayName: id.slice(id.indexOf('/') + 1),
      description: titleOf(id, catalogue),
      ...effortsOf(id, catalogue),
    }));
  const first = `${provider}/${name}`;
  const chosen = { value: 'default', resolvedModel: first, displayName: name };
  return [{ ...chosen, description: `${first}, chosen at the start`, ...effortsOf(first, catalogue) }, ...choices];
}

/** Hosts turn thinking off by another request, so `none` is not among the levels. */
function effortsOf(id: string, { models }: Catalogue): Pick<ModelChoice, 'supportsEffort' | 'supportedEffortLevels'> {
  const levels = (models.get(id)?.efforts ?? efforts).filter((effort) => effort !== 'none');
  return levels.length === 0 ? { supportsEffort: false } : { supportsEffort: true, supportedEffortLevels: levels };
}

const titleOf = (id: string, catalogue: Catalogue): string =>
  `of ${catalogue.providers.get(id.slice(0, id.indexOf('/')))?.title ?? 'an unknown provider'}`;
