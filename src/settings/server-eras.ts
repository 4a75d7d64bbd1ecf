// Remembers which era of the protocol each MCP server speaks. Losing the file costs a question at the next start of
// each server, so an unreadable one counts as empty.
import { join } from 'node:path';
import * as z from 'zod';
import type { KnownEra, ServerEras } from '../mcp/client/eras.js';
import { parseJson } from '../platform/parse-json.js';

const MAX_SERVERS = 500; // the oldest go first
const MAX_ENTRY_CHARS = 16 * 1024;
const LEGACY_MS = 7 * 24 * 60 * 60_000; // a server that was updated still answers in its old way, so it is asked again

const entry = z.union([
  z.object({ era: z.literal('legacy'), at: z.number() }),
  z.object({
    era: z.literal('modern'),
    at: z.number(),
    versions: z.array(z.string()).readonly(),
    capabilities: z.record(z.string(), z.unknown()),
  }),
]);
const file = z.object({ servers: z.record(z.string(), z.unknown()) });

type Entry = z.output<typeof entry>;

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
    const parsed = file.safeParse(parseJson(text ?? ''));
    return new Map(
      Object.entries(parsed.data?.servers ?? {}).flatMap(([name, value]) => {
        const { data } = entry.safeParse(value);
        return data ? [[name, data] as const] : [];
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
const files = async () => await import('./private-file.js');

function withoutDate(found: Entry): KnownEra {
  if (found.era === 'legacy') return { era: 'legacy' };
  const { era, versions, capabilities } = found;
  return { era, versions, capabilities };
}
