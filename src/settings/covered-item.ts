import { visible } from '../platform/text/visible.js';

/** An item of a folder that applies only if a person trusts it. */
export interface CoveredItem {
  /** `hooks`, `mcpServers`, `env`, `permissions.allow`; `instructions` for a file that the model reads. */
  key: string;
  /** Which entry: an event, a server, a variable. */
  name?: string | undefined;
  value: unknown;
  /** The file that it comes from, and the line in it, for people. Trust does not depend on them. */
  file?: string | undefined;
  line?: number | undefined;
}

/** One line for a person who decides: everything that the item would do, with invisible characters made visible. */
export function describeItem(item: CoveredItem): string {
  const value = typeof item.value === 'string' ? item.value : JSON.stringify(item.value);
  return visible(`${labelOf(item)}: ${value}`).replace(
    /[\p{Cf}\p{Zl}\p{Zp}\n\t]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

export const labelOf = ({ key, name }: CoveredItem): string => (name === undefined ? key : `${key}.${name}`);
