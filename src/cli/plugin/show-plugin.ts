// The parts of a plugin, for people and as JSON. Every text passes `withShownTexts`, since all of them are the plugin's.
import { checkParts } from '../../compose/check-plugin.js';
import { withheldFrom } from '../../compose/visible-environment.js';
import { whyTooBroad } from '../../permissions/broad-rules.js';
import { changesWhatRuns } from '../../permissions/risks/variable-risks.js';
import { withShownTexts } from '../../platform/text/shown-line.js';
import { type HandedOver, handedOver } from '../../plugins/handed-over.js';
import type { LoadedPlugin } from '../../plugins/loaded-plugin.js';
import type { UnusedPart } from '../../plugins/plugin-problem.js';
import { toolTable } from '../../tools/index.js';

export interface ShownPlugin {
  id: string;
  name: string;
  format: string;
  version: string | null;
  description: string;
  commands: readonly string[];
  skills: readonly string[];
  agents: readonly string[];
  /** Allow rules that a command or a skill brings. `tooBroad`: why one applies only if a person types its name. */
  grants: ReadonlyArray<{ by: string; rule: string; tooBroad: string | null }>;
  /** Event, and what runs. */
  hooks: readonly string[];
  /** Name, and what is started or reached. */
  mcpServers: readonly string[];
  /** Variables that are set for servers, those that change what runs first. */
  serverVariables: ReadonlyArray<{ server: string; name: string; value: string; changesWhatRuns: boolean }>;
  /** Relative paths of hooks and servers that are looked up in the project. */
  projectFiles: ReadonlyArray<{ by: string; path: string }>;
  /** Variables of the person's environment, and values, that servers and hooks get; without their content. */
  handedOver: ReadonlyArray<HandedOver & { isWithheld: boolean }>;
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
  const isWithheld = withheldFrom(process.env);
  const tools = toolTable();
  return withShownTexts({
    id: plugin.id,
    name: plugin.name,
    format: plugin.format,
    version: plugin.version ?? null,
    description: plugin.description,
    commands: named('command'),
    skills: named('skill'),
    agents,
    grants: commands.flatMap(({ name, allowedTools }) =>
      allowedTools.map((rule) => ({ by: `/${name}`, rule, tooBroad: whyTooBroad(rule, tools) ?? null })),
    ),
    hooks: plugin.hooks.map(({ event, matcher, hook }) => {
      const what = hook.type === 'http' ? hook.url : [hook.command, ...(hook.args ?? [])].join(' ');
      return `${event}${matcher === '' ? '' : ` (${matcher})`}: ${what}`;
    }),
    mcpServers: Object.entries(plugin.servers).map(([name, { url, command, args, cwd, headersHelper }]) => {
      const helper = typeof headersHelper === 'string' ? `, with headers from the command: ${headersHelper}` : '';
      const start = typeof cwd === 'string' ? `, in ${cwd}` : '';
      return `${name}: ${url ?? [command, ...(Array.isArray(args) ? args : [])].join(' ')}${helper}${start}`;
    }),
    serverVariables: serverVariables(plugin),
    projectFiles: plugin.projectFiles,
    handedOver: handedOver(plugin).map((one) => ({
      ...one,
      isWithheld: isWithheld(one.variable.replace(/^\$\{|\}$/g, '')),
    })),
    outputStyles,
    contextFiles: plugin.contextFiles.map((path) => path.slice(plugin.root.length + 1)),
    deniedTools: plugin.deny,
    dependencies: plugin.dependencies,
    options: plugin.options.map(({ key, type, required, sensitive, description }) => ({
      ...{ key, type, required, sensitive, description },
    })),
    unused: [...plugin.unused, ...problems],
  });
}

/** Without the variables that every plugin gets. */
function serverVariables({ servers, variables }: LoadedPlugin): Array<ShownPlugin['serverVariables'][number]> {
  const all = Object.entries(servers).flatMap(([server, { env }]) =>
    Object.entries(typeof env === 'object' && env !== null ? env : {})
      .filter(([name, value]) => variables.serverEnv[name] !== value)
      .map(([name, value]) => ({ server, name, value: String(value), changesWhatRuns: isProgramVariable(name) })),
  );
  return all.toSorted((one, other) => Number(other.changesWhatRuns) - Number(one.changesWhatRuns));
}

const isProgramVariable = (name: string): boolean =>
  changesWhatRuns(name) ||
  /^(?:PYTHON|NPM_CONFIG_|npm_config_|UV_|PIP_|DENO_|BUN_|JAVA_|RUBY|PERL|GIT_|BASH_)/.test(name);

export function pluginLines(shown: ShownPlugin): string[] {
  const lists: Array<[string, readonly string[]]> = [
    ['commands', shown.commands],
    ['skills', shown.skills],
    ['agents', shown.agents],
    [
      'allowed without a question while a command or skill is used',
      shown.grants.map(
        ({ by, rule, tooBroad }) =>
          `${by}: ${rule}${tooBroad === null ? '' : `  (only if you type ${by}, not if the model uses it: ${tooBroad})`}`,
      ),
    ],
    ['hooks, which run on their own', shown.hooks],
    ['MCP servers, which are started or reached', shown.mcpServers],
    [
      'variables that are set for the servers',
      shown.serverVariables.map(
        ({ server, name, value, changesWhatRuns: isMarked }) =>
          `${isMarked ? '(!) ' : ''}${name}=${value} (${server}${isMarked ? '; it can change which programs run' : ''})`,
      ),
    ],
    [
      '(!) looked up in the project, so files of any project may run',
      shown.projectFiles.map(({ by, path }) => `${path} (${by})`),
    ],
    [
      'given to them, from your environment and your values',
      shown.handedOver.map(
        ({ variable, by, to, isWithheld }) =>
          `${variable} to ${to} (${by})${isWithheld ? ': withheld as the key of a model provider, unless HELVE_PASS_ENV names it' : ''}`,
      ),
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
