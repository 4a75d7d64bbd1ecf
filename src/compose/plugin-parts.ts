// What plugins add to a session.
import type { PluginAgents } from '../agent/children/agent-files.js';
import type { PluginCommands } from '../agent/commands/plugin-commands.js';
import type { ConfiguredHook } from '../hooks/schema.js';
import type { ConfiguredServer } from '../mcp/client/config.js';
import type { LoadedPlugin } from '../plugins/loaded-plugin.js';
import { isOn, type Settings } from '../settings/settings.js';

export const pluginCommands = (plugins: readonly LoadedPlugin[]): PluginCommands[] =>
  plugins.map(({ name, root, commands, variables }) => ({ plugin: name, root, commands, variables: variables.texts }));

export const pluginAgents = (plugins: readonly LoadedPlugin[]): PluginAgents[] =>
  plugins.map(({ name, agents, variables }) => ({ plugin: name, files: agents, variables: variables.texts }));

/** Hides the secret values of plugins in messages, which may quote the address or the command of a server. */
export function withoutPluginSecrets(plugins: readonly LoadedPlugin[] = []): (text: string) => string {
  const secrets = plugins.flatMap(({ variables }) => variables.secrets);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '(hidden)'), text);
}

export const pluginServers = (plugins: readonly LoadedPlugin[]): ConfiguredServer[] =>
  plugins.flatMap(({ servers }) =>
    Object.entries(servers).map(([name, entry]) => ({ name, entry, source: 'user' as const })),
  );

/**
 * The hooks of settings and of plugins. The list stays the same as long as the settings do. Hooks of plugins are the
 * person's: what switches those off switches these off.
 */
export function withPluginHooks(
  plugins: readonly LoadedPlugin[],
): (settings: Settings | undefined) => readonly ConfiguredHook[] {
  const own = plugins.flatMap(({ hooks }) => hooks);
  let last: { of: Settings | undefined; hooks: readonly ConfiguredHook[] } | undefined;
  return (settings) => {
    if (own.length === 0) return settings?.hooks ?? none;
    if (last?.of === settings) return last?.hooks ?? none;
    const hooks = [...(settings?.hooks ?? none), ...(areOff(settings) ? none : own)];
    last = { of: settings, hooks };
    return hooks;
  };
}

const none: readonly ConfiguredHook[] = [];

function areOff(settings: Settings | undefined): boolean {
  if (isOn('allowManagedHooksOnly', settings)) return true;
  const isProject = (kind: string): boolean => kind === 'project' || kind === 'local';
  const byPerson = settings?.entries.find(({ key, origin }) => key === 'disableAllHooks' && !isProject(origin.kind));
  return byPerson?.value === true;
}
