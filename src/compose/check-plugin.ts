import { readFileSync } from 'node:fs';
import { readAgentTypes } from '../agent/children/agent-files.js';
import { readPluginCommands } from '../agent/commands/plugin-commands.js';
import { readConfig } from '../mcp/client/config.js';
import { messageOf } from '../platform/message-of.js';
import { readFrontMatter } from '../platform/text/front-matter.js';
import type { LoadedPlugin } from '../plugins/loaded-plugin.js';
import type { UnusedPart } from '../plugins/plugin-problem.js';
import { pluginAgents, pluginCommands } from './plugin-parts.js';

/** The parts that a session would have of a plugin, and those that can't be used. */
export async function checkParts(plugin: LoadedPlugin): Promise<{
  commands: ReadonlyArray<{ name: string; kind: string; allowedTools: readonly string[] }>;
  agents: readonly string[];
  outputStyles: readonly string[];
  problems: readonly UnusedPart[];
}> {
  const below = (text: string): string => text.replaceAll(`${plugin.root}/`, '');
  const rules = { boundary: plugin.root, trusted: true, home: undefined, dataFolder: plugin.root, mayRead: () => true };
  const read = await readPluginCommands(pluginCommands([plugin]), rules);
  const { types, problems } = await readAgentTypes([], pluginAgents([plugin]));
  const unused = (sentence: string): UnusedPart => {
    const [part = '', ...rest] = below(sentence)
      .replace(/^plugin [^:]+: /, '')
      .split(/: | can't be used: /);
    return { part, reason: rest.join(': ').replace(/\.$/, '') };
  };
  const styles: string[] = [];
  const broken: UnusedPart[] = [];
  for (const { name, path } of plugin.outputStyles) {
    try {
      const { fields } = await readFrontMatter(readFileSync(path, 'utf8'));
      styles.push(`${plugin.name}:${typeof fields['name'] === 'string' ? fields['name'] : name}`);
    } catch (error) {
      broken.push({ part: below(path), reason: messageOf(error).replace(/\.$/, '') });
    }
  }
  const servers = Object.entries(plugin.servers).flatMap(([name, entry]): UnusedPart[] => {
    const config = readConfig({ name, entry, source: 'user' }, process.env);
    return 'problem' in config ? [{ part: `MCP server ${name}`, reason: config.problem.replace(/\.$/, '') }] : [];
  });
  return {
    commands: read.filter(({ problem }) => problem === undefined),
    agents: types.map(({ name }) => name),
    outputStyles: styles,
    problems: [
      ...read.flatMap(({ problem, warning }) => [problem, warning].filter((text) => text !== undefined).map(unused)),
      ...problems.map(unused),
      ...broken,
      ...servers,
    ],
  };
}
