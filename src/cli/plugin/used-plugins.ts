import type { LoadedPlugin } from '../../plugins/loaded-plugin.js';
import { type SessionPluginsOptions, sessionPlugins } from '../../plugins/session-plugins.js';

/** The plugins of a session, and what the person is told at its start. */
export interface UsedPlugins {
  plugins: readonly LoadedPlugin[];
  startNotices: readonly string[];
  /** Why a plugin that was added is not in use, by its name. */
  unusedPlugins: ReadonlyMap<string, string>;
}

export async function usedPlugins(options: SessionPluginsOptions): Promise<UsedPlugins> {
  const { plugins, held, notices, unused: unusedPlugins } = await sessionPlugins(options);
  const isInPlace = ({ root }: LoadedPlugin): boolean => /[/\\]dir-[0-9a-f]+$/.test(root);
  // A plugin that was added has shown its unused parts before it was approved.
  const unused = plugins
    .filter(isInPlace)
    .flatMap(({ name, unused: parts }) =>
      parts.length === 0
        ? []
        : [
            `The plugin ${name} has parts without effect: ${parts.map(({ part, reason }) => `${part} (${reason})`).join('; ')}.`,
          ],
    );
  return { plugins, startNotices: [...held.map(({ notice }) => notice), ...notices, ...unused], unusedPlugins };
}
