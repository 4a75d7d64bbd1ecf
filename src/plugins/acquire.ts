// Gets the folder of a source: in place for a path, fetched into a temporary folder for a git repository.
import { rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { randomHex } from '../platform/crypto.js';
import { mkdirPrivate } from '../platform/files/mkdir-private.js';
import { resolveIn } from '../platform/files/paths.js';
import { type FetchLimits, fetchGit } from './fetch-git.js';
import { pluginFolders } from './plugin-folders.js';
import { pathInPlugin } from './plugin-paths.js';
import { PluginProblem } from './plugin-problem.js';
import { describeSource, type PluginSource } from './plugin-source.js';

export interface AcquireOptions {
  dataFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  home?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How much a fetch may take. */
  limits?: FetchLimits;
  /** The folder of the marketplace that relative paths are in. */
  within?: string | undefined;
}

/** Calls `use` with the folder of the source, and removes what was fetched. Throws `PluginProblem`. */
export async function withSource<T>(
  source: PluginSource,
  options: AcquireOptions,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  if (source.source === 'path') return await use(await folderAt(source, options));
  const { root } = pluginFolders(options.dataFolder);
  const folder = join(root, `.fetch-${randomHex(9)}`);
  mkdirPrivate(folder);
  try {
    await fetchGit(source, folder, options);
    if (source.path === undefined) return await use(folder);
    const place = pathInPlugin(folder, source.path);
    if ('problem' in place) throw new PluginProblem(`${describeSource(source)} can't be used: ${place.problem}.`);
    return await use(place.path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function folderAt(
  { path, within: isWithin }: Extract<PluginSource, { source: 'path' }>,
  { within, home }: AcquireOptions,
): Promise<string> {
  if (isWithin) {
    if (within === undefined)
      throw new PluginProblem(`The source ${path} is relative to a marketplace that is not known.`);
    const place = pathInPlugin(within, path);
    if ('problem' in place) throw new PluginProblem(`The source of the plugin can't be used: ${place.problem}.`);
    return place.path;
  }
  const folder = isAbsolute(path) ? path : resolve(resolveIn(process.cwd(), path, () => home));
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw new PluginProblem(`There is no folder ${folder}.`);
  return folder;
}
