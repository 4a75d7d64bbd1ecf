import { knownNames } from '../agent/known-names.js';
import { permissionModes } from '../contract/permission.js';
import { environmentWith } from '../settings/environment.js';
import { watchSettings } from '../settings/watch.js';
import type { SettingsOptions } from './settings.js';
import { SettingsContent } from './settings-content.js';

export async function readSettings(options: SettingsOptions): Promise<SettingsContent> {
  const { root = process.cwd(), env = process.env, home, file, trust } = options;
  const watched = await watchSettings({
    root,
    env,
    ...knownNames({ root, env, home }),
    ...(home !== undefined && { home }),
    ...(file !== undefined && { flag: file }),
    ...(trust && { trust }),
  });
  const { defaultMode, bypassDisabledBy } = watched.current;
  // Only the program may turn all questions off, not a file that it happens to find.
  const permissionMode = permissionModes.find((mode) => mode === defaultMode?.value && mode !== 'bypassPermissions');
  return new SettingsContent({
    watched,
    root,
    env: environmentWith(watched.current, env),
    permissionMode,
    bypassDisabledBy: bypassDisabledBy?.file,
  });
}
