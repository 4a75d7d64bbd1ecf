import { findRecord, readRegistry } from '../../plugins/registry.js';
import { sessionPlugins } from '../../plugins/session-plugins.js';
import { writeLine } from '../write-line.js';
import { enableAdded, enableFolder } from './enable.js';
import { installOptions } from './plugin-context.js';

/** Asks about plugins that are new or changed, before a conversation at the terminal. A no holds the plugin back. */
export async function approveHeld({
  folders,
  settings,
  trust,
}: {
  folders: readonly string[];
  settings?: string | undefined;
  trust?: boolean | undefined;
}): Promise<void> {
  const options = await installOptions({ settings });
  const { held } = await sessionPlugins({ ...options, folders, trust: trust === true });
  for (const { id, kind, notice } of held) {
    if (kind !== 'approval') continue;
    await writeLine(process.stdout, notice);
    const isAdded = findRecord(readRegistry(options.dataFolder), id) !== undefined;
    if (isAdded && !folders.includes(id)) await enableAdded(id, {}, options);
    else await enableFolder(id, {}, options);
  }
}
