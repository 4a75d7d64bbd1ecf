// The registry: which plugins and marketplaces a person has added, and which content of each was approved.
import { join, resolve } from 'node:path';
import { realPathSync } from '../platform/files/paths.js';
import { readPrivateFile, withLock, writePrivateFile } from '../platform/files/private-file.js';
import { isObject } from '../platform/is-object.js';
import { messageOf } from '../platform/message-of.js';
import { pluginFolders } from './plugin-folders.js';
import { PluginProblem } from './plugin-problem.js';
import { type PluginSource, readSource } from './plugin-source.js';

export interface PluginRecord {
  name: string;
  /** Absent for a plugin that was added by its own path or address. */
  marketplace?: string;
  source: PluginSource;
  /** The name of the copy in the folder of copies. */
  copy: string;
  /** The content that a person has approved. Without it, nothing of the plugin is used. */
  approved?: string;
  enabled: boolean;
  /** The copy before the last update, which sessions that still run may use. */
  previous?: string;
  version?: string;
}

export interface MarketplaceRecord {
  name: string;
  source: PluginSource;
}

export interface Registry {
  plugins: readonly PluginRecord[];
  marketplaces: readonly MarketplaceRecord[];
  /** Approved contents of folders that are used in place, with `--plugin-dir`, by real path. */
  folders: Readonly<Record<string, string>>;
}

const empty: Registry = { plugins: [], marketplaces: [], folders: {} };

/** The id of a plugin: `NAME@MARKETPLACE`, or its name alone. */
export const idOf = ({ name, marketplace }: Pick<PluginRecord, 'name' | 'marketplace'>): string =>
  marketplace === undefined ? name : `${name}@${marketplace}`;

/**
 * Where a plugin comes from, in any version of it: its marketplace, or its own folder or address. Its values are for no
 * plugin from elsewhere, even if that has the same name.
 */
export function originOf({ marketplace, source }: PluginRecord, { marketplaces }: Registry): string {
  const { source: from } = marketplaces.find(({ name }) => name === marketplace) ?? { source };
  const place = from.source === 'path' ? [from.path] : [from.url, from.path ?? null];
  return JSON.stringify([marketplace ?? null, ...place]);
}

/** The same for a folder of `--plugin-dir`. */
export const folderOrigin = (real: string): string => JSON.stringify(['--plugin-dir', real]);

/** Reads one file; costs one system call if no plugin was ever added. Throws `PluginProblem` if it is unusable. */
export function readRegistry(dataFolder: string): Registry {
  const { file } = pluginFolders(dataFolder);
  try {
    const text = readPrivateFile(file);
    return text === undefined ? empty : registryIn(JSON.parse(text));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : messageOf(error);
    throw new PluginProblem(
      `${file} can't be relied on (${why}), so no plugin is used. Correct it, or delete it and add the plugins again.`,
      { cause: error },
    );
  }
}

/** Changes the registry under its lock. The file is replaced as a whole, so that a kill leaves the old or the new one. */
export async function updateRegistry<T>(
  dataFolder: string,
  change: (registry: Registry) => Promise<{ registry: Registry; result: T }>,
): Promise<T> {
  const { file, lock } = pluginFolders(dataFolder);
  return await withLock(lock, async () => {
    const before = readRegistry(dataFolder);
    const { registry, result } = await change(before);
    if (registry !== before) await writePrivateFile(file, `${JSON.stringify({ version: 1, ...registry }, null, 2)}\n`);
    return result;
  });
}

/** The plugin with this id, or with this name if only one has it. */
export function findRecord(registry: Registry, wanted: string): PluginRecord | undefined {
  const exact = registry.plugins.find((plugin) => idOf(plugin) === wanted);
  return exact ?? registry.plugins.find(({ name }) => name === wanted);
}

/** The approved folder that a person means by a path; also one that no longer exists. */
export function findFolder({ folders }: Registry, written: string): string | undefined {
  const path = resolve(written);
  return [path, realOrUndefined(path)].find((one) => one !== undefined && Object.hasOwn(folders, one));
}

function realOrUndefined(path: string): string | undefined {
  try {
    return realPathSync(path);
  } catch {
    return undefined; // it does not exist
  }
}

export const copyFolder = (dataFolder: string, copy: string): string => join(pluginFolders(dataFolder).copies, copy);

function registryIn(value: unknown): Registry {
  if (!isObject(value)) throw new Error('it is no object');
  const { plugins = [], marketplaces = [], folders = {} } = value;
  if (!Array.isArray(plugins) || !Array.isArray(marketplaces) || !isObject(folders))
    throw new Error('a list is missing');
  return {
    plugins: plugins.map(recordIn),
    marketplaces: marketplaces.map((one: unknown) => {
      if (!isObject(one) || typeof one['name'] !== 'string') throw new Error('a marketplace has no name');
      return { name: one['name'], source: sourceIn(one['source']) };
    }),
    folders: Object.fromEntries(
      Object.entries(folders).flatMap(([path, hash]) => (typeof hash === 'string' ? [[path, hash]] : [])),
    ),
  };
}

const COPY_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]*$/;

function recordIn(value: unknown): PluginRecord {
  if (!isObject(value)) throw new Error('a plugin is no object');
  const { name, marketplace, copy, approved, enabled, previous, version } = value;
  const isCopyName = (text: unknown): text is string => typeof text === 'string' && COPY_NAME.test(text);
  if (typeof name !== 'string' || !isCopyName(copy)) throw new Error('a plugin has no name or no copy');
  return {
    name,
    ...(typeof marketplace === 'string' && { marketplace }),
    source: sourceIn(value['source']),
    copy,
    ...(typeof approved === 'string' && { approved }),
    enabled: enabled === true,
    ...(isCopyName(previous) && { previous }),
    ...(typeof version === 'string' && { version }),
  };
}

function sourceIn(value: unknown): PluginSource {
  const read = readSource(value);
  if ('problem' in read) throw new Error(read.problem);
  return read;
}
