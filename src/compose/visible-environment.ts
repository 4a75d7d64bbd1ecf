import { secretsOf } from '../models/catalogue/catalogue.js';
import { providers } from '../models/catalogue/catalogue-data.js';

/** The environment for tools and their processes: without the keys of model providers, unless `HELVE_PASS_ENV` names them. */
export function withoutSecrets(
  env: Environment,
  alsoHidden: readonly string[] = [],
): Record<string, string | undefined> {
  const isHidden = withheldFrom(env, alsoHidden);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isHidden(name)));
}

/** Whether a variable of this name is withheld, whether it is set or not. */
export function withheldFrom(env: Environment, alsoHidden: readonly string[] = []): (name: string) => boolean {
  const passed = (env['HELVE_PASS_ENV'] ?? '').split(',').map((name) => name.trim());
  const keys = providers.flatMap(secretsOf);
  const hidden = new Set([...keys, ...alsoHidden].filter((name) => !passed.includes(name)));
  return (name) => hidden.has(name);
}

type Environment = Readonly<Record<string, string | undefined>>;
