// Remembers which era of the protocol each MCP server speaks. Losing the file costs a question at the next start of
// each server, so an unreadable one counts as empty.
import { join } from 'node:path';
import type { KnownEra, ServerEras } from '../mcp/client/eras.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';

const MAX_SERVERS = 500; // the oldest go first
const MAX_ENTRY_CHARS = 16 * 1024;
const LEGACY_MS = 7 * 24 * 60 * 60_000; // a server that was updated still answers in its old way, so it is asked again

type Entry = KnownEra & { at: number };

export function serverEras(dataFolder: string, now: () => number = Date.now): ServerEras {
  const path = join(dataFolder, 'mcp-eras.json');
  const read = async (): Promise<Map<string, Entry>> => {
    const { readPrivateFile } = await files();
    let text: string | undefined;
    try {
      text = readPrivateFile(path);
    } catch {
      return new Map();
    }
    const parsed = parseJson(text ?? '');
    const servers = isObject(parsed) && isObject(parsed['servers']) ? parsed['servers'] : {};
    return new Map(
      Object.entries(servers).flatMap(([name, value]) => {
        const known = entryOf(value);
        return known ? [[name, known] as const] : [];
      }),
    );
  };
  const isCurrent = ({ era, at }: Entry): boolean => at <= now() && (era === 'modern' || now() - at < LEGACY_MS); // a date in the future comes from a wrong clock
  const change = async (work: (servers: Map<string, Entry>) => void): Promise<void> => {
    const { withLock, writePrivateFile } = await files();
    await withLock(`${path}.lock`, async () => {
      const servers = await read();
      work(servers);
      const kept = Object.fromEntries([...servers].slice(-MAX_SERVERS));
      await writePrivateFile(path, `${JSON.stringify({ version: 1, servers: kept })}\n`);
    });
  };
  return {
    async get(server) {
      const found = (await read()).get(server);
      return found && isCurrent(found) ? withoutDate(found) : undefined;
    },
    async set(server, era) {
      const text = JSON.stringify(era);
      if (text.length > MAX_ENTRY_CHARS) return;
      const known = (await read()).get(server);
      if (known && isCurrent(known) && JSON.stringify(withoutDate(known)) === text) return;
      await change((servers) => {
        servers.delete(server); // it moves to the end
        servers.set(server, { ...era, at: now() });
      });
    },
    async forget(server) {
      if ((await read()).has(server)) await change((servers) => servers.delete(server));
    },
  };
}

/** Loaded with the first connection: most sessions have none. */
const files = async () => await import('../platform/files/private-file.js');

function entryOf(value: unknown): Entry | undefined {
  const { era, at, versions, capabilities } = isObject(value) ? value : {};
  if (typeof at !== 'number') return undefined;
  if (era === 'legacy') return { era, at };
  if (era !== 'modern' || !Array.isArray(versions) || !isObject(capabilities)) return undefined;
  return { era, at, versions: versions.filter((version) => typeof version === 'string'), capabilities };
}

function withoutDate(found: Entry): KnownEra {
  if (found.era === 'legacy') return { era: 'legacy' };
  const { era, versions, capabilities } = found;
  return { era, versions, capabilities };
}
