// What the user has stored to reach providers: keys, and sign-ins, which come before a stored key of their provider.
import { storedSignIns } from '../sign-in/sign-in-file.js';
import type { Catalogue, KnownModel } from './catalogue.js';
import { readStoredKeys } from './stored-keys.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredAccess {
  /** The environment with the stored keys. Variables that are set take precedence. */
  keys: Environment;
  /** The catalogue with the providers that the user is signed in to, and their models. */
  catalogue: Catalogue;
}

/** Throws `ModelFailure` if the stored keys can't be used. */
export function withStoredAccess(env: Environment, catalogue: Catalogue): StoredAccess {
  const withSignIns = signedInCatalogue(env, catalogue);
  const skipped = [...withSignIns.providers.values()]
    .filter(({ isSignedIn }) => isSignedIn)
    .flatMap(({ keys }) => keys.map(({ variable }) => variable));
  const stored = Object.entries(readStoredKeys(env)).filter(
    ([variable]) => !env[variable]?.trim() && !skipped.includes(variable),
  );
  return {
    keys: stored.length === 0 ? env : { ...env, ...Object.fromEntries(stored) },
    catalogue: withSignIns,
  };
}

/** The catalogue with the sign-ins of the user. The same object if there are none. */
export function signedInCatalogue(env: Environment, catalogue: Catalogue): Catalogue {
  const signIns = storedSignIns(env);
  if (signIns.length === 0) return catalogue;
  const providers = new Map(catalogue.providers);
  const models = new Map<string, KnownModel>(catalogue.models);
  for (const { provider: id, signIn } of signIns) {
    const provider = providers.get(id);
    if (!provider) continue;
    const names = signIn?.models?.list.map(({ name }) => name) ?? [];
    const { defaultModel = names[0] } = provider;
    const isOffered = names.length === 0 || (defaultModel !== undefined && names.includes(defaultModel));
    const first = isOffered ? defaultModel : names[0];
    providers.set(id, { ...provider, isSignedIn: true, ...(first !== undefined && { defaultModel: first }) });
    for (const name of names) if (!models.has(`${id}/${name}`)) models.set(`${id}/${name}`, {});
  }
  return { ...catalogue, providers, models };
}
