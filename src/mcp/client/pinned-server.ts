import { sha256 } from '../../platform/crypto.js';
import type { ConfiguredServer } from './config.js';
import type { PinnedServer } from './pins.js';

/** A changed command, arguments or address make it a different server, even under the same name. */
export function pinnedServer({ name, entry, source }: ConfiguredServer, root: string): PinnedServer {
  const { type, command, args, url } = entry;
  const folder = dependsOnFolder(source, [command, ...(Array.isArray(args) ? args : [])]) ? { folder: root } : {};
  const keyOf = (parts: readonly unknown[]): string =>
    `${name.slice(0, 60)} ${sha256().update(JSON.stringify(parts)).digest('hex').slice(0, 16)}`;
  const parts = [name, source, type, command, args, url];
  return { key: keyOf([...parts, ...Object.values(folder)]), legacyKey: keyOf(parts), name, source, ...folder };
}

/** Whether the same entry may start another program in another project. */
const dependsOnFolder = (source: ConfiguredServer['source'], words: readonly unknown[]): boolean =>
  source === 'project' || source === 'local' || words.some((word) => typeof word === 'string' && isRelative(word));

/** A relative path, a script in the folder, or a variable with the folder. The name of a package is none of these. */
const isRelative = (word: string): boolean =>
  /^\.{1,2}(?:\/|$)/.test(word) ||
  /^(?!\/)[^:]+\.(?:[cm]?[jt]sx?|py|sh|rb)$/.test(word) ||
  word.includes('PROJECT_DIR');
