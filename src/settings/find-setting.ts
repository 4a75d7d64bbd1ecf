// Finds a setting by the name that a user types, and parses its value.
import { parseJson } from '../platform/parse-json.js';
import { nearestName } from './check.js';
import { isSettingName, type SettingName, sectionNames, settingNames, settings } from './schema.js';

export interface WantedKey {
  key: SettingName;
  /** Which entry of it. */
  name?: string;
}

/** A setting, or one entry of it: `env.NAME`. `lister`: the command that lists the settings where this was typed. */
export function findSetting(text: string, lister = 'helve config keys'): WantedKey | { problem: string } {
  if (isSettingName(text)) return { key: text };
  const key = settingNames.find((name) => text.startsWith(`${name}.`));
  if (key && ['map', 'hooks'].includes(settings[key].shape)) return { key, name: text.slice(key.length + 1) };
  if (sectionNames.includes(text)) {
    const inside = settingNames.filter((name) => name.startsWith(`${text}.`)).join(', ');
    return { problem: `"${text}" is a group of settings, not one of them. Name one: ${inside}.` };
  }
  const nearest = nearestName(text);
  const meant = nearest === undefined ? `${lister} lists all of them.` : `Did you mean "${nearest}"?`;
  return { problem: `There is no setting "${text}". ${meant}` };
}

/** A text if the setting accepts text; otherwise, or if it looks like JSON, JSON. */
export function typedValue(key: SettingName, text: string): unknown {
  const json = parseJson(text);
  const { shape, schema } = settings[key];
  if (json === undefined || json === null) return text;
  if (typeof json === 'object') return json;
  const isElement = shape === 'one' || shape === 'list' || shape === 'map';
  return isElement && schema.safeParse(text).success ? text : json;
}
