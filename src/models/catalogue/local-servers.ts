import type { IncomingMessage } from 'node:http';
import { accessTo, type Catalogue } from './catalogue.js';

const TIMEOUT_MS = 1000; // closed ports refuse at once, so only a hanging server costs this; a busy server needs part of it
const MAX_BYTES = 1024 * 1024;

/** Where a provider's server would listen on this machine. */
export interface LocalPlace {
  provider: string;
  title: string;
  port: number;
}

export interface LocalModelServer extends LocalPlace {
  /** The models' names, as the server lists them. */
  models: string[];
}

/**
 * The default ports, and loopback addresses that the user has set for servers without keys. Other machines are skipped.
 */
export function localPlaces({ providers }: Catalogue, env: Readonly<Record<string, string | undefined>>): LocalPlace[] {
  return [...providers.values()].flatMap((provider) => {
    const url = provider.keys.length === 0 ? URL.parse(accessTo(provider, env).baseUrl) : undefined;
    if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname)) return [];
    return [{ provider: provider.id, title: provider.title, port: Number(url.port || 80) }];
  });
}

/**
 * Asks all addresses in parallel for their models. Servers that don't answer in time, or not as a model server, are
 * skipped.
 */
export async function findLocalServers(
  places: readonly LocalPlace[],
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<LocalModelServer[]> {
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
    return undefined; // no server, no answer in time, or not HTTP
  }
}

/** Undefined if the response is not such a list. */
function namesIn(answer: unknown, list: string, name: string): string[] | undefined {
  const entries = fieldOf(answer, list);
  if (!Array.isArray(entries)) return undefined;
  return entries.map((entry) => fieldOf(entry, name)).filter((value) => typeof value === 'string');
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;

/** Undefined unless the response is successful and JSON. */
export async function getJson(port: number, path: string, signal: AbortSignal): Promise<unknown> {
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
    if (size > MAX_BYTES) return undefined; // leaving the loop closes the connection
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
