// Settings in a question contain only what matters for it, so an unknown name is a typo, and may be meant to deny
// something.
import { isObject } from '../../platform/is-object.js';
import { nearestName } from '../../settings/check.js';
import { notEnforced, passedOver, withoutEffect } from '../../settings/other-keys.js';
import { isSettingName, sectionNames } from '../../settings/schema.js';

/** What is wrong with the names in these settings, as one sentence; undefined if all are known. */
export function unknownKey(settings: unknown): string | undefined {
  if (!isObject(settings)) return undefined;
  const { permissions } = settings;
  const inner = isObject(permissions) ? Object.keys(permissions).map((key) => `permissions.${key}`) : [];
  const unknown = [...Object.keys(settings), ...inner].find((key) => !isKnown(key));
  if (unknown === undefined) return undefined;
  const nearest = nearestName(unknown);
  const meant = nearest === undefined ? 'Remove it.' : `Did you mean "${nearest}"?`;
  return `The settings are not understood: "${unknown}" is not a setting that helve knows, so what it refuses could get by. ${meant}`;
}

/** Lists of rules are also accepted at the root. */
const ROOT_LISTS = ['allow', 'ask', 'deny', 'additionalDirectories'];

const isKnown = (key: string): boolean =>
  isSettingName(key) ||
  [...sectionNames, ...ROOT_LISTS].includes(key) ||
  passedOver.has(key) ||
  withoutEffect.has(key) ||
  Object.hasOwn(notEnforced, key);
