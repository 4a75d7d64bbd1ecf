import { ModelFailure } from '../../contract/model.js';
import { nearestWords, wordSimilarity } from '../../platform/text/similar-text.js';
import {
  type Access,
  accessTo,
  type Catalogue,
  isOpenModel,
  isSetUp,
  isWebAddress,
  type KnownModel,
  knownModel,
  type Provider,
  publicAddress,
  withoutPrices,
} from './catalogue.js';
import { misspeltModel } from './misspelt-model.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which model to use and how to reach it: everything that is needed to build it. */
export interface ModelPlan extends Access {
  provider: Provider;
  name: string;
  known: KnownModel;
  /** The "provider/name" that was probably meant, for a server that may have models of other names. */
  meant?: string;
}

/** The requested model: the flag, else HELVE_MODEL, else undefined. */
export const wantedModel = (spec: string | undefined, env: Environment): string | undefined =>
  spec?.trim() || env['HELVE_MODEL']?.trim() || undefined;

/**
 * The model that `wanted` names: "provider/name", a short name, a known bare name, or a provider alone for its default
 * model. If undefined: the default in models.json, or that of the first provider that is set up. Makes no requests.
 */
export function planModel(wanted: string | undefined, env: Environment, catalogue: Catalogue): ModelPlan {
  const asked = wanted ?? catalogue.default;
  if (asked !== undefined) return plan(findModel(asked, env, catalogue), env, catalogue);
  const ready = [...catalogue.providers.values()].filter((provider) => isSetUp(provider, env));
  const first = ready.find(({ defaultModel }) => defaultModel !== undefined);
  if (first?.defaultModel) return plan({ provider: first, name: first.defaultModel }, env, catalogue);
  throw ready[0] ? noModelNamed(ready[0]) : nothingSetUp();
}

interface Found {
  provider: Provider;
  name: string;
}

function plan({ provider, name }: Found, env: Environment, catalogue: Catalogue): ModelPlan {
  const access = accessTo(provider, env);
  const meant = misspeltModel(provider.id, name, catalogue);
  // Before a missing key, which would be asked for to no use.
  if (meant !== undefined && !access.isElsewhere && !provider.isOwn) throw misspelt({ provider, name }, meant);
  if (!isWebAddress(access.baseUrl)) throw noAddress(provider);
  // A cloud has other ways to sign in, and its adapter says what is missing.
  const needsKey = (provider.keys.length > 0 || provider.needsSignIn) && !provider.cloud && !provider.keyCommand;
  if (needsKey && !access.keyVariable && !access.bySignIn && !access.isElsewhere) throw noKey(provider);
  const known = knownModel(catalogue, provider.id, name);
  const found = { ...access, provider, name, known, ...(meant !== undefined && { meant }) };
  return access.bySignIn ? { ...found, known: withoutPrices(known) } : found; // a plan costs by the month
}

/** The provider and model that a name means, whether or not that provider is set up. */
export function findModel(asked: string, env: Environment, catalogue: Catalogue): Found {
  const own = catalogue.aliases.get(asked); // looked up once, so that an alias can't refer to itself
  const wanted = own?.trim() ?? asked;
  const found = byProvider(wanted, catalogue) ?? byAlias(wanted, env, catalogue) ?? byBareName(wanted, env, catalogue);
  if (found) return found;
  throwIfCircle(asked, catalogue);
  throw namesNoModel(own === undefined ? `"${asked}"` : `"${own}", for which "${asked}" stands,`, wanted, catalogue);
}

/** "provider/name", where the name may hold further slashes or be a short one, or "provider" for its default. */
function byProvider(wanted: string, { providers }: Catalogue): Found | undefined {
  const slash = wanted.indexOf('/');
  const provider = providers.get(slash < 0 ? wanted : wanted.slice(0, slash));
  const name = slash < 0 ? provider?.defaultModel : wanted.slice(slash + 1);
  if (!provider || !name) return undefined;
  const { aliases = {} } = provider;
  return { provider, name: (Object.hasOwn(aliases, name) && aliases[name]) || name };
}

/**
 * "sonnet", "opus", "haiku": from the first provider that is set up and has such a model, else from the first that has
 * it.
 */
function byAlias(wanted: string, env: Environment, { providers }: Catalogue): Found | undefined {
  const having = [...providers.values()].filter(({ aliases }) => aliases && Object.hasOwn(aliases, wanted));
  const provider = having.find((candidate) => isSetUp(candidate, env)) ?? having[0];
  const name = provider?.aliases?.[wanted];
  return provider && name ? { provider, name } : undefined;
}

function byBareName(wanted: string, env: Environment, { providers, models }: Catalogue): Found | undefined {
  const having = [...providers.values()].filter(({ id }) => models.has(`${id}/${wanted}`));
  const known = having.find((candidate) => isSetUp(candidate, env)) ?? having[0];
  const vendor = vendors.find(([family]) => family.test(wanted))?.[1];
  const provider = known ?? (vendor === undefined ? undefined : providers.get(vendor));
  return provider && { provider, name: wanted };
}

/** A model newer than the catalogue is still its vendor's. */
const vendors: ReadonlyArray<readonly [family: RegExp, provider: string]> = [
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
  [/^(gpt-(?!oss)|chatgpt-|o\d)/, 'openai'],
  [/^grok-/, 'xai'],
];

function throwIfCircle(asked: string, { aliases }: Catalogue): void {
  const steps: string[] = [];
  const seen = new Set<string>();
  let name = asked;
  while (!seen.has(name)) {
    const next = aliases.get(name)?.trim();
    if (next === undefined) return;
    seen.add(name);
    steps.push(`"${name}" ${steps.length === 0 ? 'stands ' : ''}for "${next}"`);
    name = next;
  }
  throw new ModelFailure(
    'unknown_model',
    `${steps.join(', ')} in models.json, a cycle without a model. Set one of them to PROVIDER/NAME.`,
  );
}

/** Where errors refer to `helve models`. That command itself says "below" instead. */
export const seeModels = {
  keys: 'that "helve models" lists',
  names: '"helve models" lists what is known',
} as const;

function namesNoModel(what: string, wanted: string, catalogue: Catalogue): ModelFailure {
  const alone = catalogue.providers.get(wanted);
  if (alone?.needsSignIn && !alone.isSignedIn) return noKey(alone);
  if (alone) {
    return new ModelFailure(
      'unknown_model',
      `${what} is a provider without a default model. Add the name of one: --model ${alone.id}/NAME.`,
    );
  }
  const nearest = nearestTo(wanted, catalogue);
  const [provider = ''] = wanted.split('/', 1);
  if (provider !== '' && catalogue.providers.has(provider)) {
    return new ModelFailure('unknown_model', `${what} names no model: nothing follows the slash. ${seeModels.names}.`);
  }
  if (wanted.includes('/') && provider !== '' && !catalogue.providers.has(provider)) {
    const some = [...catalogue.providers.keys()].slice(0, SOME_PROVIDERS);
    return new ModelFailure(
      'unknown_model',
      `${what} names no model: there is no provider "${provider}". ` +
        (nearest ? `Did you mean "${nearest}"?` : `Some providers are ${some.join(', ')}; ${seeModels.names}.`),
    );
  }
  if (nearest === undefined && isOpenModel(wanted)) {
    return new ModelFailure(
      'unknown_model',
      `${what} names no model without its provider. If it runs on this machine, write "ollama/${wanted}", or ` +
        `lmstudio, llamacpp or vllm in the place of ollama; ${seeModels.names}.`,
    );
  }
  return new ModelFailure(
    'unknown_model',
    nearest
      ? `${what} names no model. Did you mean "${nearest}"? ${seeModels.names}.`
      : `${what} names no model. Write PROVIDER/NAME (for example anthropic/claude-sonnet-5-5), a short name such as ` +
          `sonnet, or scripted/FILE; ${seeModels.names}.`,
  );
}

/** A refusal, since a request could only fail; models.json allows any name. */
function misspelt({ provider: { id, title }, name }: Found, meant: string): ModelFailure {
  const entry = JSON.stringify({ models: { [`${id}/${name}`]: {} } });
  return new ModelFailure(
    'unknown_model',
    `"${name}" is not a known model of ${title}. Did you mean "${meant}"? ` +
      `If it is the right name of a new model, add it to models.json: ${entry}`,
  );
}

const TYPO = 0.7;
const SOME_PROVIDERS = 6;

function nearestTo(wanted: string, { providers, models, aliases }: Catalogue): string | undefined {
  const slash = wanted.indexOf('/');
  if (slash >= 0) {
    const given = wanted.slice(0, slash);
    const [provider] = nearestWords(given, [...providers.keys()]);
    const isTypo = provider !== undefined && wordSimilarity(given, provider) >= TYPO; // "nope" is no "openai"
    return isTypo && slash < wanted.length - 1 ? provider + wanted.slice(slash) : undefined;
  }
  const shortNames = [...providers.values()].flatMap((provider) => Object.keys(provider.aliases ?? {}));
  const bareNames = [...models.keys()].map((id) => id.slice(id.indexOf('/') + 1));
  const alone = isOpenModel(wanted) ? [] : providers.keys(); // "qwen3" is no slip for the provider "qwen"
  const [nearest] = nearestWords(wanted, [...new Set([...shortNames, ...aliases.keys(), ...bareNames, ...alone])]);
  return nearest !== undefined && wordSimilarity(wanted, nearest) >= TYPO ? nearest : undefined;
}

function nothingSetUp(): ModelFailure {
  return new ModelFailure(
    'auth',
    `No model is set up: set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key ${seeModels.keys}, sign in ` +
      'with "helve login openai" (a ChatGPT plan) or "helve login openrouter", or name a model on this machine, as in ' +
      '--model ollama/NAME; "helve demo" needs no key.',
  );
}

function noModelNamed({ id, title }: Provider): ModelFailure {
  return new ModelFailure(
    'unknown_model',
    `${title} is set up, but no model is named. Name one with --model ${id}/NAME or in HELVE_MODEL.`,
  );
}

/** Leaves the address out of the message: an invalid one may be a key, or contain a password. */
function noAddress({ baseUrl, baseUrlVariable }: Provider): ModelFailure {
  return new ModelFailure(
    'unreachable',
    `${baseUrlVariable} is not a web address, which begins with http:// or https://. Set it to one like ${publicAddress(baseUrl)}.`,
  );
}

function noKey({ title, keys, baseUrlVariable, signIn, needsSignIn }: Provider): ModelFailure {
  if (needsSignIn) return new ModelFailure('auth', `You are not signed in to ${title}: ${signIn}.`);
  const variables = keyVariables(keys).join(' or ');
  const elsewhere = baseUrlVariable ? `, or ${baseUrlVariable} for a server that needs none` : '';
  const other = signIn === undefined ? '' : `; or ${signIn}`;
  return new ModelFailure('auth', `No key for ${title}: set ${variables}${elsewhere}${other}.`);
}

/** API keys first, which is what most people have. */
export const keyVariables = (keys: Provider['keys']): string[] =>
  keys
    .map(({ variable }) => variable)
    .toSorted((a, b) => Number(b.endsWith('_API_KEY')) - Number(a.endsWith('_API_KEY')));
