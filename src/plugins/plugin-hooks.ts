// The hooks and MCP servers of a plugin.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfiguredHook, readHooks } from '../hooks/schema.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { visible } from '../platform/text/visible.js';
import type { PluginFacts } from './loaded-plugin.js';
import { exists, readObject } from './manifest.js';
import { listed } from './plugin-files.js';
import { pathInPlugin } from './plugin-paths.js';
import { isSameName } from './plugin-problem.js';
import { fillVariables } from './plugin-variables.js';

/** Events of Gemini's hooks that mean the same here. For the others, a hook would get other names of tools and fields. */
const sharedWithGemini: ReadonlySet<string> = new Set(['SessionStart', 'SessionEnd', 'Notification']);

export function hooksOf(facts: PluginFacts): ConfiguredHook[] {
  const { manifest, root } = facts;
  const inline = isObject(manifest.fields['hooks']) ? [{ part: 'hooks', value: manifest.fields['hooks'] }] : [];
  const paths = new Set<string>(
    !manifest.isListed && exists(join(root, 'hooks/hooks.json')) ? ['hooks/hooks.json'] : [],
  );
  for (const written of listed(manifest.fields['hooks'])) {
    if (isObject(written)) inline.push({ part: 'hooks', value: written });
    else {
      const place = pathInPlugin(root, written);
      if ('problem' in place) facts.unused('hooks', place.problem);
      else paths.add(place.below);
    }
  }
  const fromFiles = [...paths].flatMap((part) => {
    const value = objectIn(facts, part);
    return value ? [{ part, value }] : [];
  });
  return [...fromFiles, ...inline].flatMap(({ part, value }) => readPart(facts, part, value));
}

function readPart(facts: PluginFacts, part: string, value: Readonly<Record<string, unknown>>): ConfiguredHook[] {
  const { manifest, variables, unused } = facts;
  const events = isObject(value['hooks']) ? value['hooks'] : value;
  const usable = Object.fromEntries(
    Object.entries(events).filter(([event]) => {
      const isUsable = manifest.format !== 'gemini' || sharedWithGemini.has(event);
      if (!isUsable) {
        unused(
          `${part}: ${event}`,
          "Gemini's hooks for this event get other names of tools and fields than Helve sends",
        );
      }
      return isUsable && event !== 'description';
    }),
  );
  const { configured, problems } = readHooks(usable, { source: `the plugin ${facts.id}`, trusted: true });
  for (const { path, message } of problems) unused(`${part}: ${path}`, visible(message).replace(/\.$/, ''));
  // Bash expands variables of the environment itself; a program without a shell gets them filled in.
  return configured.map((one) => ({ ...one, hook: withVariables(one.hook, variables.entries), env: variables.env }));
}

function withVariables(
  hook: ConfiguredHook['hook'],
  variables: Readonly<Record<string, string>>,
): ConfiguredHook['hook'] {
  if (hook.type === 'command' && hook.args === undefined) return { ...hook, command: forBash(hook.command) };
  return fillVariables(hook, variables) as ConfiguredHook['hook']; // the same object with other texts
}

/** `${user_config.key}` is no name for bash: its variable stands for it, so that no value becomes part of the command. */
const forBash = (command: string): string =>
  command
    .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, key: string) => variable(`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`))
    .replaceAll(variable('extensionPath'), variable('CLAUDE_PLUGIN_ROOT'))
    .replaceAll(variable('workspacePath'), variable('CLAUDE_PROJECT_DIR'))
    .replaceAll(variable('/'), '/');

const variable = (name: string): string => `\${${name}}`;

export function serversOf(facts: PluginFacts): Record<string, Readonly<Record<string, unknown>>> {
  const { manifest, root } = facts;
  const sources: Array<{ part: string; value: Readonly<Record<string, unknown>> }> = [];
  const addFile = (part: string): void => {
    const value = objectIn(facts, part);
    if (value) sources.push({ part, value });
  };
  if (!manifest.isListed && exists(join(root, '.mcp.json'))) addFile('.mcp.json');
  const written = manifest.fields['mcpServers'];
  for (const one of isObject(written) ? [written] : listed(written)) {
    if (isObject(one)) sources.push({ part: 'mcpServers', value: one });
    else if (typeof one === 'string' && /\.(?:mcpb|dxt)$/i.test(one)) {
      facts.unused(one.slice(0, 100), 'it is a bundle, which Helve does not unpack');
    } else {
      const place = pathInPlugin(root, one);
      if ('problem' in place) facts.unused('mcpServers', place.problem);
      else if (place.below !== '.mcp.json') addFile(place.below);
    }
  }
  const servers: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const { part, value } of sources) {
    for (const [name, entry] of Object.entries(isObject(value['mcpServers']) ? value['mcpServers'] : value)) {
      const read = readServer(facts, name, entry);
      const shown = `${part}: ${visible(name).slice(0, 64)}`;
      if (typeof read === 'string') facts.unused(shown, read);
      else if (Object.keys(servers).some((other) => isSameName(other, read.name)))
        facts.unused(shown, `another server of the plugin has the name ${read.name}`);
      else servers[read.name] = read.entry;
    }
  }
  return servers;
}

function readServer(
  { manifest, variables, root }: PluginFacts,
  name: string,
  entry: unknown,
): { name: string; entry: Readonly<Record<string, unknown>> } | string {
  if (!isObject(entry)) return 'its entry is not an object';
  const full = `plugin_${plain(manifest.name)}_${plain(name)}`;
  if (plain(name) === '' || full.length > 64)
    return 'its name, with that of the plugin, has more than 64 characters or none';
  const { trust: _, includeTools: __, excludeTools: ___, httpUrl, ...fields } = entry;
  const named = typeof httpUrl === 'string' ? { ...fields, type: 'http', url: httpUrl } : fields;
  // A relative command would be looked up in the project, which must not choose what a plugin runs.
  const command = named['command'];
  const isRelative = typeof command === 'string' && /^\.{1,2}\//.test(command);
  const filled = fillVariables(isRelative ? { ...named, command: join(root, command) } : named, variables.entries);
  const { env, ...rest } = filled as Record<string, unknown>; // the same object with other texts
  const isProcess = typeof rest['command'] === 'string';
  return {
    name: full,
    entry: isProcess ? { ...rest, env: { ...variables.env, ...(isObject(env) ? env : {}) } } : rest,
  };
}

/** Names of tools separate their parts by two underscores. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9-]+/g, '_').replaceAll(/^_+|_+$/g, '');

function objectIn(facts: PluginFacts, part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    if (!statSync(join(facts.root, part)).isFile()) throw new Error('it is not a file');
    return readObject(facts.root, part);
  } catch (error) {
    facts.unused(part, visible(messageOf(error)).replace(/\.$/, ''));
    return undefined;
  }
}
