// The plugins of a session: those that are switched on, whose content is the approved one. Everything else is held back,
// with a sentence that says why and what to do.
import { basename, join } from 'node:path';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';
import { realPathSync } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { shownLine } from '../platform/text/shown-line.js';
import type { Settings } from '../settings/settings.js';
import { dependencyIds, findCycle } from './install.js';
import { loadPlugin } from './load-plugin.js';
import type { LoadedPlugin } from './loaded-plugin.js';
import { hasManifest } from './manifest.js';
import { whyNotPermitted } from './marketplace-policy.js';
import { nameClash } from './name-clash.js';
import { readContent } from './plugin-content.js';
import { folderKey, pluginFolders } from './plugin-folders.js';
import { isSameName, PluginProblem } from './plugin-problem.js';
import {
  copyFolder,
  folderOrigin,
  idOf,
  originOf,
  type PluginRecord,
  type Registry,
  readRegistry,
} from './registry.js';
import { currentContent, stageCopy } from './stage-copy.js';
import { storedValues } from './user-options.js';

export interface SessionPluginsOptions {
  dataFolder: string;
  workspace: string;
  settings: Settings;
  /** `--plugin-dir`. */
  folders?: readonly string[];
  /** `--trust`: folders of `--plugin-dir` are used for this run without an approval. */
  trust?: boolean;
}

/** A plugin that is not used. */
export interface HeldPlugin {
  /** An id, or the folder of `--plugin-dir`. */
  id: string;
  /** `approval`: a person may approve it. */
  kind: 'approval' | 'problem';
  /** A sentence with what to do. */
  notice: string;
}

export interface SessionPlugins {
  plugins: readonly LoadedPlugin[];
  held: readonly HeldPlugin[];
  /** Other sentences for the person. */
  notices: readonly string[];
  /** Why a plugin that was added is not in use, by its name: for a person who calls one of its commands. */
  unused: ReadonlyMap<string, string>;
}

export async function sessionPlugins(options: SessionPluginsOptions): Promise<SessionPlugins> {
  const held: HeldPlugin[] = [];
  const unused = new Map<string, string>();
  let registry: Registry;
  try {
    registry = readRegistry(options.dataFolder);
  } catch (error) {
    return { plugins: [], held: [], notices: [messageOf(error)], unused: new Map() };
  }
  const hold = (id: string, kind: HeldPlugin['kind'], notice: string): undefined => {
    held.push({ id, kind, notice: shownLine(notice) });
  };
  const found: Array<{ plugin: LoadedPlugin; record?: PluginRecord }> = [];
  for (const record of registry.plugins) {
    const isContested = isSwitchedOffAgainstPerson(record, options.settings);
    if (!isEnabled(record, options.settings)) unused.set(record.name, whyOff(record, options.settings));
    if (!isEnabled(record, options.settings) && !isContested) continue;
    const plugin = await loadRecord(record, registry, options).catch((error: unknown) => error);
    if (isContested && !(plugin instanceof Error) && !hasGuards(plugin as LoadedPlugin)) continue; // not an Error: loaded
    if (plugin instanceof Held) hold(idOf(record), plugin.kind, plugin.message);
    else if (plugin instanceof Error)
      hold(idOf(record), 'problem', `The plugin ${idOf(record)} is not used. ${plugin.message}`);
    else found.push({ plugin: plugin as LoadedPlugin, record }); // everything that is thrown is an Error
  }
  for (const folder of options.folders ?? []) {
    const plugin = await loadFolder(folder, registry, options).catch((error: unknown) => error);
    if (plugin instanceof Held) hold(folder, plugin.kind, plugin.message);
    else if (plugin instanceof Error) hold(folder, 'problem', `The plugin in ${folder} is not used. ${plugin.message}`);
    else found.push({ plugin: plugin as LoadedPlugin });
  }
  const unique = withoutClashes(found, hold);
  const plugins = withDependencies(unique, hold);
  for (const record of registry.plugins) {
    const notice = held.find(({ id }) => id === idOf(record))?.notice;
    if (notice !== undefined) unused.set(record.name, notice);
  }
  for (const { name } of plugins) unused.delete(name);
  return { plugins, held, notices: missingPlugins(registry, options.settings), unused };
}

function whyOff(record: PluginRecord, { enabledPlugins }: Pick<Settings, 'enabledPlugins'>): string {
  const id = idOf(record);
  const switchedOff = enabledPlugins.get(id);
  return shownLine(
    switchedOff
      ? `The plugin ${id} is switched off by "enabledPlugins" of ${switchedOff.origin.file}. To use it, remove or change that entry.`
      : `The plugin ${id} is switched off. To use it: helve plugin enable ${id}.`,
  );
}

/** Settings take precedence over `helve plugin enable` and `disable`. */
export const isEnabled = (record: PluginRecord, { enabledPlugins }: Pick<Settings, 'enabledPlugins'>): boolean =>
  enabledPlugins.get(idOf(record))?.value ?? record.enabled;

/**
 * Whether a project switches off a plugin that the person or an administrator has switched on in settings. That has no
 * effect on a plugin with guards, however much the project is trusted.
 */
function isSwitchedOffAgainstPerson(
  record: PluginRecord,
  { enabledPlugins, entries }: Pick<Settings, 'enabledPlugins' | 'entries'>,
): boolean {
  const id = idOf(record);
  const effective = enabledPlugins.get(id);
  if (effective?.value !== false || !isOfProject(effective.origin.kind)) return false;
  return entries.some(
    ({ key, name, value, origin }) =>
      key === 'enabledPlugins' && name === id && value === true && !isOfProject(origin.kind),
  );
}

const isOfProject = (kind: string): boolean => kind === 'project' || kind === 'local';

/** Whether it can refuse calls, so that switching it off would loosen the policy. */
const hasGuards = ({ hooks, deny }: LoadedPlugin): boolean => hooks.length > 0 || deny.length > 0;

class Held extends Error {
  readonly kind: HeldPlugin['kind'];

  constructor(kind: HeldPlugin['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

async function loadRecord(
  record: PluginRecord,
  registry: Registry,
  { dataFolder, settings, workspace }: SessionPluginsOptions,
): Promise<LoadedPlugin> {
  const id = idOf(record);
  const market = registry.marketplaces.find(({ name }) => name === record.marketplace);
  const refused = whyNotPermitted(market?.source ?? record.source, settings);
  if (refused !== undefined) throw new Held('problem', `The plugin ${id} is not used: ${refused}.`);
  if (record.approved === undefined) {
    throw new Held(
      'approval',
      `The plugin ${id} is not used: it was not approved. To look at it and approve it: helve plugin enable ${id}.`,
    );
  }
  const folder = copyFolder(dataFolder, record.copy);
  const { hash } = await currentContent(folder, record.approved);
  if (hash !== record.approved) {
    throw new Held(
      'approval',
      `The plugin ${id} is not used: its files have changed since it was approved. To see the change and approve it: helve plugin enable ${id}. To get it again from its source: helve plugin update ${id}.`,
    );
  }
  const data = join(pluginFolders(dataFolder).data, id);
  return withValues(
    loadPlugin({
      root: folder,
      id,
      data,
      workspace,
      stored: storedValues(dataFolder, { key: id, origin: originOf(record, registry) }),
    }),
    id,
  );
}

/** What runs is a copy of the content that was approved: the folder itself may change during the session. */
async function loadFolder(
  folder: string,
  registry: Registry,
  { dataFolder, settings, workspace, trust = false }: SessionPluginsOptions,
): Promise<LoadedPlugin> {
  let real: string;
  try {
    real = realPathSync(folder);
  } catch (error) {
    throw new PluginProblem(`There is no folder ${folder}.`, { cause: error });
  }
  const refused = whyNotPermitted({ source: 'path', path: real }, settings);
  if (refused !== undefined) throw new Held('problem', `The plugin in ${folder} is not used: ${refused}.`);
  const { hash } = await readContent(real);
  const approved = registry.folders[real];
  if (!trust && approved !== hash) {
    const why = approved === undefined ? 'it was not approved' : 'its files have changed since it was approved';
    throw new Held(
      'approval',
      `The plugin in ${folder} is not used: ${why}. To look at it and approve it: helve plugin enable ${folder}. For one run: --trust.`,
    );
  }
  const staged = await stageCopy(real, { dataFolder, name: 'dir' });
  if (staged.content.hash !== hash) throw new PluginProblem('Its files change while they are read. Try again.');
  // The name of a folder without a manifest is the plugin's.
  const named = hasManifest(staged.folder) ? {} : { entry: { name: basename(real) } };
  const key = folderKey(real);
  const data = join(pluginFolders(dataFolder).data, key);
  const stored = storedValues(dataFolder, { key, origin: folderOrigin(real) });
  return withValues(loadPlugin({ root: staged.folder, data, workspace, stored, ...named }), folder);
}

/** The plugin, with its folder for data, unless it lacks a value. `written` is its id or folder, for commands. */
function withValues(plugin: LoadedPlugin, written: string): LoadedPlugin {
  if (plugin.missing.length === 0) {
    if (plugin.hooks.length + Object.keys(plugin.servers).length > 0) mkdirPrivate(plugin.data);
    return plugin;
  }
  const keys = plugin.missing.map(({ key }) => key);
  throw new Held(
    'problem',
    `The plugin ${plugin.id} is not used: it needs a value for ${keys.join(', ')}. Set it: helve plugin enable ${written} ${keys.map((key) => `--set ${key}=…`).join(' ')}.`,
  );
}

type Found = { plugin: LoadedPlugin; record?: PluginRecord };
type Hold = (id: string, kind: HeldPlugin['kind'], notice: string) => void;

/**
 * A folder of `--plugin-dir` replaces the plugin of its name. Otherwise the plugin that was added first keeps a name, so
 * that rules for its tools do not come to apply to those of another.
 */
function withoutClashes(found: readonly Found[], hold: Hold): Found[] {
  const kept: Found[] = [];
  for (const one of found) {
    const replaced = one.record ? undefined : kept.find(({ plugin }) => isSameName(plugin.name, one.plugin.name));
    if (replaced) {
      kept.splice(kept.indexOf(replaced), 1);
      const { id } = replaced.plugin;
      hold(id, 'problem', `The plugin ${id} is not used: --plugin-dir has one of the same name.`);
    }
    const clash = kept.map(({ plugin }) => nameClash(one.plugin, plugin)).find((why) => why !== undefined);
    if (clash === undefined) kept.push(one);
    else hold(one.plugin.id, 'problem', `The plugin ${one.plugin.id} is not used: ${clash}.`);
  }
  return kept;
}

/** A plugin whose dependencies are not all in use is held back, and so are those that need it. */
function withDependencies(found: readonly Found[], hold: Hold): LoadedPlugin[] {
  const needs = new Map(found.map(({ plugin, record }) => [plugin.id, dependencyIds(plugin, record ?? {})]));
  const isThere = (list: readonly Found[], id: string): boolean =>
    list.some(({ plugin }) => plugin.id === id || plugin.name === id);
  const cycle = findCycle(needs);
  const all = [...found];
  let usable = all.filter(({ plugin }) => {
    if (!cycle?.includes(plugin.id)) return true;
    hold(
      plugin.id,
      'problem',
      `The plugin ${plugin.id} is not used: its dependencies lead back to it (${cycle.join(' → ')}).`,
    );
    return false;
  });
  for (;;) {
    const kept = usable.filter(({ plugin }) => {
      const missing = (needs.get(plugin.id) ?? []).find((id) => !isThere(usable, id));
      if (missing === undefined) return true;
      hold(
        plugin.id,
        'problem',
        `The plugin ${plugin.id} is not used: it needs the plugin ${missing}, which is not in use. Add or enable it: helve plugin add ${missing}.`,
      );
      return false;
    });
    if (kept.length === usable.length) return kept.map(({ plugin }) => plugin);
    usable = kept;
  }
}

/** Plugins that settings switch on and that were not added. Files of other agents list theirs, which is no mistake. */
function missingPlugins({ plugins }: Registry, { enabledPlugins }: Settings): string[] {
  const known = new Set(plugins.map(idOf));
  return [...enabledPlugins].flatMap(([id, { value, origin }]) => {
    if (!value || known.has(id) || origin.file.includes('.claude/')) return [];
    return [
      shownLine(`${origin.file} switches on the plugin ${id}, which was not added. To add it: helve plugin add ${id}.`),
    ];
  });
}
