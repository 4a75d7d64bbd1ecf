// Settings as lines for people. A list may be shown to others, so values that may be keys are hidden.
import { visible } from '../platform/text/visible.js';
import type { SettingEntry } from './settings.js';
import { oneLine, placeOf } from './settings-problem.js';

export const describeEntry = (entry: SettingEntry): string =>
  `${oneLine(labelOf(entry))} = ${visible(JSON.stringify(withoutSecrets(entry)))}  (${placeOf({ ...entry.origin, column: undefined })})`;

export const labelOf = ({ key, name }: Pick<SettingEntry, 'key' | 'name'>): string =>
  name === undefined ? key : `${key}.${name}`;

const HIDDEN = '(hidden)';

/** A list may be shown to others, so values that may be keys are hidden. `get` shows them by name. */
export function withoutSecrets({ key, name = '', value }: SettingEntry): unknown {
  if (key === 'env') return isSecretName(name) ? HIDDEN : value;
  return key === 'mcpServers' || key === 'hooks' ? hideWithin(value) : value;
}

const isSecretName = (name: string): boolean => /key|token|secret|password|passwd|credential|auth|cookie/i.test(name);

function hideWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && isSecretName(name) ? HIDDEN : hideWithin(inner),
    ]),
  );
}
