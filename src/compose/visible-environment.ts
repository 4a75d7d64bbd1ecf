import { providers } from '../models/catalogue/catalogue-data.js';

/** The environment for tools and their processes: without the keys of model providers, unless `HELVE_PASS_ENV` names them. */
export function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
  alsoHidden: readonly string[] = [],
): Record<string, string | undefined> {
  const passed = (env['HELVE_PASS_ENV'] ?? '').split(',').map((name) => name.trim());
  const keys = providers.flatMap((provider) => provider.keys.map(({ variable }) => variable));
  const hidden = [...keys, ...alsoHidden].filter((name) => !passed.includes(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.includes(name)));
}
