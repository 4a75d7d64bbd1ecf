import { secretsOf } from '../models/catalogue/catalogue.js';
import { providers } from '../models/catalogue/catalogue-data.js';
import { once } from '../platform/lazy.js';

const providerKeys = once(() => providers.flatMap(secretsOf));

/** The environment for tools and their processes: without the keys of model providers, unless `HELVE_PASS_ENV` names them. */
export function withoutSecrets(
  env: Environment,
  alsoHidden: readonly string[] = [],
): Record<string, string | undefined> {
  const passed = passedBy(env);
  const visible = { ...env };
  for (const name of [...providerKeys(), ...alsoHidden]) if (name in visible && !passed.has(name)) delete visible[name];
  return visible;
}

/** Whether a variable of this name is withheld, whether it is set or not. */
export function withheldFrom(env: Environment, alsoHidden: readonly string[] = []): (name: string) => boolean {
  const passed = passedBy(env);
  const hidden = new Set([...providerKeys(), ...alsoHidden].filter((name) => !passed.has(name)));
  return (name) => hidden.has(name);
}

/** The variables that a person lets through. */
const passedBy = (env: Environment): ReadonlySet<string> =>
  new Set((env['HELVE_PASS_ENV'] ?? '').split(',').map((name) => name.trim()));

type Environment = Readonly<Record<string, string | undefined>>;
