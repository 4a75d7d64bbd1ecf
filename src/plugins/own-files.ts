// What Helve keeps for one plugin beside its copies: its data, its values, and the list of its approved files.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pinFile } from './pins.js';
import { folderKey, pluginFolders } from './plugin-folders.js';
import { idOf, type Registry } from './registry.js';

/** `key`: the plugin's id, or the key of a folder. Values come first, since they are secret. */
export function ownFiles(dataFolder: string, key: string): string[] {
  const { config, data } = pluginFolders(dataFolder);
  return [join(config, `${key}.json`), join(data, key), pinFile(dataFolder, key)];
}

export async function removeOwnFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

/** What belongs to no plugin and no folder that is recorded. */
export async function abandonedFiles(dataFolder: string, { plugins, folders }: Registry): Promise<string[]> {
  const { config, data, pins } = pluginFolders(dataFolder);
  const known = new Set([...plugins.map(idOf), ...Object.keys(folders).map(folderKey)]);
  const inFolder = async (folder: string, ending: string): Promise<string[]> =>
    (await readdir(folder).catch(() => []))
      // Data of a folder that was used with --trust has no record.
      .filter(
        (name) =>
          !(folder === data && name.startsWith('_dir-')) && !known.has(name.slice(0, -ending.length || undefined)),
      )
      .map((name) => join(folder, name));
  return [...(await inFolder(config, '.json')), ...(await inFolder(data, '')), ...(await inFolder(pins, '.json'))];
}
