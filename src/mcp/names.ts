// The model's names for servers and their tools: letters, digits, `_` and `-`, at most 64, each unique.
import {
  holdsSeparator,
  MAX_NAME,
  MAX_SERVER,
  mcpName,
  plainServer,
  plainTool,
  shortened,
} from '../platform/text/mcp-names.js';

/**
 * The server part of tool names, for each server. It contains no `__` and neither starts nor ends with `_`, so that a
 * rule about one server can't match another.
 */
export function serverParts(names: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, plainServer(withoutStars(name))]));
  const counts = new Map<string, number>();
  for (const part of plain.values()) counts.set(part, (counts.get(part) ?? 0) + 1);
  return new Map(
    [...plain].map(([name, part]) => {
      // The server that is really called so keeps it; with `__` in its name, a rule on it reads as one on a tool.
      const isOwn = name === part || (counts.get(part) === 1 && !holdsSeparator(name));
      return [name, isOwn && part.length <= MAX_SERVER ? part : shortened(part, name, MAX_SERVER)];
    }),
  );
}

/** The model's names of a server's tools, by their original names. */
export function toolNames(serverPart: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = mcpName(serverPart, '');
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

/** A star is a wildcard in rules. */
const withoutStars = (name: string): string => name.replaceAll('*', '_');
