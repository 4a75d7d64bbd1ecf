// What to offer if no model is set up: servers on this machine, and providers for which a key can be stored.
import type { Catalogue, Provider } from '../../models/catalogue/catalogue.js';
import { loadCatalogue } from '../../models/catalogue/load-catalogue.js';
import { findLocalServers, localPlaces } from '../../models/catalogue/local-servers.js';
import { keyVariables } from '../../models/catalogue/plan-model.js';
import { readStoredKeys } from '../../models/catalogue/stored-keys.js';
import { listSome } from '../../platform/text/counted.js';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_NAMED = 3;

export interface ModelOffer {
  /** "provider/name", the argument for `/model`. */
  model: string;
  /** The server: `Ollama on 127.0.0.1:11434`. */
  server: string;
}

/** Probes the default ports of this machine in parallel, for at most a second. Contacts nothing else. */
export async function findModelOffers(env: Environment, catalogue?: Catalogue): Promise<ModelOffer[]> {
  const known = catalogue ?? (await loadCatalogue(env));
  const servers = await findLocalServers(localPlaces(known, env));
  return servers.flatMap(({ provider, title, port, models }) =>
    models.map((name) => ({ model: `${provider}/${name}`, server: `${title} on 127.0.0.1:${port}` })),
  );
}

const CALL_TOOLS = 'Until then you can call the tools yourself: Read README.md, Grep TODO, Bash ls. help lists them.';

/** An unobtrusive hint for the first screen. `problem` says why the model that was named can't be used. */
export function setupHint(offers: readonly ModelOffer[], problem = 'No model is set up yet.'): string[] {
  const servers = Map.groupBy(offers, ({ server }) => server);
  const found = [...servers].map(([server, models]) => {
    const names = models.map(({ model }) => model);
    return `  ${server}: ${listSome(names, MAX_NAMED)}`;
  });
  const [first] = offers;
  return [
    problem,
    ...(first ? ['These run on this machine:', ...found, `  /model ${first.model} uses the first.`] : []),
    '  /login signs in with a ChatGPT plan, or an account of OpenRouter or GitHub Copilot.',
    '  /key stores an API key that only you can read.',
    ...(first ? [] : ['  Or start Ollama or LM Studio, and choose a model of theirs with /model.']),
    '  helve demo, in a shell, shows a conversation that needs no key.',
    CALL_TOOLS,
  ];
}

/** What to do if a key is set, but the named model is unknown. */
export const otherModelHint = (problem: string): string[] => [
  problem,
  '  /model chooses one of the models that you can use.',
  CALL_TOOLS,
];

export interface KeyProvider {
  id: string;
  title: string;
  /** The environment variable for the key. */
  variable: string;
  /** Where the existing key comes from, if there is one. */
  from?: 'environment' | 'stored';
}

/** The providers that need a key. */
export async function keyProviders(env: Environment, catalogue?: Catalogue): Promise<KeyProvider[]> {
  const { providers } = catalogue ?? (await loadCatalogue(env));
  const stored = readStoredKeys(env);
  return [...providers.values()].flatMap((provider) => {
    const [variable] = keyVariables(provider.keys);
    if (variable === undefined || provider.cloud === 'vertex') return []; // its tokens expire within the hour
    const from = sourceOf(provider, env, stored);
    return [{ id: provider.id, title: provider.title, variable, ...(from && { from }) }];
  });
}

function sourceOf(
  { keys }: Provider,
  env: Environment,
  stored: Readonly<Record<string, string>>,
): KeyProvider['from'] | undefined {
  if (keys.some(({ variable }) => env[variable]?.trim())) return 'environment';
  return keys.some(({ variable }) => stored[variable]) ? 'stored' : undefined;
}
