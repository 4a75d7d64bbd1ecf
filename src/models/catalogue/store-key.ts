// Stores a key in the data folder, readable only by the user. Never in a project, and never in a message.
import { withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { readStoredKeys, storedKeysPath } from './stored-keys.js';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_KEY_CHARS = 4_000;

/** The key in what was typed or pasted, which may be a whole line of a shell script. */
export const keyIn = (typed: string): string =>
  typed
    .trim()
    .replace(/^(?:export\s+)?[A-Z][A-Z0-9_]*=/, '')
    .replaceAll(/^["']|["']$/g, '');

/** Returns an error message if the text is not a key. */
export async function storeKey(variable: string, typed: string, env: Environment): Promise<string | undefined> {
  const key = keyIn(typed);
  if (key === '') return 'Nothing was typed, so nothing was stored.';
  if (/[^\x21-\x7e]/.test(key) || key.length > MAX_KEY_CHARS) {
    return 'That is not a key: a key has no spaces and only ASCII characters. Nothing was stored.';
  }
  if (/^https?:\/\//.test(key)) return 'That is an address, not a key. Nothing was stored.';
  await change(env, (keys) => ({ ...keys, [variable]: key }));
  return undefined;
}

/** Whether there was one. */
export async function forgetKey(variable: string, env: Environment): Promise<boolean> {
  let was = false;
  await change(env, ({ [variable]: key, ...others }) => {
    was = key !== undefined;
    return others;
  });
  return was;
}

async function change(
  env: Environment,
  edit: (keys: Readonly<Record<string, string>>) => Record<string, string>,
): Promise<void> {
  const path = storedKeysPath(env);
  await withLock(`${path}.lock`, async () => {
    const keys = edit(readStoredKeys(env));
    await writePrivateFile(path, `${JSON.stringify({ keys }, null, 2)}\n`);
  });
}
