// Where plugins are in Helve's data folder.
import { join } from 'node:path';
import { sha256 } from '../platform/crypto.js';

export interface PluginFolders {
  root: string;
  /** The registry. */
  file: string;
  lock: string;
  /** One folder for each content that is in use. */
  copies: string;
  /** Clones of marketplaces, by name. */
  marketplaces: string;
  /** What plugins keep themselves: `${CLAUDE_PLUGIN_DATA}`. */
  data: string;
  /** The files of each approved content, to name those that have changed since. */
  pins: string;
  /** Values of users, private. */
  config: string;
}

export function pluginFolders(dataFolder: string): PluginFolders {
  const root = join(dataFolder, 'plugins');
  return {
    root,
    file: join(root, 'plugins.json'),
    lock: join(root, 'plugins.lock'),
    copies: join(root, 'copies'),
    marketplaces: join(root, 'marketplaces'),
    data: join(root, 'data'),
    pins: join(root, 'pins'),
    config: join(root, 'config'),
  };
}

/**
 * The name under which values and data of a folder of `--plugin-dir` are kept: by its real path, since its manifest may
 * give it any name, also that of a plugin that was added. No id begins with "_".
 */
export const folderKey = (real: string): string => `_dir-${sha256().update(real).digest('hex').slice(0, 24)}`;
