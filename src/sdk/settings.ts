import type { LoadedSettings } from '../contract/options.js';
import { checkSettingsOptions } from './check-options.js';

/** Where settings are read from. */
export interface SettingsOptions {
  /** The project. Default: the process's working directory. */
  root?: string;
  /** The environment, instead of the process's own. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The folder that `~` means. Default: the home folder of the user. */
  home?: string;
  /** A settings file in addition to the usual ones, with precedence over them. */
  file?: string;
  /** The project may run hooks and servers and loosen rules. Default: only if a person has trusted its folder. */
  trust?: boolean;
}

/**
 * Reads the settings of the person and the project, as the command line does: rules, hooks, MCP servers, switches of
 * tools. Rejects if something that could refuse a call is not understood.
 */
export async function loadSettings(options: SettingsOptions = {}): Promise<LoadedSettings> {
  checkSettingsOptions(options);
  const { readSettings } = await import('./read-settings.js');
  return await readSettings(options);
}
