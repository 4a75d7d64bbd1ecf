// The names that servers and their tools have for the model: letters, digits, `_` and `-`, at most 64, each only once.
import { sha256 } from '../platform/crypto.js';

const MAX_NAME = 64; // what every provider accepts
const MAX_SERVER = 32; // leaves room for the tool's own name
const HASH_CHARS = 8;

/**
 * The part of a tool's name that stands for its server, for each server. It holds no `__` and neither begins nor ends
 * with `_`, so that a rule about one server can never speak of another.
 */
export function serverParts(names: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, plainServer(name)]));
  const counts = new Map<string, number>();
  for (const part of plain.values()) counts.set(part, (counts.get(part) ?? 0) + 1);
  return new Map(
    [...plain].map(([name, part]) => {
      const isOwn = name === part || counts.get(part) === 1; // who is really called so keeps it
      return [name, isOwn && part.length <= MAX_SERVER ? part : withHash(part, name, MAX_SERVER)];
    }),
  );
}

function plainServer(name: string): string {
  const part = name
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_|_$/g, '');
  return part === '' ? withHash('server', name, MAX_SERVER) : part;
}

/** The names of a server's tools, for each by its own name. */
export function toolNames(serverPart: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${serverPart}__`;
  const room = MAX_NAME - prefix.length;
  const plain = new Map(tools.map((tool) => [tool, tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')]));
  const counts = new Map<string, number>();
  for (const part of plain.values()) counts.set(part, (counts.get(part) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, part]) => {
      const isOwn = tool === part || counts.get(part) === 1;
      const fits = isOwn && part !== '' && part.length <= room;
      return [tool, prefix + (fits ? part : withHash(part || 'tool', tool, room))];
    }),
  );
}

function withHash(part: string, whole: string, max: number): string {
  const hash = sha256().update(whole).digest('hex').slice(0, HASH_CHARS);
  return `${part.slice(0, max - HASH_CHARS - 1).replace(/_+$/, '')}_${hash}`;
}
