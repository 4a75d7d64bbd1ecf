import { type Effort, efforts, type ModelFacts } from '../../contract/model.js';
import * as builtIn from './catalogue-data.js';

/** The format that a server speaks: Anthropic's Messages, OpenAI's Chat Completions or Responses, or Google's Gemini API. */
export const wires = ['anthropic', 'chat', 'responses', 'gemini'] as const;

export type Wire = (typeof wires)[number];

/** Clouds that serve models of others, with addresses and sign-ins of their own. */
export const clouds = ['azure', 'bedrock', 'vertex'] as const;

export type Cloud = (typeof clouds)[number];

/** A source of models: a vendor, a gateway, or a program on this machine. */
export interface Provider {
  readonly id: string;
  readonly title: string;
  readonly wire: Wire;
  /** The format at addresses other than `baseUrl`, if it differs there. */
  readonly wireElsewhere?: Wire;
  /** Of a cloud: its form, with the parts that depend on the user in capital letters. */
  readonly baseUrl: string;
  /** The cloud that serves the models, if requests are addressed and authorised in its way. */
  readonly cloud?: Cloud;
  /** The environment variable that overrides `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Where a key is looked for, in this order. Empty if the provider needs no key. */
  readonly keys: readonly KeySource[];
  /** Other variables with secrets: they are hidden from commands too, but do not say that the provider is meant to be used. */
  readonly secrets?: readonly string[];
  /** Other variables that say that the provider is meant to be used. */
  readonly setUpBy?: readonly string[];
  /** How to reach the provider without any of the keys, for people: it follows "set KEY, or". */
  readonly signIn?: string;
  /** It has no keys: only a sign-in with `helve login` gives access. */
  readonly needsSignIn?: boolean;
  /** The user is signed in to it, or has to sign in again. A key in the environment comes first. */
  readonly isSignedIn?: boolean;
  /** A program and its arguments, which prints a key. */
  readonly keyCommand?: readonly string[];
  readonly defaultModel?: string;
  /** Short names, shared by all providers that have such a model. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Defined in the user's models.json; counts as set up even without a key. */
  readonly isOwn?: boolean;
}

export interface KeySource {
  readonly variable: string;
  /** The address where this key is valid, if not the provider's own. */
  readonly baseUrl?: string;
}

/**
 * `recover`: calls are read from text where there are no others. `prompt`: the tools are described in the prompt, too.
 * `off`: text is text, unless the server refuses tools.
 */
export const textCallModes = ['recover', 'prompt', 'off'] as const;

export interface KnownModel extends ModelFacts {
  /** The most tokens that one response can have. */
  readonly outputTokens?: number;
  /** How calls that the model writes as text are read. Default: `off`. */
  readonly textCalls?: (typeof textCallModes)[number];
  /** The effort levels that the model accepts; others it refuses. Empty if the model can't think. */
  readonly efforts?: readonly Effort[];
}

/** The known providers and models. */
export interface Catalogue {
  /** In the order in which they are tried when no model was named. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** By "provider/name". */
  readonly models: ReadonlyMap<string, KnownModel>;
  /** The user's own short names. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly default?: string;
  /** For background requests such as titles and summaries. */
  readonly small?: string;
}

/** The catalogue that ships with Helve. */
export function builtInCatalogue(): Catalogue {
  return {
    providers: new Map(builtIn.providers.map((provider) => [provider.id, provider])),
    models: new Map(Object.entries(builtIn.models)),
    aliases: new Map(),
  };
}

// Families that were trained to edit files with patches, on any provider: gpt-5, gpt-6.1-sol, o3, codex-…
const PATCH_FAMILY = /^(gpt-([5-9]|\d\d)|o\d|codex)([-.:@]|$)/;

/** The facts about a model: from its entry, from the entry without a date suffix, or from its family. */
export function knownModel(catalogue: Catalogue, provider: string, name: string): KnownModel {
  const undated = name.replace(/-(\d{8}|\d{4}-\d\d-\d\d)$/, '');
  const entry = catalogue.models.get(`${provider}/${name}`) ?? catalogue.models.get(`${provider}/${undated}`);
  const family = name.slice(name.lastIndexOf('/') + 1);
  const vendors = vendorsModel(catalogue, catalogue.providers.get(provider)?.cloud, name);
  const writesCalls = builtIn.localServers.includes(provider) && isOpenModel(family);
  return {
    ...(PATCH_FAMILY.test(family) && { editStyle: 'patch' }),
    ...(writesCalls && { textCalls: 'recover' }),
    ...vendors,
    ...entry,
  };
}

/** A cloud's model as its vendor knows it. Prices are kept only where the cloud's are known to be the same. */
function vendorsModel(catalogue: Catalogue, cloud: Cloud | undefined, name: string): KnownModel | undefined {
  if (cloud === undefined) return undefined;
  if (cloud === 'azure') return withoutPrices(knownModel(catalogue, 'openai', name));
  if (cloud === 'vertex' && name.startsWith('gemini')) return withoutPrices(knownModel(catalogue, 'google', name));
  // "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5@20250929"
  const start = name.lastIndexOf('claude-');
  if (start < 0) return undefined;
  const [dated = ''] = name.slice(start).split('@');
  const claude = dated.replace(/-v\d+(:\d+)?$/, '');
  const known = knownModel(catalogue, 'anthropic', claude);
  return cloud === 'bedrock' && name.startsWith('global.') ? known : withoutPrices(known);
}

export function withoutPrices({ prices: _, ...rest }: KnownModel): KnownModel {
  return rest;
}

/** Whether the name is that of an open model, which servers on this machine can have. */
export const isOpenModel = (name: string): boolean =>
  builtIn.textCallFamilies.some((family) => name.toLowerCase().startsWith(family));

/** The nearest accepted level, preferring a lower one; undefined if the model can't think. */
export function nearestEffort(wanted: Effort, accepted: readonly Effort[] = efforts): Effort | undefined {
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  return accepted.toSorted((a, b) => distance(a) - distance(b) || efforts.indexOf(a) - efforts.indexOf(b))[0];
}

/** The address and key for models of this provider, taken from the environment. */
export interface Access {
  baseUrl: string;
  /** Whether the address differs from the catalogue's, so that any server may be behind it. */
  isElsewhere: boolean;
  wire: Wire;
  /** The variable that the key came from, if one is set. */
  keyVariable?: string;
  /** Whether requests are authorised by the user's sign-in, and go where that is valid. */
  bySignIn?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function accessTo(provider: Provider, env: Environment): Access {
  const key = provider.keys.find(({ variable }) => env[variable]?.trim());
  const own = key?.baseUrl ?? provider.baseUrl;
  const baseUrl = (provider.baseUrlVariable && env[provider.baseUrlVariable]?.trim()) || own;
  const isElsewhere = hostOf(baseUrl) !== hostOf(own);
  return {
    baseUrl,
    isElsewhere,
    wire: (isElsewhere && provider.wireElsewhere) || provider.wire,
    ...(key && { keyVariable: key.variable }),
    ...(provider.isSignedIn && !key && !isElsewhere && { bySignIn: true }),
  };
}

/** Whether the user has set a key or an address for this provider, so that it is meant to be used. */
export function isSetUp(provider: Provider, env: Environment): boolean {
  if (provider.isOwn && provider.keys.length === 0) return true;
  if (provider.isOwn && provider.keyCommand) return true;
  if (provider.isSignedIn) return true;
  const { keys, baseUrlVariable, setUpBy = [] } = provider;
  const variables = [...keys.map(({ variable }) => variable), baseUrlVariable, ...setUpBy];
  return variables.some((variable) => variable !== undefined && env[variable]?.trim());
}

/** The host that requests go to, if it is not the one in the catalogue. */
export function unusualHost({ id }: Provider, { baseUrl }: Access): string | undefined {
  const usual = builtIn.providers.find((provider) => provider.id === id);
  const isUsual = usual && URL.parse(usual.baseUrl)?.origin === URL.parse(baseUrl)?.origin;
  return isUsual ? undefined : hostOf(baseUrl) || undefined;
}

/** The variables that hold keys. */
export const secretVariables = ({ providers }: Catalogue): string[] => [...providers.values()].flatMap(secretsOf);

export const secretsOf = ({ keys, secrets = [] }: Provider): string[] => [
  ...keys.map(({ variable }) => variable),
  ...secrets,
];

/** The address without the parts that often hold secrets: user, password and query. */
export function publicAddress(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.host ? `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}` : undefined;
}

export function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

/** Undefined for an invalid address; the code that connects to it reports the error. */
export const hostOf = (address: string): string | undefined => URL.parse(address)?.host;
