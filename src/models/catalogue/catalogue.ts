import { type Effort, efforts, type ModelFacts } from '../../contract/model.js';
import * as builtIn from './catalogue-data.js';

/** The format that a server speaks: Anthropic's Messages, OpenAI's Chat Completions, or OpenAI's Responses. */
export const wires = ['anthropic', 'chat', 'responses'] as const;

export type Wire = (typeof wires)[number];

/** Whoever serves models: a vendor, a gateway, or a program on this machine. */
export interface Provider {
  readonly id: string;
  readonly title: string;
  readonly wire: Wire;
  /** The format at any other address than `baseUrl`, where that differs. */
  readonly wireElsewhere?: Wire;
  readonly baseUrl: string;
  /** The variable that holds another address. */
  readonly baseUrlVariable?: string;
  /** Where a key is looked for, in this order. None: it needs none. */
  readonly keys: readonly KeySource[];
  readonly defaultModel?: string;
  /** Short names that mean something with every provider that has such a model. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added by the person's own file, which makes it count as set up even where it needs no key. */
  readonly isOwn?: boolean;
}

export interface KeySource {
  readonly variable: string;
  /** The address where this key is good, if not the provider's own. */
  readonly baseUrl?: string;
}

export interface KnownModel extends ModelFacts {
  /** The most tokens that one answer can have. */
  readonly outputTokens?: number;
  /** The levels of thinking that it accepts, where it refuses others. None: it can't think. */
  readonly efforts?: readonly Effort[];
}

/** What is known of providers and models. */
export interface Catalogue {
  /** In the order in which one is looked for when nobody has named a model. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** By "provider/name". */
  readonly models: ReadonlyMap<string, KnownModel>;
  /** The person's own short names. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly default?: string;
  /** For side jobs such as titles and summaries. */
  readonly small?: string;
}

/** What comes with Helve. */
export function builtInCatalogue(): Catalogue {
  return {
    providers: new Map(builtIn.providers.map((provider) => [provider.id, provider])),
    models: new Map(Object.entries(builtIn.models)),
    aliases: new Map(),
  };
}

// Families that were trained to change files by patches, wherever they are served: gpt-5, gpt-6.1-sol, o3, codex-…
const PATCH_FAMILY = /^(gpt-([5-9]|\d\d)|o\d|codex)([-.:@]|$)/;

/** What is known of a model: from its entry, a dated name from the entry without the date, and from its family. */
export function knownModel(catalogue: Catalogue, provider: string, name: string): KnownModel {
  const undated = name.replace(/-(\d{8}|\d{4}-\d\d-\d\d)$/, '');
  const entry = catalogue.models.get(`${provider}/${name}`) ?? catalogue.models.get(`${provider}/${undated}`);
  const family = name.slice(name.lastIndexOf('/') + 1);
  return { ...(PATCH_FAMILY.test(family) && { editStyle: 'patch' }), ...entry };
}

/** The level that comes nearest to the one wanted, rather the lower one; nothing where the model can't think. */
export function nearestEffort(wanted: Effort, accepted: readonly Effort[] = efforts): Effort | undefined {
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  return accepted.toSorted((a, b) => distance(a) - distance(b) || efforts.indexOf(a) - efforts.indexOf(b))[0];
}

/** Where a model of this provider is reached, and with which key, as the environment has it. */
export interface Access {
  baseUrl: string;
  /** Whether the address is another than the one in the catalogue, and so may be anybody's. */
  isElsewhere: boolean;
  wire: Wire;
  /** The variable that the key comes from, where one is set. */
  keyVariable?: string;
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
  };
}

/** Whether somebody has set something for this provider, so that it is meant to be used. */
export function isSetUp(provider: Provider, env: Environment): boolean {
  if (provider.isOwn && provider.keys.length === 0) return true;
  const variables = [...provider.keys.map(({ variable }) => variable), provider.baseUrlVariable];
  return variables.some((variable) => variable !== undefined && env[variable]?.trim());
}

/** The host that requests go to, where it is another than the one that Helve comes with for this provider. */
export function unusualHost({ id }: Provider, { baseUrl }: Access): string | undefined {
  const usual = builtIn.providers.find((provider) => provider.id === id);
  const isUsual = usual && URL.parse(usual.baseUrl)?.origin === URL.parse(baseUrl)?.origin;
  return isUsual ? undefined : hostOf(baseUrl) || undefined;
}

/** The variables that hold keys. */
export const secretVariables = ({ providers }: Catalogue): string[] =>
  [...providers.values()].flatMap(({ keys }) => keys.map(({ variable }) => variable));

/** An address without what is often secret in it: user, password and query. */
export function publicAddress(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.host ? `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}` : undefined;
}

export function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

/** Nothing for what is not an address: whoever uses it will say so. */
export const hostOf = (address: string): string | undefined => URL.parse(address)?.host;
