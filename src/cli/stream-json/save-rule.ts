import { dataFolderOf } from '../../platform/files/paths.js';
import type { EditableScope } from '../../settings/edit-file.js';
import type { PlaceOptions } from '../../settings/locations.js';

/** Saves an allow rule in a settings file, trusted without another question. */
export async function saveRule(rule: string, scope: EditableScope, options: PlaceOptions): Promise<void> {
  const { editSettings, rememberRule } = await import('../../settings/edit-file.js');
  if (scope === 'local') return await rememberRule(rule, 'allow', options);
  await editSettings(scope, { path: ['permissions', 'allow'], value: rule, append: true }, options);
  if (scope === 'user') return;
  const { approveItem } = await import('../../settings/trust.js');
  const item = { key: 'permissions.allow', value: rule };
  await approveItem(options.root, item, { dataFolder: dataFolderOf(options) });
}
