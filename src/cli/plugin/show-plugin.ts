// The parts of a plugin, for people and as JSON.
import { checkParts } from '../../compose/check-plugin.js';
import { visible } from '../../platform/text/visible.js';
import { type HandedOver, handedOver } from '../../plugins/handed-over.js';
import type { LoadedPlugin } from '../../plugins/loaded-plugin.js';
import type { UnusedPart } from '../../plugins/plugin-problem.js';

export interface ShownPlugin {
  id: string;
  name: string;
  format: string;
  version: string | null;
  description: string;
  commands: readonly string[];
  skills: readonly string[];
  agents: readonly string[];
  /** Event, and what runs. */
  hooks: readonly string[];
  /** Name, and what is started or reached. */
  mcpServers: readonly string[];
  /** Variables of the person's environment, and values, that servers and hooks get; without their content. */
  handedOver: readonly HandedOver[];
  outputStyles: readonly string[];
  contextFiles: readonly string[];
  deniedTools: readonly string[];
  dependencies: readonly string[];
  options: ReadonlyArray<{ key: string; type: string; required: boolean; sensitive: boolean; description: string }>;
  unused: readonly UnusedPart[];
}

/** Reads the texts of all parts, so that broken ones are found. */
export async function showPlugin(plugin: LoadedPlugin): Promise<ShownPlugin> {
  const { commands, agents, outputStyles, problems } = await checkParts(plugin);
  const named = (kind: string): string[] => commands.filter((one) => one.kind === kind).map(({ name }) => `/${name}`);
  return {
    id: plugin.id,
    name: plugin.name,
    format: plugin.format,
    version: plugin.version ?? null,
    description: plugin.description,
    commands: named('command'),
    skills: named('skill'),
    agents,
    hooks: plugin.hooks.map(({ event, matcher, hook }) => {
      const what = hook.type === 'http' ? hook.url : [hook.command, ...(hook.args ?? [])].join(' ');
      return visible(`${event}${matcher === '' ? '' : ` (${matcher})`}: ${what}`);
    }),
    mcpServers: Object.entries(plugin.servers).map(([name, { url, command, args, headersHelper }]) => {
      const helper = typeof headersHelper === 'string' ? `, with headers from the command: ${headersHelper}` : '';
      return visible(`${name}: ${url ?? [command, ...(Array.isArray(args) ? args : [])].join(' ')}${helper}`);
    }),
    handedOver: handedOver(plugin).map(({ variable, by, to }) => ({
      ...{ variable: visible(variable), by: visible(by), to: visible(to) },
    })),
    outputStyles,
    contextFiles: plugin.contextFiles.map((path) => path.slice(plugin.root.length + 1)),
    deniedTools: plugin.deny,
    dependencies: plugin.dependencies,
    options: plugin.options.map(({ key, type, required, sensitive, description }) => ({
      ...{ key, type, required, sensitive },
      description: visible(description),
    })),
    unused: [...plugin.unused, ...problems].map(({ part, reason }) => ({
      part: visible(part),
      reason: visible(reason),
    })),
  };
}

export function pluginLines(shown: ShownPlugin): string[] {
  const lists: Array<[string, readonly string[]]> = [
    ['commands', shown.commands],
    ['skills', shown.skills],
    ['agents', shown.agents],
    ['hooks, which run on their own', shown.hooks],
    ['MCP servers, which are started or reached', shown.mcpServers],
    [
      'given to them, from your environment and your values',
      shown.handedOver.map(({ variable, by, to }) => `${variable} to ${to} (${by})`),
    ],
    ['output styles', shown.outputStyles],
    ['texts for the model', shown.contextFiles],
    ['tools that it denies', shown.deniedTools],
    ['needs the plugins', shown.dependencies],
    [
      'values',
      shown.options.map(
        ({ key, required, sensitive }) => `${key}${required ? ', required' : ''}${sensitive ? ', secret' : ''}`,
      ),
    ],
    ['without effect', shown.unused.map(({ part, reason }) => `${part}: ${reason}`)],
  ];
  const filled = lists.filter(([, items]) => items.length > 0);
  return [
    `${shown.id}${shown.version === null ? '' : ` ${shown.version}`} (${shown.format})`,
    ...(shown.description === '' ? [] : [`  ${shown.description}`]),
    ...(filled.length === 0 ? ['  It has no parts.'] : []),
    ...filled.flatMap(([title, items]) => [`  ${title}:`, ...items.map((item) => `    ${item}`)]),
  ];
}
