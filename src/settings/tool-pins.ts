// Records which tools of MCP servers were allowed to run, with their description and schema then. The file is private to
// the user.

import { join } from 'node:path';
import type { PinnedTool, ToolPins } from '../mcp/client/pins.js';
import { errorClause } from '../platform/text/clause.js';

const MAX_SERVERS = 500; // the oldest go first: a server that has not been used for so long is a new one

export function toolPins(dataFolder: string): ToolPins {
  const path = join(dataFolder, 'mcp-tools.json');
  const unusable = (error: unknown): Error => {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : error instanceof Error ? error.message : error;
    return new Error(`${path} can't be relied on: ${errorClause(why)}. Correct or delete it`, { cause: error });
  };
  const read = async (): Promise<Servers> => {
    try {
      return parsed((await files()).readPrivateFile(path));
    } catch (error) {
      throw unusable(error);
    }
  };
  return {
    async get(server, tool) {
      return (await read()).get(server)?.get(tool);
    },
    async set(server, tool, pinned) {
      if ((await read()).get(server)?.get(tool)?.hash === pinned.hash) return;
      const { withLock, writePrivateFile } = await files();
      await withLock(`${path}.lock`, async () => {
        const servers = await read();
        const tools = servers.get(server) ?? new Map<string, PinnedTool>();
        tools.set(tool, pinned);
        servers.delete(server); // it moves to the end
        servers.set(server, tools);
        const kept = [...servers].slice(-MAX_SERVERS).map(([name, inner]) => [name, Object.fromEntries(inner)]);
        await writePrivateFile(path, `${JSON.stringify({ version: 1, servers: Object.fromEntries(kept) })}\n`);
      });
    },
  };
}

/** Loaded with the first call of a server's tool: most sessions have none. */
const files = async () => await import('../platform/files/private-file.js');

type Servers = Map<string, Map<string, PinnedTool>>;

function parsed(text: string | undefined): Servers {
  if (text === undefined) return new Map();
  const { servers }: { servers?: unknown } = JSON.parse(text);
  if (typeof servers !== 'object' || servers === null) throw new Error('it has no list of servers');
  return new Map(
    Object.entries(servers).map(([name, tools]) => [
      name,
      new Map(Object.entries(tools ?? {}).flatMap(([tool, pin]) => (isPin(pin) ? [[tool, pin] as const] : []))),
    ]),
  );
}

const isPin = (value: unknown): value is PinnedTool =>
  typeof value === 'object' && value !== null && 'hash' in value && typeof value.hash === 'string';
