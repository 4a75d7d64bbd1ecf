import type { IncomingMessage } from 'node:http';
import { accessTo, type Catalogue } from './catalogue.js';

const TIMEOUT_MS = 1000; // closed ports refuse at once, so only a server that hangs costs this; one that is busy needs some of it
const MAX_BYTES = 1024 * 1024;

/** Where on this machine a provider's server would be. */
export interface LocalPlace {
  provider: string;
  title: string;
  port: number;
}

export interface LocalServer extends LocalPlace {
  /** Names of models, as the server knows them. */
  models: string[];
}

/** The usual ports, and those that the person has set for servers that need no key. Other machines are left out. */
export function localPlaces({ providers }: Catalogue, env: Readonly<Record<string, string | undefined>>): LocalPlace[] {
  return [...providers.values()].flatMap((provider) => {
    const url = provider.keys.length === 0 ? URL.parse(accessTo(provider, env).baseUrl) : undefined;
    if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname)) return [];
    return [{ provider: provider.id, title: provider.title, port: Number(url.port || 80) }];
  });
}

/** Asks all places at once which models they have. Who does not answer in time, or not as a model server would, is left out. */
export async function findLocalServers(
  places: readonly LocalPlace[],
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<LocalServer[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const found = await Promise.all(
    places.map(async (place) => {
      const models = await modelsAt(place.port, signal);
      return models ? { ...place, models } : undefined;
    }),
  );
  return found.filter((server) => server !== undefined);
}

async function modelsAt(port: number, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const models = namesIn(await getJson(port, '/v1/models', signal), 'data', 'id');
    return models ?? namesIn(await getJson(port, '/api/tags', signal), 'models', 'name'); // Ollama's own list
  } catch {
    return undefined; // nobody there, no answer in time, or not a word of HTTP
  }
}

/** Nothing for an answer that is not such a list. */
function namesIn(answer: unknown, list: string, name: string): string[] | undefined {
  const entries = fieldOf(answer, list);
  if (!Array.isArray(entries)) return undefined;
  return entries.map((entry) => fieldOf(entry, name)).filter((value) => typeof value === 'string');
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;

/** Nothing for anything but a good answer in JSON. */
async function getJson(port: number, path: string, signal: AbortSignal): Promise<unknown> {
  const http = process.getBuiltinModule('node:http'); // not by `import`, which would load all of fetch
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path, signal, agent: false }, resolve).on('error', reject);
  });
  if (answer.statusCode !== 200) {
    answer.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) return undefined; // leaving the loop gives the connection up
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
