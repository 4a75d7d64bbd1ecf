import { existsSync, statSync } from 'node:fs';
import { knownNames } from '../agent/known-names.js';
import type { Surface } from '../agent/store/presence.js';
import type { FullEngineOptions } from '../compose/options.js';
import { toolProfileNames } from '../contract/model.js';
import { type PermissionMode, permissionModes } from '../contract/permission.js';
import { parseRule } from '../permissions/parse-rule.js';
import { splitRules } from '../permissions/split-rules.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { shownLine } from '../platform/text/shown-line.js';
import { pluginFolders } from '../plugins/plugin-folders.js';
import { environmentWith } from '../settings/environment.js';
import type { Settings } from '../settings/settings.js';
import type { WatchedSettings } from '../settings/watch.js';
import { toolTable } from '../tools/index.js';
import { readSettingSources, readToolSwitches } from './host-flags.js';
import { oneOf } from './one-of.js';
import type { UsedPlugins } from './plugin/used-plugins.js';
import { readSettings } from './read-settings.js';
import { UsageProblem } from './usage-problem.js';

export interface EngineFlagValues {
  'permission-mode'?: string | undefined;
  'dangerously-skip-permissions'?: boolean | undefined;
  'add-dir'?: string[] | undefined;
  'allowed-tools'?: string[] | undefined;
  allowedTools?: string[] | undefined;
  'disallowed-tools'?: string[] | undefined;
  disallowedTools?: string[] | undefined;
  settings?: string | undefined;
  trust?: boolean | undefined;
  'mcp-config'?: string[] | undefined;
  'strict-mcp-config'?: boolean | undefined;
  'plugin-dir'?: string[] | undefined;
  simple?: boolean | undefined;
  profile?: string | undefined;
  'setting-sources'?: string | undefined;
  'managed-settings'?: string | undefined;
  tools?: string[] | undefined;
}

export type CliEngineOptions = FullEngineOptions & {
  settings: WatchedSettings;
  env: Readonly<Record<string, string | undefined>>;
  /** The program that runs the session, as `helve ps` shows it. */
  surface?: Surface;
  /** The question that was open when the last process was killed, for `helve ps`. */
  waitsFor?: string | undefined;
};

export interface EngineSurroundings {
  /** The user is asked about untrusted settings anyway, so they are not reported. */
  asksForTrust?: boolean;
  /** Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the user's. */
  home?: string;
  /** Managed settings beside those of the machine, as JSON. */
  policy?: string | undefined;
  /** The project. Default: the working directory of this process. */
  root?: string;
}

/** Options for permissions and tools: from flags, then settings, then the environment. */
export async function engineOptions(
  flags: EngineFlagValues,
  { asksForTrust = false, env: own = process.env, home, policy, root = process.cwd() }: EngineSurroundings = {},
): Promise<CliEngineOptions> {
  const sources = readSettingSources(flags['setting-sources']);
  const settings = await readSettings(
    {
      root,
      env: own,
      ...(home !== undefined && { home }),
      ...knownNames({ root, env: own, ...(home !== undefined && { home }) }),
      ...(flags.settings !== undefined && { flag: flags.settings }),
      ...(flags['managed-settings'] !== undefined && { hostFlag: flags['managed-settings'] }),
      ...(policy !== undefined && { policy }),
      ...(flags.trust && { trust: true }),
      ...(sources && { sources }),
    },
    { asksForTrust },
  );
  const env = environmentWith(settings.current, own);
  refuseUnknownWalls(env['HELVE_WALLS']);
  const permissionMode = readPermissionMode(flags, settings.current);
  const problem = permissionMode === 'bypassPermissions' ? whyNoBypass(settings.current, env) : undefined;
  if (problem !== undefined) throw new UsageProblem(problem);
  const plugins = await pluginsOf(flags, settings.current, { env, home, root });
  const toolSwitches = readToolSwitches(flags.tools, knownNames({ root }).knownTools);
  const simple = flags.simple === true || env['HELVE_SIMPLE'] === '1';
  return {
    permissionMode,
    permissions: withDenied(rulesOfFlags(flags), plugins),
    ...plugins,
    additionalDirectories: (flags['add-dir'] ?? []).map(existingFolder),
    interactive: false,
    root,
    ...(home !== undefined && { home }),
    ...(simple && { toolSet: 'simple' }),
    ...(flags.profile !== undefined && { toolProfile: oneOf('--profile', toolProfileNames, flags.profile) }),
    ...(sources && { sources }),
    ...(toolSwitches && { toolSwitches }),
    ...(flags['mcp-config'] && { mcpServers: await namedServers(flags['mcp-config']) }),
    ...(flags['strict-mcp-config'] && { strictMcp: true }),
    settings,
    env,
  };
}

/** Their code is loaded only if there are plugins. */
async function pluginsOf(
  flags: EngineFlagValues,
  settings: Settings,
  { env, home, root }: { env: Readonly<Record<string, string | undefined>>; home: string | undefined; root: string },
): Promise<UsedPlugins | undefined> {
  const dataFolder = dataFolderOf({ env, ...(home !== undefined && { home }) });
  const folders = flags['plugin-dir'] ?? [];
  refuseMissingFolders(folders);
  if (folders.length === 0 && settings.enabledPlugins.size === 0 && !existsSync(pluginFolders(dataFolder).file)) return;
  const { usedPlugins } = await import('./plugin/used-plugins.js');
  return await usedPlugins({ dataFolder, settings, folders, workspace: root, trust: flags.trust === true });
}

/** Before anything starts: a folder of `--plugin-dir` that is not there is most likely misspelt. */
export function refuseMissingFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new UsageProblem(`There is no folder "${shownLine(folder)}" for --plugin-dir. Name the folder of a plugin.`);
  }
}

const withDenied = ({ allow, deny }: RulesOfFlags, plugins: UsedPlugins | undefined): RulesOfFlags => ({
  allow,
  deny: [...deny, ...(plugins?.plugins.flatMap((plugin) => plugin.deny) ?? [])],
});

type RulesOfFlags = ReturnType<typeof rulesOfFlags>;

/** The rules of `--allowed-tools` and `--disallowed-tools`. */
export const rulesOfFlags = (flags: EngineFlagValues) => ({
  allow: listed('--allowed-tools', 'allow', flags['allowed-tools'], flags.allowedTools),
  deny: listed('--disallowed-tools', 'deny', flags['disallowed-tools'], flags.disallowedTools),
});

function refuseUnknownWalls(walls: string | undefined): void {
  if (!walls || walls === 'full' || walls === 'none') return;
  throw new UsageProblem(`HELVE_WALLS takes full (the default) or none, but was "${walls}".`);
}

async function namedServers(given: readonly string[]) {
  const { readNamedServers } = await import('./named-servers.js');
  return readNamedServers(given);
}

/** The folder of --add-dir. */
export function existingFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const what = existsSync(path) ? `"${path}" is a file` : `there is none at "${path}"`;
  throw new UsageProblem(`--add-dir takes a folder, but ${what}.`);
}

/**
 * Splits a list of rules at commas and spaces outside parentheses. An invalid rule is a usage error: a rule must never
 * mean more, or less, than was typed.
 */
function listed(
  flag: string,
  list: 'allow' | 'deny',
  ...given: ReadonlyArray<readonly string[] | undefined>
): string[] {
  const rules = given.flatMap((texts = []) => texts.flatMap(splitRules));
  const project = [process.cwd()];
  const tools = toolTable();
  const known = knownNames({ root: process.cwd() });
  for (const text of rules) {
    const { problem } = parseRule(text, {
      list,
      source: { file: flag },
      anchors: { source: project, project, home: [] },
      tools,
      ...known,
    });
    if (problem) throw new UsageProblem(`${flag} has a rule that can't be used, so nothing was run: ${problem.reason}`);
  }
  return rules;
}

function readPermissionMode(flags: EngineFlagValues, { defaultMode }: Settings): PermissionMode {
  if (flags['dangerously-skip-permissions']) {
    const other = flags['permission-mode'];
    if (other === undefined || other === 'bypassPermissions') return 'bypassPermissions';
    throw new UsageProblem(
      `--dangerously-skip-permissions and --permission-mode ${other} contradict each other. Leave one out.`,
    );
  }
  const wanted = flags['permission-mode'] ?? defaultMode?.value ?? 'default';
  return oneOf('--permission-mode', permissionModes, wanted);
}

/** Why the mode bypassPermissions is not available here; undefined if it is. */
export function whyNoBypass(
  { bypassDisabledBy }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (bypassDisabledBy) {
    const { file, line } = bypassDisabledBy;
    return `The mode bypassPermissions is switched off by ${line === undefined ? file : `${file}:${line}`}. Choose another mode.`;
  }
  if (process.getuid?.() !== 0 || ['1', 'yes', 'true'].includes(env['IS_SANDBOX'] ?? '')) return undefined;
  return (
    'The mode bypassPermissions is refused to root, since nothing would protect the machine from the model. ' +
    'Run helve as an ordinary user, or set IS_SANDBOX=1 if this machine is itself a sandbox.'
  );
}
