import { type Effort, type Model, ModelFailure } from '../../contract/model.js';
import { isMissing } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import type { ServerAccess } from '../http/authorization.js';
import { type Catalogue, type KnownModel, nearestEffort } from './catalogue.js';
import { loadCatalogue, type ReadTextFile, readText } from './load-catalogue.js';
import { keyVariables, type ModelPlan, planModel, wantedModel } from './plan-model.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a choice of a model by name depends on. */
export interface ChooseModelOptions {
  /** Default: the provider's own default for the model. */
  effort?: Effort;
  /** Default: the built-in catalogue with the user's models.json. */
  catalogue?: Catalogue;
  /** Receives a sentence about a name that may be misspelt, but is requested, since a server may have it. */
  onMisspelt?: (sentence: string) => void;
  /** Reads scripts and models.json. */
  readFile?: ReadTextFile;
}

/**
 * The model that `spec` names ("provider/name", a short name such as "sonnet", a known bare name, "scripted/FILE"),
 * else HELVE_MODEL, else the default of models.json, else the default of the first provider that has a key or an
 * address in the environment, else of the first with a sign-in or a stored key. An adapter is loaded only when it is chosen. Throws
 * `ModelFailure`; makes no requests.
 */
export async function chooseModel(
  spec: string | undefined,
  env: Environment,
  options: ChooseModelOptions = {},
): Promise<Model> {
  const { readFile = readText } = options;
  const wanted = wantedModel(spec, env);
  if (wanted?.startsWith('scripted/') && wanted !== 'scripted/') return await scripted(wanted.slice(9), readFile);
  const catalogue = options.catalogue ?? (await loadCatalogue(env, readFile));
  const { plan, keys } = await planWithKeys(wanted, env, catalogue);
  if (plan.meant !== undefined) options.onMisspelt?.(mayBeMisspelt(plan.name, plan.meant));
  return await buildModel(plan, keys, { ...options, catalogue });
}

/** Tries with the keys in the environment first, and with sign-ins and stored keys only if that fails. */
export async function planWithKeys(
  wanted: string | undefined,
  env: Environment,
  catalogue: Catalogue,
): Promise<{ plan: ModelPlan; keys: Environment }> {
  const withStored = async () => {
    const { withStoredAccess } = await import('./stored-access.js');
    const stored = withStoredAccess(env, catalogue);
    if (stored.keys === env && stored.catalogue === catalogue) return undefined;
    return { plan: planModel(wanted, stored.keys, stored.catalogue), keys: stored.keys };
  };
  let plan: ModelPlan;
  try {
    plan = planModel(wanted, env, catalogue);
  } catch (error) {
    // A model of a sign-in is unknown to the catalogue alone.
    if (!(error instanceof ModelFailure) || !['auth', 'unknown_model'].includes(error.kind)) throw error;
    const found = await withStored();
    if (found) return found;
    throw error;
  }
  // A cloud has other ways to sign in, so a plan without a key is no failure there.
  const found = plan.provider.cloud && !plan.keyVariable ? await withStored() : undefined;
  return found ?? { plan, keys: env };
}

/** The model for background requests such as titles: HELVE_SMALL_MODEL, else `small` in models.json, else none. */
export async function smallModel(env: Environment, options: ChooseModelOptions = {}): Promise<Model | undefined> {
  const { readFile = readText } = options;
  const catalogue = options.catalogue ?? (await loadCatalogue(env, readFile));
  const wanted = env['HELVE_SMALL_MODEL']?.trim() || catalogue.small;
  return wanted ? await chooseModel(wanted, env, { ...options, catalogue }) : undefined;
}

const MOST_OUTPUT = 64_000; // servers reserve space for the full limit, so longer answers are requested in steps
const CONTEXT_SHARE = 1 / 4; // the rest is for the conversation

/** The model's output limit, capped; undefined if it is unknown, so that the adapter's default applies. */
function outputLimit({ outputTokens, contextTokens }: KnownModel, env: Environment): number | undefined {
  const text = env['HELVE_MAX_OUTPUT_TOKENS']?.trim();
  if (!text) {
    if (outputTokens === undefined && contextTokens === undefined) return undefined;
    return Math.min(MOST_OUTPUT, outputTokens ?? Infinity, Math.floor((contextTokens ?? Infinity) * CONTEXT_SHARE));
  }
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new ModelFailure(
    'invalid_request',
    `HELVE_MAX_OUTPUT_TOKENS is "${text}", which is not a whole number above 0. Set it to one, or leave it out.`,
  );
}

const mayBeMisspelt = (name: string, meant: string): string =>
  `The model "${name}" is requested as it is, but it may be misspelt. Did you mean "${meant}"?`;

async function buildModel(
  plan: ModelPlan,
  env: Environment,
  { effort, catalogue }: { effort?: Effort; catalogue: Catalogue },
): Promise<Model> {
  const { provider, name, keyVariable, known } = plan;
  const { outputTokens: _, efforts, textCalls, ...facts } = known;
  const access = {
    ...(await serverAccess(plan, env)),
    addressFrom: addressFrom(plan, env),
    proxyVariable: PROXIES.find((variable) => env[variable]?.trim()),
    async nearestModel() {
      const { describeUnknownModel } = await import('./unknown-model.js');
      return await describeUnknownModel({ provider: provider.id, name }, env, catalogue);
    },
  };
  const { api: baseUrl = plan.baseUrl } = access;
  const nearest = effort && nearestEffort(effort, efforts);
  const shared = {
    name,
    baseUrl,
    apiKey: keyVariable && env[keyVariable],
    maxOutputTokens: outputLimit(known, env),
    ...(Object.keys(facts).length > 0 && { facts }),
    ...(nearest && { effort: nearest }),
    ...(provider.headers && { headers: provider.headers }),
  };
  const variable = keyVariable ?? keyVariables(provider.keys)[0];
  // A provider from models.json has its address in that file and no variable for it.
  const named = provider.baseUrlVariable
    ? {}
    : { ...(variable && { keyVariable: variable }), baseUrlVariable: `"baseUrl" of ${provider.id} in models.json` };
  if (provider.cloud) {
    const { cloudModel } = await import('../clouds/cloud-model.js');
    return await cloudModel({ plan, env, shared, ...access });
  }
  switch (plan.wire) {
    case 'anthropic': {
      const { messagesApiModel } = await import('../wire/anthropic/anthropic.js');
      const isToken = keyVariable === 'ANTHROPIC_AUTH_TOKEN';
      const { apiKey, ...rest } = shared;
      const secret = isToken ? { authToken: apiKey } : { apiKey };
      return called(provider.id, messagesApiModel({ ...rest, ...named, ...secret }, access));
    }
    case 'responses': {
      const { responsesModel } = await import('../wire/responses/openai-responses.js');
      return responsesModel({ ...shared, ...named, provider: provider.id }, access);
    }
    case 'gemini': {
      const { geminiApiModel } = await import('../wire/gemini/gemini.js');
      const server = { provider: provider.id, ...(variable && { keyVariable: variable }) };
      return geminiApiModel({ ...shared, ...named, ...server }, access);
    }
    case 'chat': {
      const { chatModel } = await import('../wire/chat/openai-compatible.js');
      const server = {
        provider: provider.id,
        ...(textCalls && textCalls !== 'off' && { textCalls }),
        ...(variable && { keyVariable: variable }),
        ...(provider.baseUrlVariable && { baseUrlVariable: provider.baseUrlVariable }),
      };
      return chatModel({ ...shared, ...named, ...server }, access);
    }
  }
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/** Where the address of the server was set, if it is not the one that Helve knows. */
function addressFrom({ provider, isElsewhere }: ModelPlan, env: Environment): string | undefined {
  const { baseUrlVariable: variable } = provider;
  if (variable !== undefined && env[variable]?.trim()) return variable;
  return provider.isOwn || isElsewhere ? `"baseUrl" of ${provider.id} in models.json` : undefined;
}

/** The authorisation by the user's sign-in, or by a provider's `keyCommand`, if no key is set. */
async function serverAccess(
  { provider: { id, keyCommand }, keyVariable, bySignIn }: ModelPlan,
  env: Environment,
): Promise<ServerAccess & { api?: string }> {
  if (bySignIn) {
    const { signInAccess } = await import('../sign-in/signed-in.js');
    return signInAccess(id, env);
  }
  if (keyCommand === undefined || keyVariable !== undefined) return {};
  const { commandToken } = await import('../http/command-token.js');
  return { authorization: commandToken(keyCommand, `"keyCommand" of ${id} in models.json`, env) };
}

/** Keeps the provider's own name when it uses another provider's wire format. */
const called = (provider: string, model: Model): Model =>
  model.provider === provider ? model : { ...model, provider };

async function scripted(path: string, readFile: ReadTextFile): Promise<Model> {
  const text = await readFile(path).catch((error: unknown) => {
    const why = `The script ${path} can't be read: ${isMissing(error) ? 'there is no such file' : message(error)}`;
    throw new ModelFailure('invalid_request', `${why}. Check the path after scripted/ in the model's name.`, {
      cause: error,
    });
  });
  const { parseScript, scriptedModel } = await import('../scripted.js');
  return scriptedModel(parseScript(parseJson(text, path)));
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ModelFailure('invalid_request', `The script ${path} is not valid JSON (${message(error)}). Correct it.`, {
      cause: error,
    });
  }
}

function message(error: unknown): string {
  return messageOf(error);
}
