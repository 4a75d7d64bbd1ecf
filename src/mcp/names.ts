// The names that servers and their tools have for the model: letters, digits, `_` and `-`, at most 64, each only once.
import { MAX_NAME, MAX_SERVER, plainServer, plainTool, shortened } from '../platform/text/mcp-names.js';

/**
 * The part of a tool's name that stands for its server, for each server. It holds no `__` and neither begins nor ends
 * with `_`, so that a rule about one server can never speak of another.
 */
export function serverParts(names: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, plainServer(withoutStars(name))]));
  const counts = new Map<string, number>();
  for (const part of plain.values()) counts.set(part, (counts.get(part) ?? 0) + 1);
  return new Map(
    [...plain].map(([name, part]) => {
      const isOwn = name === part || counts.get(part) === 1; // who is really called so keeps it
      return [name, isOwn && part.length <= MAX_SERVER ? part : shortened(part, name, MAX_SERVER)];
    }),
  );
}

/** The names of a server's tools, for each by its own name. */
export function toolNames(serverPart: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${serverPart}__`;
  const room = MAX_NAME - prefix.length;
  const plain = new Map(tools.map((tool) => [tool, plainTool(withoutStars(tool))]));
  const counts = new Map<string, number>();
  for (const part of plain.values()) counts.set(part, (counts.get(part) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, part]) => {
      const isOwn = tool === part || counts.get(part) === 1;
      const fits = isOwn && part !== '' && part.length <= room;
      return [tool, prefix + (fits ? part : shortened(part || 'tool', tool, room))];
    }),
  );
}

/** A star means something in rules alone. */
const withoutStars = (name: string): string => name.replaceAll('*', '_');
