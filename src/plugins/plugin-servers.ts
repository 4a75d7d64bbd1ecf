// The MCP servers of a plugin. What they run comes from the plugin's copy: the project must not choose it.
import { statSync } from 'node:fs';
import { isAbsolute, join, posix, relative } from 'node:path';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import type { PluginFacts } from './loaded-plugin.js';
import { exists, readObject } from './manifest.js';
import { listed } from './plugin-files.js';
import { pathInPlugin } from './plugin-paths.js';
import { isSameName } from './plugin-problem.js';
import { fillVariables } from './plugin-variables.js';
import { inOwnFiles, pathsInCommand } from './relative-words.js';

type Entry = Readonly<Record<string, unknown>>;

export function serversOf(facts: PluginFacts): Record<string, Entry> {
  const { manifest, root } = facts;
  const sources: Array<{ part: string; value: Entry }> = [];
  const addFile = (part: string): void => {
    const value = objectIn(facts, part);
    if (value) sources.push({ part, value });
  };
  if (!manifest.isListed && exists(join(root, '.mcp.json'))) addFile('.mcp.json');
  const written = manifest.fields['mcpServers'];
  for (const one of isObject(written) ? [written] : listed(written)) {
    if (isObject(one)) sources.push({ part: 'mcpServers', value: one });
    else if (typeof one === 'string' && /\.(?:mcpb|dxt)$/i.test(one)) {
      facts.unused(one, 'it is a bundle, which Helve does not unpack');
    } else {
      const place = pathInPlugin(root, one);
      if ('problem' in place) facts.unused('mcpServers', place.problem);
      else if (place.below !== '.mcp.json') addFile(place.below);
    }
  }
  const servers: Record<string, Entry> = {};
  for (const { part, value } of sources) {
    for (const [name, entry] of Object.entries(isObject(value['mcpServers']) ? value['mcpServers'] : value)) {
      const read = readServer(facts, name, entry);
      const shown = `${part}: ${name}`;
      if (typeof read === 'string') facts.unused(shown, read);
      else if (Object.keys(servers).some((other) => isSameName(other, read.name)))
        facts.unused(shown, `another server of the plugin has the name ${read.name}`);
      else servers[read.name] = read.entry;
    }
  }
  return servers;
}

/** The entry with the plugin's paths and variables, or a clause that says why it can't be used. */
function readServer(facts: PluginFacts, name: string, entry: unknown): { name: string; entry: Entry } | string {
  const { manifest, variables, secretNames } = facts;
  if (!isObject(entry)) return 'its entry is not an object';
  const full = `plugin_${plain(manifest.name)}_${plain(name)}`;
  if (plain(name) === '' || full.length > 64)
    return 'its name, with that of the plugin, has more than 64 characters or none';
  const { trust: _, includeTools: __, excludeTools: ___, httpUrl, ...fields } = entry;
  const named: Entry = typeof httpUrl === 'string' ? { ...fields, type: 'http', url: httpUrl } : fields;
  const secret = secretNames.find((key) => String(named['command']).includes(`\${user_config.${key}}`));
  // A command that can't be started is named in messages.
  if (secret !== undefined) return `its command contains the secret value ${secret}, which belongs into "env"`;
  const placed = typeof named['command'] === 'string' ? inPlugin(facts, full, named) : named;
  if (typeof placed === 'string') return placed;
  if (typeof placed['headersHelper'] === 'string') {
    for (const path of pathsInCommand(placed['headersHelper'])) facts.looksInProject(`${full}, headersHelper`, path);
  }
  // The same objects with other texts.
  const { env, ...rest } = fillVariables(placed, variables.entries) as Record<string, unknown>;
  const isProcess = typeof rest['command'] === 'string';
  return {
    name: full,
    entry: isProcess ? { ...rest, env: { ...variables.serverEnv, ...(isObject(env) ? env : {}) } } : rest,
  };
}

/** Relative paths of an entry, in the plugin; those that it does not have are reported. */
function inPlugin(facts: PluginFacts, full: string, entry: Entry): Entry | string {
  const { cwd: written, ...fields } = entry;
  const place = startFolder(facts, written);
  if ('problem' in place) return place.problem;
  const { command, args } = fields;
  if (typeof command !== 'string') return fields;
  let program = command;
  if (command.includes('/') && !/^(?:[/~$]|[A-Za-z]:)/.test(command)) {
    const inFolder = posix.join(place.below ?? '', command);
    const below = 'path' in pathInPlugin(facts.root, inFolder) ? inFolder : posix.normalize(command);
    if (below.startsWith('..')) return `its command "${command}" is outside of the plugin`;
    program = join(facts.root, below);
  }
  // In a folder of the plugin, relative paths are the plugin's.
  const words = Array.isArray(args) ? args.map(String) : [];
  const given = place.cwd === undefined ? inOwnFiles(facts, full, words) : words;
  return {
    ...fields,
    command: program,
    ...(Array.isArray(args) && { args: given }),
    ...(place.cwd !== undefined && { cwd: place.cwd }),
  };
}

/** Where the server starts: in the project, or in a folder of the plugin or of its data. */
function startFolder(
  { root, variables }: PluginFacts,
  written: unknown,
): { cwd?: string; below?: string } | { problem: string } {
  if (written === undefined) return {};
  if (typeof written !== 'string') return { problem: 'its "cwd" is not a text' };
  const filled = String(fillVariables(written, variables.entries));
  if (/^\$\{(?:CLAUDE|HELVE)_PROJECT_DIR\}\/?$/.test(filled) || filled === variables.entries['workspacePath'])
    return {};
  const data = variables.entries['CLAUDE_PLUGIN_DATA'] ?? '';
  if (data !== '' && filled === data) return { cwd: data };
  const below = isAbsolute(filled) ? relative(root, filled) || '.' : filled;
  const place = pathInPlugin(root, below);
  if ('problem' in place) return { problem: `its "cwd" can't be used: ${place.problem}` };
  return statSync(place.path).isDirectory()
    ? { cwd: place.path, below: place.below }
    : { problem: `its "cwd" is not a folder` };
}

/** Names of tools separate their parts by two underscores. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9-]+/g, '_').replaceAll(/^_+|_+$/g, '');

/** The object in a file of the plugin; undefined, and reported, if there is none. */
export function objectIn(facts: PluginFacts, part: string): Entry | undefined {
  try {
    if (!statSync(join(facts.root, part)).isFile()) throw new Error('it is not a file');
    return readObject(facts.root, part);
  } catch (error) {
    facts.unused(part, messageOf(error).replace(/\.$/, ''));
    return undefined;
  }
}
