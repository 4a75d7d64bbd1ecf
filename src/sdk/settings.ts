import type { LoadedSettings } from '../contract/options.js';
import { checkSettingsOptions } from './check-options.js';

/** Where settings are looked for. */
export interface SettingsOptions {
  /** The project. Default: the process's working directory. */
  root?: string;
  /** The environment, in the place of the process's own. */
  env?: Readonly<Record<string, string | undefined>>;
  /** What `~` stands for. Default: the home folder of the user. */
  home?: string;
  /** A settings file beside the usual ones, which it wins over. */
  file?: string;
  /** The project may run hooks and servers and loosen rules. Default: only where a person has trusted its folder. */
  trust?: boolean;
}

/**
 * Reads the settings of the person and the project, as the command line does: rules, hooks, MCP servers, switches of
 * tools. Rejects where something that could refuse a call is not understood.
 */
export async function loadSettings(options: SettingsOptions = {}): Promise<LoadedSettings> {
  checkSettingsOptions(options);
  const { readSettings } = await import('./read-settings.js');
  return await readSettings(options);
}
