// Adds, updates, approves and removes plugins and marketplaces. Questions to the person are asked by the caller, between
// preparing a change and making it.
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';
import type { Settings } from '../settings/settings.js';
import { type AcquireOptions, withSource } from './acquire.js';
import { loadPlugin } from './load-plugin.js';
import type { LoadedPlugin } from './loaded-plugin.js';
import { hasManifest, readManifest } from './manifest.js';
import { findEntry, type Marketplace, readMarketplace } from './marketplace.js';
import { whyNotPermitted } from './marketplace-policy.js';
import { nameClash } from './name-clash.js';
import { ownFiles, removeOwnFiles } from './own-files.js';
import { writePin } from './pins.js';
import { folderKey, pluginFolders } from './plugin-folders.js';
import { isSameName, PluginProblem } from './plugin-problem.js';
import { describeSource, isSameSource, type PluginSource, readSource } from './plugin-source.js';
import {
  copyFolder,
  folderOrigin,
  idOf,
  type MarketplaceRecord,
  originOf,
  type PluginRecord,
  type Registry,
  readRegistry,
  updateRegistry,
} from './registry.js';
import { folderCopy, removeFolder, type StagedCopy, stageCopy, sweep } from './stage-copy.js';
import { type OptionValues, storeValues } from './user-options.js';

export interface InstallOptions extends Omit<AcquireOptions, 'within'> {
  settings: Settings;
  /** The project, for `${workspacePath}`. */
  workspace: string;
}

/** A copy that is complete, and waits for the person's decision. */
export interface PreparedPlugin extends StagedCopy {
  record: PluginRecord;
  plugin: LoadedPlugin;
}

/** Stages a plugin of a source. `market` is the marketplace that lists it. */
export async function preparePlugin(
  source: PluginSource,
  options: InstallOptions,
  market?: { marketplace: Marketplace; record: MarketplaceRecord; entry: Readonly<Record<string, unknown>> },
): Promise<PreparedPlugin> {
  const { dataFolder, settings } = options;
  refuseSource(market?.record.source ?? source, settings);
  const { source: _, ...fields } = market?.entry ?? {};
  return await withSource(source, { ...options, within: market?.marketplace.folder }, async (folder) => {
    const entry = market ? fields : hasManifest(folder) ? undefined : { name: fallbackName(source, folder) };
    // Nothing of the source is read before its content was checked and copied.
    const staged = await stageCopy(folder, {
      dataFolder,
      name: (complete) => readManifest(complete).name,
      ...(entry && { entry }),
    });
    const { name } = readManifest(staged.folder);
    const marketplace = market?.record.name;
    const id = idOf({ name, ...(marketplace !== undefined && { marketplace }) });
    const plugin = loadStaged(staged.folder, id, options);
    const record: PluginRecord = {
      name,
      ...(marketplace !== undefined && { marketplace }),
      source,
      copy: staged.copy,
      enabled: true,
      ...(plugin.version !== undefined && { version: plugin.version }),
    };
    return { ...staged, record, plugin };
  });
}

/** The name of a plugin that has no manifest. */
function fallbackName(source: PluginSource, folder: string): string {
  const path = source.source === 'path' ? folder : (source.path ?? source.url.replace(/\.git\/?$/, ''));
  return basename(path.replace(/(?<![/:])[/:]+$/, '').replaceAll(':', '/'));
}

/** For people to look at: without the values that the user has set, since secret ones must not be shown. */
export function loadStaged(
  folder: string,
  id: string,
  { dataFolder, workspace }: Pick<InstallOptions, 'dataFolder' | 'workspace'>,
): LoadedPlugin {
  const data = join(pluginFolders(dataFolder).data, id);
  return loadPlugin({ root: folder, id, data, workspace, isUnfilled: true });
}

function refuseSource(source: PluginSource, settings: Settings): void {
  const why = whyNotPermitted(source, settings);
  if (why !== undefined) throw new PluginProblem(`${describeSource(source)} can't be used: ${why}.`);
}

/** The record that a prepared plugin replaces. Throws `PluginProblem` if it can't be added beside the others. */
function recordBefore(
  { record, plugin }: PreparedPlugin,
  registry: Registry,
  options: Pick<InstallOptions, 'dataFolder' | 'workspace'>,
): { before: PluginRecord | undefined; others: readonly PluginRecord[] } {
  const before = registry.plugins.find((one) => idOf(one) === idOf(record));
  const others = registry.plugins.filter((one) => one !== before);
  for (const other of others) {
    const clash = nameClash(plugin, namesOf(other, options));
    if (clash === undefined) continue;
    throw new PluginProblem(
      `${idOf(record)} can't be added: ${clash}. Remove that one first: helve plugin remove ${idOf(other)}.`,
    );
  }
  if (before && record.marketplace === undefined && !isSameSource(before.source, record.source)) {
    throw new PluginProblem(
      `There is already a plugin ${idOf(before)}, from ${describeSource(before.source)}, and its values and data are not for a plugin from elsewhere. Remove it first: helve plugin remove ${idOf(before)}.`,
    );
  }
  return { before, others };
}

/** Throws if the plugin can't be added, so that a person is not asked about it in vain. */
export function refuseClash(prepared: PreparedPlugin, options: Pick<InstallOptions, 'dataFolder' | 'workspace'>): void {
  recordBefore(prepared, readRegistry(options.dataFolder), options);
}

/**
 * Records a prepared plugin. With `isApproved`, or if the same content was approved before, it is used from the next
 * session on. Returns whether it was recorded: an approved content is not replaced by one that is not.
 */
export async function commitPlugin(
  prepared: PreparedPlugin,
  options: Pick<InstallOptions, 'dataFolder' | 'workspace'>,
  { isApproved, values }: { isApproved: boolean; values?: OptionValues | undefined },
): Promise<boolean> {
  const { record, content } = prepared;
  const { dataFolder } = options;
  const { left, isKept } = await updateRegistry(dataFolder, async (registry) => {
    const { before, others } = recordBefore(prepared, registry, options);
    // A plugin that was removed may have left something behind if that was interrupted.
    if (!before) await removeOwnFiles(ownFiles(dataFolder, idOf(record)));
    const isUsable = isApproved || before?.approved === content.hash;
    if (!isUsable && before?.approved !== undefined) return { registry, result: { left: undefined, isKept: true } };
    if (values && isUsable) {
      await storeValues(dataFolder, { key: idOf(record), origin: originOf(record, registry) }, values);
    }
    const isSame = before?.copy === record.copy;
    const previous = isSame ? before?.previous : before?.copy;
    const fresh: PluginRecord = {
      ...record,
      enabled: before?.enabled ?? record.enabled,
      ...(isUsable && { approved: content.hash }),
      ...(previous !== undefined && { previous }),
    };
    const unneeded = before?.previous !== undefined && before.previous !== previous ? before.previous : undefined;
    return {
      registry: { ...registry, plugins: [...others, fresh] },
      result: { left: unneeded, isKept: false },
    };
  });
  if (isKept) return false;
  if (isApproved) await writePin(dataFolder, idOf(record), content);
  if (left !== undefined && left !== record.copy) await removeFolder(copyFolder(dataFolder, left));
  return true;
}

/** The names that a recorded plugin uses; those of a copy that can't be read are its own name alone. */
function namesOf(
  record: PluginRecord,
  options: Pick<InstallOptions, 'dataFolder' | 'workspace'>,
): Pick<LoadedPlugin, 'id' | 'name' | 'servers'> {
  const { copy, name } = record;
  try {
    return loadStaged(copyFolder(options.dataFolder, copy), idOf(record), options);
  } catch {
    return { id: idOf(record), name, servers: {} };
  }
}

/** Removes a staged copy that the person did not want, unless a plugin uses it. */
export async function discardPlugin(
  { copy }: StagedCopy,
  { dataFolder }: Pick<InstallOptions, 'dataFolder'>,
): Promise<void> {
  const { plugins } = readRegistry(dataFolder);
  if (plugins.some((one) => one.copy === copy || one.previous === copy)) return;
  await removeFolder(copyFolder(dataFolder, copy));
}

/** Changes one record, and stores values of the plugin. Throws if it is gone. */
export async function changeRecord(
  dataFolder: string,
  id: string,
  change: (record: PluginRecord) => PluginRecord,
  values?: OptionValues,
): Promise<void> {
  await updateRegistry(dataFolder, async (registry) => {
    const record = registry.plugins.find((one) => idOf(one) === id);
    if (!record) throw new PluginProblem(`The plugin ${id} was removed.`);
    if (values) await storeValues(dataFolder, { key: id, origin: originOf(record, registry) }, values);
    const plugins = registry.plugins.map((one) => (idOf(one) === id ? change(one) : one));
    return { registry: { ...registry, plugins }, result: undefined };
  });
}

/** Approves the content of a folder that is used with `--plugin-dir`. */
export async function approveFolder(
  dataFolder: string,
  real: string,
  { hash, values }: { hash: string; values?: OptionValues | undefined },
): Promise<void> {
  await updateRegistry(dataFolder, async (registry) => {
    if (values) await storeValues(dataFolder, { key: folderKey(real), origin: folderOrigin(real) }, values);
    return { registry: { ...registry, folders: { ...registry.folders, [real]: hash } }, result: undefined };
  });
}

/** Takes back the approval of a folder, and removes its values, its data, and its copy unless another folder has the same content. */
export async function revokeFolder(dataFolder: string, real: string): Promise<void> {
  const unneeded = await updateRegistry(dataFolder, async (registry) => {
    const { [real]: hash, ...folders } = registry.folders;
    const isShared = hash === undefined || Object.values(folders).includes(hash);
    await removeOwnFiles(ownFiles(dataFolder, folderKey(real))); // first: an interrupt must not leave them behind
    return { registry: { ...registry, folders }, result: isShared ? undefined : folderCopy(hash) };
  });
  if (unneeded !== undefined) await removeFolder(copyFolder(dataFolder, unneeded));
}

/** Removes a plugin with its copies, its values and its data. */
export async function removePlugin(dataFolder: string, record: PluginRecord): Promise<void> {
  const id = idOf(record);
  await updateRegistry(dataFolder, async (registry) => {
    // First, while the record is there: an interrupt must not leave values and data to another plugin of this name.
    await removeOwnFiles(ownFiles(dataFolder, id));
    const plugins = registry.plugins.filter((one) => idOf(one) !== id);
    return { registry: { ...registry, plugins }, result: undefined };
  });
  for (const copy of [record.copy, record.previous]) {
    if (copy !== undefined) await removeFolder(copyFolder(dataFolder, copy));
  }
  await sweep(dataFolder, readRegistry(dataFolder));
}

/** Adds a marketplace, or fetches it again. Nothing of it is used before one of its plugins is added. */
export async function addMarketplace(source: PluginSource, options: InstallOptions): Promise<Marketplace> {
  const { dataFolder, settings } = options;
  refuseSource(source, settings);
  const { marketplaces } = pluginFolders(dataFolder);
  return await withSource(source, options, async (folder) => {
    const { name } = readMarketplace(folder);
    const record: MarketplaceRecord = {
      name,
      source: source.source === 'path' ? { source: 'path', path: folder } : source,
    };
    const keep = async (): Promise<string> => {
      if (source.source === 'path') return folder;
      mkdirPrivate(marketplaces);
      // Its content is checked as that of a plugin is, and the copy is complete before it has its name.
      const staged = await stageCopy(folder, { dataFolder, name: 'marketplace' });
      const place = join(marketplaces, name);
      await removeFolder(place);
      await rename(staged.folder, place);
      return place;
    };
    return await updateRegistry(dataFolder, async (registry) => {
      const before = registry.marketplaces.find((one) => isSameName(one.name, name));
      const isOther = before?.name !== name || JSON.stringify(before.source) !== JSON.stringify(record.source);
      if (before && isOther) {
        throw new PluginProblem(
          `There is already a marketplace named ${before.name}, from ${describeSource(before.source)}. Remove it first: helve plugin remove ${before.name}.`,
        );
      }
      const others = registry.marketplaces.filter((one) => one !== before);
      const result = readMarketplace(await keep());
      return { registry: { ...registry, marketplaces: [...others, record] }, result };
    });
  });
}

export async function removeMarketplace(dataFolder: string, name: string): Promise<void> {
  await updateRegistry(dataFolder, async (registry) => {
    const used = registry.plugins.filter(({ marketplace }) => marketplace === name).map(idOf);
    if (used.length > 0) {
      throw new PluginProblem(`The marketplace ${name} is in use: ${used.join(', ')}. Remove these plugins first.`);
    }
    const marketplaces = registry.marketplaces.filter((one) => one.name !== name);
    return { registry: { ...registry, marketplaces }, result: undefined };
  });
  await removeFolder(join(pluginFolders(dataFolder).marketplaces, name));
}

/** A marketplace that was added, or that settings name; the latter is fetched when it is first used. */
export async function openMarketplace(
  name: string,
  options: InstallOptions,
): Promise<{ marketplace: Marketplace; record: MarketplaceRecord }> {
  const { dataFolder, settings } = options;
  const known = readRegistry(dataFolder).marketplaces.find((one) => one.name === name);
  const named = settings.extraKnownMarketplaces.get(name);
  if (known) {
    refuseSource(known.source, settings);
    const folder =
      known.source.source === 'path' ? known.source.path : join(pluginFolders(dataFolder).marketplaces, name);
    // Its folder is missing if a command was killed while it replaced it.
    const isLost = known.source.source === 'git' && !existsSync(folder);
    return {
      marketplace: isLost ? await addMarketplace(known.source, options) : readMarketplace(folder),
      record: known,
    };
  }
  if (!named) {
    throw new PluginProblem(
      `There is no marketplace "${name}". Add it first: helve plugin add PATH or helve plugin add URL.`,
    );
  }
  const source = readSource(named.value.source);
  if ('problem' in source) {
    throw new PluginProblem(`The marketplace ${name} of ${named.origin.file} can't be used: ${source.problem}.`);
  }
  const marketplace = await addMarketplace(source, options);
  if (marketplace.name === name) return { marketplace, record: { name, source } };
  await removeMarketplace(dataFolder, marketplace.name);
  throw new PluginProblem(
    `The marketplace ${name} of ${named.origin.file} calls itself ${marketplace.name}. Use this name there.`,
  );
}

/** Stages a plugin of a marketplace. */
export async function prepareListed(name: string, market: string, options: InstallOptions): Promise<PreparedPlugin> {
  const { marketplace, record } = await openMarketplace(market, options);
  const { source, fields } = findEntry(marketplace, name);
  return await preparePlugin(source, options, { marketplace, record, entry: fields });
}

/** Stages the present content of a plugin's source. */
export async function prepareUpdate(record: PluginRecord, options: InstallOptions): Promise<PreparedPlugin> {
  if (record.marketplace === undefined) return await preparePlugin(record.source, options);
  const { record: market } = await openMarketplace(record.marketplace, options);
  if (market.source.source === 'git') await addMarketplace(market.source, options);
  return await prepareListed(record.name, record.marketplace, options);
}

/** The ids of plugins that a plugin needs, in the registry's terms: a bare name belongs to the same marketplace. */
export function dependencyIds(
  { dependencies }: LoadedPlugin,
  { marketplace }: Pick<PluginRecord, 'marketplace'>,
): string[] {
  return dependencies.map((name) =>
    name.includes('@') || marketplace === undefined ? name : `${name}@${marketplace}`,
  );
}

/** The plugins that lead back to themselves by their dependencies, in order; undefined if none does. */
export function findCycle(needs: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    const at = path.indexOf(id);
    if (at >= 0) return [...path.slice(at), id];
    if (done.has(id)) return undefined;
    done.add(id);
    for (const next of needs.get(id) ?? []) {
      const cycle = visit(next, [...path, id]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  for (const id of needs.keys()) {
    const cycle = visit(id, []);
    if (cycle) return cycle;
  }
  return undefined;
}
