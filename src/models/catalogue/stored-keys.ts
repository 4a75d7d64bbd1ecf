// Keys stored by the user instead of being set in the environment: a private file in the data folder.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelFailure } from '../../contract/model.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';

type Environment = Readonly<Record<string, string | undefined>>;

export const storedKeysPath = (env: Environment): string => join(dataFolderOf({ env }), 'keys.json');

/** The environment with stored keys added; variables that are set take precedence. */
export function withStoredKeys(env: Environment): Environment {
  const stored = Object.entries(readStoredKeys(env)).filter(([variable]) => !env[variable]?.trim());
  return stored.length === 0 ? env : { ...env, ...Object.fromEntries(stored) };
}

/** Keyed by variable name. A file that others can read or write is refused. */
export function readStoredKeys(env: Environment): Record<string, string> {
  const path = storedKeysPath(env);
  const text = privateText(path);
  if (text === undefined) return {};
  try {
    const { keys }: { keys?: unknown } = JSON.parse(text);
    if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw new Error('it has no "keys"');
    return Object.fromEntries(
      Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
}

function privateText(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unusable(path, code === 'ELOOP' ? 'it is a link' : String(code));
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unusable(path, 'it is not a file');
    const { mode, uid } = stats;
    const user = process.getuid?.();
    if (user !== undefined && uid !== user) throw unusable(path, 'it belongs to another user');
    if (user !== undefined && (mode & 0o077) !== 0)
      throw unusable(path, `other users can access it; run chmod 600 ${path}`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

const unusable = (path: string, why: string): ModelFailure =>
  new ModelFailure(
    'auth',
    `The stored keys in ${path} are not used: ${clause(why)}. Correct that, or remove the file.`,
  );
