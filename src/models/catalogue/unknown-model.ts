import type { Catalogue } from './catalogue.js';
import { findLocalServers, localPlaces } from './local-servers.js';
import { nearestModel } from './misspelt-model.js';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_NAMED = 3;

/** What to say about a model that its server does not know: the nearest name, or what a server of this machine has. */
export async function describeUnknownModel(
  { provider, name }: { provider: string; name: string },
  env: Environment,
  catalogue: Catalogue,
): Promise<string | undefined> {
  const known = nearestModel(provider, name, catalogue);
  if (known !== undefined) return `Did you mean "${known}"?`;
  const [server] = await findLocalServers(localPlaces(catalogue, env).filter((place) => place.provider === provider));
  if (server === undefined) return undefined;
  const { title, models } = server;
  if (models.length === 0) return `${title} has no model yet.`;
  const near = models.find((one) => one.startsWith(`${name}:`));
  if (near !== undefined) return `Did you mean "${provider}/${near}"?`;
  const more = models.length > MAX_NAMED ? ` and ${models.length - MAX_NAMED} more` : '';
  return `${title} has ${models.slice(0, MAX_NAMED).join(', ')}${more}.`;
}

/** The "provider/name" of a bare name that a server of this machine has. */
export async function modelOnThisMachine(
  name: string,
  env: Environment,
  catalogue: Catalogue,
): Promise<string | undefined> {
  const servers = await findLocalServers(localPlaces(catalogue, env));
  for (const { provider, models } of servers) {
    const found = models.find((one) => one === name) ?? models.find((one) => one.startsWith(`${name}:`));
    if (found !== undefined) return `${provider}/${found}`;
  }
  return undefined;
}
