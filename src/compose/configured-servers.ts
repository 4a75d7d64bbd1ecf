import type { ConfiguredServer } from '../mcp/client/config.js';
import { isOn, type Settings } from '../settings/settings.js';
import type { FullEngineOptions } from './options.js';
import { pluginServers } from './plugin-parts.js';

/** The servers to connect to, and those that managed settings exclude. */
export function configuredServers(
  { mcpServers = {}, strictMcp = false, plugins = [], onlyServers }: FullEngineOptions,
  settings: Settings | undefined,
): { servers: ConfiguredServer[]; refused: ConfiguredServer[] } {
  const given = Object.entries(mcpServers).map(([name, entry]) => ({ name, entry, source: 'flag' as const }));
  const managedOnly = isOn('allowManagedMcpServersOnly', settings);
  const written = [...(settings?.mcpServers ?? [])].map(([name, { value, origin }]) => ({
    name,
    entry: value,
    source: origin.kind,
  }));
  const ofPlugins = pluginServers(plugins);
  const managed = written.filter(({ source }) => source === 'managed');
  const all = new Map<string, ConfiguredServer>();
  if (!strictMcp && !managedOnly) for (const server of ofPlugins) all.set(server.name, server);
  for (const server of strictMcp ? managed : written) all.set(server.name, server);
  const taken = new Set(managed.map(({ name }) => name));
  for (const server of managedOnly ? [] : given) if (!taken.has(server.name)) all.set(server.name, server);
  const servers = [...all.values()].filter(({ name }) => onlyServers === undefined || onlyServers.includes(name));
  return { servers, refused: managedOnly ? [...given, ...ofPlugins] : [] };
}
