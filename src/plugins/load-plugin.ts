// Turns the folder of a plugin into the parts that Helve has, and names the parts that it does not have, with the reason.
// The folder's content was checked before: see plugin-content.ts.
import { basename, join } from 'node:path';
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';
import { aliasOf } from '../tools/aliases.js';
import { builtInTools, ownCallTools } from '../tools/index.js';
import type { LoadedPlugin, PluginFacts } from './loaded-plugin.js';
import { exists, type Manifest, readManifest } from './manifest.js';
import { agentsOf, commandsOf, dependenciesOf, listed, outputStylesOf } from './plugin-files.js';
import { hooksOf } from './plugin-hooks.js';
import { pathInPlugin } from './plugin-paths.js';
import type { UnusedPart } from './plugin-problem.js';
import { serversOf } from './plugin-servers.js';
import { pluginVariables } from './plugin-variables.js';
import { effectiveValues, readUserOptions, type UserOption } from './user-options.js';

export interface LoadPluginOptions {
  root: string;
  /** Default: the name. */
  id?: string;
  /** The folder that it may keep data in. */
  data: string;
  /** The project. */
  workspace: string;
  /** Values that the user has set. */
  stored?: Readonly<Record<string, unknown>>;
  /** For people to look at: no variable that stands for a value is filled in, not even with its default. */
  isUnfilled?: boolean;
  /** The entry of its marketplace, if it is not in the folder. */
  entry?: Readonly<Record<string, unknown>>;
}

/** Throws `PluginProblem` if the manifest can't be used. */
export function loadPlugin(given: LoadPluginOptions): LoadedPlugin {
  const { root, id, data, workspace, stored = {}, isUnfilled = false, entry } = given;
  const manifest = entry ? readManifest(root, entry) : readManifest(root);
  const unused: UnusedPart[] = [];
  const { options, unused: badOptions } = optionsOf(manifest);
  const { values, missing } = effectiveValues(options, stored);
  const variables = pluginVariables({
    ...{ format: manifest.format, root, data, workspace, options },
    values: isUnfilled ? {} : values,
  });
  const projectFiles: LoadedPlugin['projectFiles'][number][] = [];
  const facts: PluginFacts = {
    manifest,
    root,
    variables,
    secretNames: options.filter(({ sensitive }) => sensitive).map(({ key }) => key),
    id: id ?? manifest.name,
    unused: (part, reason) => unused.push(shownPart({ part, reason })),
    looksInProject: (by, path) => projectFiles.push({ by, path }),
  };
  const parts = {
    commands: commandsOf(facts),
    agents: agentsOf(facts),
    outputStyles: outputStylesOf(facts),
    hooks: hooksOf(facts),
    servers: serversOf(facts),
    contextFiles: manifest.format === 'gemini' ? contextFilesOf(facts) : [],
    deny: manifest.format === 'gemini' ? excludedTools(facts) : [],
    dependencies: dependenciesOf(facts),
  };
  return {
    id: facts.id,
    name: manifest.name,
    format: manifest.format,
    ...(manifest.version !== undefined && { version: manifest.version }),
    description: manifest.description,
    root,
    data,
    ...parts,
    options,
    projectFiles,
    missing,
    variables,
    unused: [...unused, ...badOptions.map(shownPart), ...unsupported(facts)],
  };
}

const shownPart = ({ part, reason }: UnusedPart): UnusedPart => ({
  part: shownLine(part, 200),
  reason: shownLine(reason, 1_000),
});

/** Parts for which Helve has no equivalent, by file or folder. */
const unsupportedFiles: Readonly<Record<string, string>> = {
  '.lsp.json': 'language servers are not supported yet',
  'monitors/monitors.json': 'background monitors of plugins are not supported',
  bin: 'Helve does not add folders of plugins to PATH; its scripts are in bin of the plugin',
  themes: "Helve's colours are set by the setting theme alone",
  workflows: 'workflows of Claude Code are programs for its own engine',
  'settings.json': 'a plugin can not change settings',
  '.app.json': 'apps of ChatGPT exist only there',
};

/** The same, by field of the manifest. */
const unsupportedFields: Readonly<Record<string, string>> = {
  lspServers: 'language servers are not supported yet',
  monitors: 'background monitors of plugins are not supported',
  settings: 'a plugin can not change settings',
  apps: 'apps of ChatGPT exist only there',
  themes: "Helve's colours are set by the setting theme alone",
  channels: 'messages from outside into a conversation are not supported',
  experimental: 'it describes parts that Claude Code itself calls experimental',
};

function unsupported({ manifest, root }: PluginFacts): UnusedPart[] {
  const files = Object.entries(unsupportedFiles).flatMap(([part, reason]) =>
    !manifest.isListed && exists(join(root, part)) ? [{ part, reason }] : [],
  );
  const fields = Object.entries(unsupportedFields).flatMap(([part, reason]) => {
    const isOfGemini = part === 'settings' && manifest.format === 'gemini';
    return manifest.fields[part] === undefined || isOfGemini ? [] : [{ part, reason }];
  });
  return [...files, ...fields];
}

function optionsOf({ format, fields }: Manifest): ReturnType<typeof readUserOptions> {
  if (format !== 'gemini') return readUserOptions(fields['userConfig']);
  const written = listed(fields['settings']).filter(isObject);
  const read = readUserOptions(
    Object.fromEntries(
      written.map((one) => [
        String(one['envVar'] ?? one['name']),
        {
          type: 'string',
          title: one['name'],
          description: one['description'],
          ...(one['sensitive'] === true && { sensitive: true }),
        },
      ]),
    ),
  );
  return { ...read, options: read.options.map((option): UserOption => ({ ...option, variable: option.key })) };
}

/** Gemini gives `GEMINI.md`, or the files of `contextFileName`, to the model. */
function contextFilesOf({ manifest, root, unused }: PluginFacts): string[] {
  const written = manifest.fields['contextFileName'];
  const names = written === undefined ? (exists(join(root, 'GEMINI.md')) ? ['GEMINI.md'] : []) : listed(written);
  return names.flatMap((name) => {
    const place = pathInPlugin(root, name);
    if ('path' in place && /\.md$/i.test(place.path)) return [place.path];
    unused('contextFileName', 'problem' in place ? place.problem : `${basename(place.path)} does not end with .md`);
    return [];
  });
}

function excludedTools({ manifest, unused }: PluginFacts): string[] {
  return listed(manifest.fields['excludeTools']).flatMap((written) => {
    const [, name = '', inner] = /^(\w+)(?:\(([^()]*)\))?$/.exec(String(written)) ?? [];
    const tool = aliasOf(name) ?? builtInTools().find((one) => one.name.toLowerCase() === name.toLowerCase())?.name;
    if (tool !== undefined && inner === undefined) return [tool];
    if (tool === ownCallTools.shell && inner) return [`${tool}(${inner}:*)`];
    unused(`excludeTools: ${String(written).slice(0, 60)}`, 'Helve has no tool of this name');
    return [];
  });
}
