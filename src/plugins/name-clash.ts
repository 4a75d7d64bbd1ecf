// Two plugins must not share a name: a rule for the tools of one would apply to those of the other.
import type { LoadedPlugin } from './loaded-plugin.js';
import { isSameName } from './plugin-problem.js';

type Named = Pick<LoadedPlugin, 'id' | 'name' | 'servers'>;

/** Why two plugins can't be used together; undefined if they can. A clause about the first. */
export function nameClash(one: Named, other: Named): string | undefined {
  if (isSameName(one.name, other.name)) {
    return `there is already a plugin named ${other.name} (${other.id}), and the names of its commands would clash`;
  }
  // The plugin "a_b" with the server "s", and "a" with "b_s", have the same full name.
  const taken = Object.keys(other.servers);
  const clash = Object.keys(one.servers).find((name) => taken.some((known) => isSameName(known, name)));
  return clash === undefined ? undefined : `its MCP server ${clash} has the same name as one of the plugin ${other.id}`;
}
