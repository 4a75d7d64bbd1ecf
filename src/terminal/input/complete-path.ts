// Completes a path by reading its folder, as shells do: for paths outside the project, and for commands.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveIn } from '../../platform/files/paths.js';
import type { Choice } from '../contract.js';

const MAX_CHOICES = 50;

export interface PathPlace {
  cwd: string;
  home?: string | undefined;
  /** Offers only folders. */
  onlyFolders?: boolean;
}

/** The possible completions; folders end with a slash. Empty if the folder can't be read. */
export async function completePath(typed: string, { cwd, home, onlyFolders }: PathPlace): Promise<Choice[]> {
  const slash = typed.lastIndexOf('/') + 1;
  const [folder, start] = [typed.slice(0, slash), typed.slice(slash)];
  const where = typed === '~' ? undefined : resolveIn(cwd, folder || '.', () => home);
  if (where === undefined) return [{ value: '~/' }];
  const entries = await readdir(where, { withFileTypes: true }).catch(() => []);
  const choices = entries
    .filter(({ name }) => isTypable(name) && name.startsWith(start) && (start !== '' || !name.startsWith('.')))
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() || entry.isSymbolicLink(), entry }))
    .filter(({ isFolder }) => isFolder || !onlyFolders)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, MAX_CHOICES);
  return await Promise.all(
    choices.map(async ({ name, entry }) => {
      const leadsOn = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(where, name))));
      return { value: `${folder}${name}${leadsOn ? '/' : ''}` };
    }),
  );
}

/** A name may contain control characters, which can't be typed and could control the terminal. */
export const isTypable = (name: string): boolean => !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name);

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
