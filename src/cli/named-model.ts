import type { Settings } from '../settings/settings.js';
import { placeOf } from '../settings/settings-problem.js';

/** A model's name and where it was set, for use after "named by". */
export interface NamedModel {
  name: string;
  from: string;
}

/** The model of a run without --model: from settings, else the environment, else undefined. */
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
