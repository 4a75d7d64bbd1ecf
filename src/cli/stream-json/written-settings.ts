// Which settings a host may write into the files of a person, by what the table of settings says about each.
import { settingTable } from '../../settings/schema.js';
import type { Setting } from '../../settings/setting.js';

/**
 * Whether every setting of this name, or below it, has no effect on what calls may do, what is run and where data goes:
 * any project could set it without being trusted.
 */
export function mayWrite(name: string): boolean {
  const table: Readonly<Record<string, Setting>> = settingTable;
  const meant = Object.entries(table).filter(([key]) => key === name || key.startsWith(`${name}.`));
  return meant.length > 0 && meant.every(([, setting]) => isHarmless(setting));
}

function isHarmless(setting: Setting): boolean {
  const { shape, loosens, strictest, order, from, isSecret, broken, switchesGuardsOff } = setting;
  const isGuarded = loosens ?? order ?? from ?? strictest ?? broken;
  return shape === 'one' && isGuarded === undefined && !isSecret && !switchesGuardsOff;
}
