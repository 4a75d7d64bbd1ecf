import { placeOf } from '../settings/report.js';
import type { Settings } from '../settings/settings.js';

/** A word for a model, and who says it, as it stands after "named by". */
export interface NamedModel {
  name: string;
  from: string;
}

/** What names the model of a run without --model: settings before the environment. Nothing where neither says a word. */
export function namedModel(
  { model }: Pick<Settings, 'model'>,
  env: Readonly<Record<string, string | undefined>>,
): NamedModel | undefined {
  if (model) return { name: model.value, from: settingFrom('model', model.origin) };
  const name = env['HELVE_MODEL']?.trim();
  return name ? { name, from: 'HELVE_MODEL' } : undefined;
}

/** A setting with its file and line. */
export const settingFrom = (key: string, origin: Parameters<typeof placeOf>[0]): string =>
  `"${key}" in ${placeOf({ ...origin, column: undefined })}`;
