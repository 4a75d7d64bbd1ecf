import { ModelFailure } from '../contract/model.js';
import {
  type Access,
  accessTo,
  type Catalogue,
  isSetUp,
  type KnownModel,
  knownModel,
  publicAddress,
  unusualHost,
} from '../models/catalogue/catalogue.js';
import { planWithKeys } from '../models/catalogue/choose-model.js';
import { findLocalServers, type LocalModelServer, localPlaces } from '../models/catalogue/local-servers.js';
import { findModel, keyVariables, seeModels } from '../models/catalogue/plan-model.js';
import { signedInCatalogue } from '../models/catalogue/stored-access.js';
import { readStoredKeys, withStoredKeys } from '../models/catalogue/stored-keys.js';
import { type StoredSignIn, storedSignIns } from '../models/sign-in/sign-in-file.js';
import { messageOf } from '../platform/message-of.js';
import { shownAge } from '../platform/text/age.js';
import { grouped } from '../platform/text/digits.js';
import { jsonText } from '../platform/text/json-line.js';
import { table } from '../platform/text/table.js';
import { visible } from '../platform/text/visible.js';
import { environmentWith } from '../settings/environment.js';
import type { Settings } from '../settings/settings.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { namedModel } from './named-model.js';
import { readCatalogue } from './read-catalogue.js';
import { readSettings } from './read-settings.js';
import { terminalWidth } from './terminal-width.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const UPDATE_MS = 60_000;

/** Lists the providers and whether they are set up, local servers, and the known models. */
export async function models(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'test') return await (await import('./models/test-model.js')).testModel(argv.slice(1));
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' }, update: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageProblem(`helve models takes no argument such as "${positionals[0]}".`);
  const { current } = await readSettings({ root: process.cwd(), env: process.env });
  const env = environmentWith(current, process.env);
  const problems = values.update ? await updatedLists(env) : [];
  const overview = await look(await readCatalogue(env), env, current);
  await writeLine(process.stdout, values.json ? jsonText(overview) : asText(overview));
  for (const problem of problems) await writeLine(process.stderr, `helve: ${visible(problem)}`);
  return problems.length === 0 ? exitCode.ok : exitCode.failed;
}

type Overview = Awaited<ReturnType<typeof look>>;

/** Lists the models of each sign-in again. Returns what went wrong. */
async function updatedLists(env: NodeJS.ProcessEnv): Promise<string[]> {
  const { updateModels } = await import('../models/sign-in/provider-login.js');
  const problems: string[] = [];
  for (const { provider } of storedSignIns(env)) {
    await updateModels(provider, env, AbortSignal.timeout(UPDATE_MS)).catch((error: unknown) => {
      problems.push(messageOf(error));
    });
  }
  return problems;
}

async function look(builtIn: Catalogue, env: NodeJS.ProcessEnv, settings: Settings) {
  const catalogue = signedInCatalogue(env, builtIn);
  const signIns = storedSignIns(env);
  const local = await findLocalServers(localPlaces(catalogue, env));
  const [stored, known] = storedKeys(env);
  return {
    ...(await choice(builtIn, env, settings)),
    providers: [...catalogue.providers.values()].map((provider) => {
      const signIn = signIns.find((one) => one.provider === provider.id);
      const access = accessTo(provider, signIn ? env : known); // a sign-in comes before a stored key
      const { keyVariable, wire } = access;
      const isStored = keyVariable !== undefined && !env[keyVariable]?.trim() && keyVariable in stored;
      return {
        id: provider.id,
        title: provider.title,
        wire,
        base_url: shownAddress(access),
        base_url_variable: provider.baseUrlVariable ?? null,
        host: unusualHost(provider, access) ?? null,
        key_variables: keyVariables(provider.keys),
        key_from: isStored
          ? 'keys.json'
          : (keyVariable ?? (access.bySignIn ? 'sign-in' : provider.keyCommand ? 'keyCommand' : null)),
        sign_in: signIn ? signInFacts(signIn) : null,
        other_access: (provider.cloud || !access.isElsewhere ? provider.signIn : undefined) ?? null,
        set_up: isSetUp(provider, known),
        default_model: provider.defaultModel ?? null,
      };
    }),
    local: local.map(({ provider, title, port, models }) => ({ provider, title, port, models })),
    models: [...catalogue.models.keys()].map((id) => {
      const slash = id.indexOf('/');
      return { id, ...factsOf(knownModel(catalogue, id.slice(0, slash), id.slice(slash + 1))) };
    }),
    aliases: aliasesOf(catalogue, env),
    small: env['HELVE_SMALL_MODEL']?.trim() || catalogue.small || null,
  };
}

function signInFacts({ signIn, problem }: StoredSignIn) {
  return {
    account: signIn?.account ?? null,
    problem: problem ?? null,
    models: signIn?.models?.list ?? null,
    models_listed_at: signIn?.models ? new Date(signIn.models.at).toISOString() : null,
  };
}

/** An unusable file is reported when a key is needed; a list works without it. */
function storedKeys(env: NodeJS.ProcessEnv): [Readonly<Record<string, string>>, Readonly<NodeJS.ProcessEnv>] {
  try {
    return [readStoredKeys(env), withStoredKeys(env)];
  } catch (error) {
    if (error instanceof ModelFailure) return [{}, env];
    throw error;
  }
}

/** Where requests go. For an address from the environment only the host is shown, since its path may be secret too. */
function shownAddress({ baseUrl, isElsewhere }: Access): string | null {
  const address = isElsewhere ? URL.parse('/', baseUrl)?.href : baseUrl;
  return (address && publicAddress(address)) || null;
}

/** The model of a run without --model and what selects it, or why there is none. */
async function choice(
  catalogue: Catalogue,
  env: NodeJS.ProcessEnv,
  settings: Settings,
): Promise<{ chosen: string | null; named_by: string | null; problem: string | null }> {
  const named = namedModel(settings, env);
  const from = named?.from ?? (catalogue.default === undefined ? null : '"default" in models.json');
  if (named?.name.startsWith('scripted/')) return { chosen: named.name, named_by: from, problem: null };
  try {
    const { provider, name } = (await planWithKeys(named?.name, env, catalogue)).plan;
    return { chosen: `${provider.id}/${name}`, named_by: from, problem: null };
  } catch (error) {
    if (error instanceof ModelFailure) return { chosen: null, named_by: from, problem: error.message };
    throw error;
  }
}

function factsOf({ contextTokens, outputTokens, prices, editStyle, seesImages }: KnownModel) {
  return {
    context_tokens: contextTokens ?? null,
    output_tokens: outputTokens ?? null,
    prices: prices ?? null,
    edit_style: editStyle ?? 'text',
    sees_images: seesImages ?? null,
  };
}

/** Each short name with the model that it means here. */
function aliasesOf(catalogue: Catalogue, env: NodeJS.ProcessEnv): Record<string, string> {
  const names = [...catalogue.providers.values()].flatMap(({ aliases = {} }) => Object.keys(aliases));
  return Object.fromEntries(
    [...new Set([...catalogue.aliases.keys(), ...names])].map((name) => [name, meaningOf(name, catalogue, env)]),
  );
}

/** Unchanged if it means nothing, so that its author sees it. */
function meaningOf(name: string, catalogue: Catalogue, env: NodeJS.ProcessEnv): string {
  try {
    const { provider, name: model } = findModel(name, env, catalogue);
    return `${provider.id}/${model}`;
  } catch (error) {
    if (error instanceof ModelFailure) return `${catalogue.aliases.get(name)} (names no model)`;
    throw error;
  }
}

function asText({ chosen, named_by, problem, providers, local, models: known, aliases }: Overview): string {
  const width = terminalWidth();
  return [
    chosen
      ? `In use: ${visible(chosen)}${named_by === null ? '' : ` (named by ${named_by})`}`
      : named_by === null
        ? 'No model is set up yet. Sign in with helve login, set one of the keys below, or start a model on this machine.'
        : `No model can be used: ${seenHere(problem ?? '')} The model is named by ${named_by}.`,
    '',
    'Providers (with the default model of each)',
    ...table(
      providers.map((provider) => [provider.id, provider.title, access(provider), defaultOf(provider)]),
      { width },
    ),
    '',
    ...providers.flatMap(signInModels),
    'Running on this machine',
    ...(local.length > 0
      ? local.map((server) => `  ${offerOf(server)}`)
      : ['  nothing that answers on the usual ports']),
    '',
    'Known models (context and output in tokens, US dollars per million tokens in and out)',
    ...table(
      known.map((model) => [model.id, size(model.context_tokens), size(model.output_tokens), priceOf(model)]),
      { width },
    ),
    '',
    'Short names',
    ...table(Object.entries(aliases)),
    '',
    'Any other model of a provider can be named too: helve --model PROVIDER/NAME -p "…"',
  ].join('\n');
}

/** The user is already looking at the list that errors refer to. */
const seenHere = (problem: string): string =>
  problem
    .replace(seeModels.keys, 'listed below')
    .replace(`? ${seeModels.names}`, '? Known models are listed below')
    .replace(seeModels.names, 'known models are listed below');

function access(provider: Overview['providers'][number]): string {
  const { key_from, key_variables, host, set_up, other_access, sign_in } = provider;
  const at = host ? ` at ${host}` : '';
  if (key_from === 'sign-in') return signInWords(provider);
  if (key_from) return `key from ${key_from}${at}${sign_in ? ', before the sign-in' : ''}`;
  if (key_variables.length === 0) return other_access === null ? `needs no key${at}` : `no sign-in: ${other_access}`;
  const other = other_access === null ? '' : `, or ${other_access}`;
  return set_up ? `no key${at}${other}` : `no key: set ${key_variables.join(' or ')}${other}`;
}

function signInWords({ id, sign_in }: Overview['providers'][number]): string {
  if (sign_in?.problem) return `sign-in has ended: run helve login ${id}`;
  return `signed in${sign_in?.account ? ` as ${visible(sign_in.account)}` : ''}`;
}

const defaultOf = ({ default_model }: Overview['providers'][number]): string => default_model ?? '';

/** The models that a sign-in gives, as they were listed. */
function signInModels({ id, title, sign_in }: Overview['providers'][number]): string[] {
  if (!sign_in?.models || sign_in.problem) return [];
  const age = shownAge(new Date(sign_in.models_listed_at ?? 0), new Date());
  return [
    `Models of your sign-in to ${title} (listed ${age}; helve models --update lists them again)`,
    ...(sign_in.models.length === 0
      ? ['  none']
      : table(sign_in.models.map((model) => [`${id}/${visible(model.name)}`, visible(model.title ?? '')]))),
    '',
  ];
}

const size = (tokens: number | null): string => (tokens === null ? '?' : grouped(tokens));

const priceOf = ({ prices }: Overview['models'][number]): string =>
  prices ? `$${prices.input} / $${prices.output}` : '?';

/** A local server that was found, and how to use it. */
export function offerOf({ provider, title, port, models }: LocalModelServer): string {
  const place = `${title} on 127.0.0.1:${port}`;
  const [first] = models;
  if (first === undefined) return `${place}, without a model`;
  return `${place} has ${visible(models.join(', '))}; to use it: helve --model ${provider}/${visible(first)} -p "…"`;
}
