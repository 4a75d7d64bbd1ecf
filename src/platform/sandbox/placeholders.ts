import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { readlink, rename, symlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { randomId } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { messageOf } from '../message-of.js';
import { clause } from '../text/clause.js';

/** Git refuses to work if these names are folders, so the placeholder is a file that states git's defaults. */
const FILES: Readonly<Record<string, string>> = { commondir: '.\n', 'config.worktree': '' };

export interface Placeholders {
  has(path: string): boolean;
  /**
   * Creates an empty folder for each missing path (a file if git needs one), so that there is something to mount
   * read-only, and records where symlinks point. `held` lists the placeholders that were created or already there.
   * Git and most other programs ignore an empty folder, and removing it can't delete any content.
   */
  hold(places: { missing: readonly string[]; links: readonly string[] }): {
    held: string[];
    release(): Promise<string[]>;
  };
}

/** Records the placeholders that are in the project, for the recovery after a crash. */
export interface PlaceholderRecorder {
  add(paths: readonly string[]): void;
  remove(paths: readonly string[]): void;
}

/** One instance for all commands of an engine: the last command that needs a placeholder removes it. */
export function createPlaceholders(notes: () => PlaceholderRecorder | undefined = () => undefined): Placeholders {
  const users = new Map<string, number>();
  return {
    has: (path) => users.has(path),
    hold({ missing, links }) {
      notes()?.add(missing.filter((path) => !users.has(path)));
      const held = missing.filter((path) => users.has(path) || makePlaceholder(path));
      for (const path of held) users.set(path, (users.get(path) ?? 0) + 1);
      const watched = missing.filter((path) => !held.includes(path));
      const targets = new Map(links.map((path) => [path, readlinkSync(path)]));
      const release = async (): Promise<string[]> => {
        const findings: string[] = [];
        const removed: string[] = [];
        for (const path of held) {
          const left = (users.get(path) ?? 1) - 1;
          if (left > 0) users.set(path, left);
          else {
            // Synchronous: a command that starts in between would take the folder for one of the project's own.
            users.delete(path);
            findings.push(...removePlaceholder(path));
            removed.push(path);
          }
        }
        notes()?.remove(removed);
        for (const path of watched) findings.push(...(await orExplain(path, () => moveAside(path))));
        for (const [path, target] of targets)
          findings.push(...(await orExplain(path, () => restoreLink(path, target))));
        return findings;
      };
      return { held, release };
    },
  };
}

/** False if we can't create it either: then the command can't. */
function makePlaceholder(path: string): boolean {
  const content = contentOf(path);
  try {
    if (content === undefined) mkdirSync(path);
    else writeFileSync(path, content, { flag: 'wx', mode: 0o444 });
    return true;
  } catch {
    const stats = lstatSync(path, { throwIfNoEntry: false }); // another process was faster
    return content === undefined ? stats?.isDirectory() === true : stats?.isFile() === true;
  }
}

const contentOf = (path: string): string | undefined =>
  Object.hasOwn(FILES, basename(path)) ? FILES[basename(path)] : undefined;

/** Throws if the path holds something else now; that is not removed. */
export function removeUnchangedPlaceholder(path: string): void {
  const content = contentOf(path);
  if (content === undefined) rmdirSync(path);
  else if (readFileSync(path, 'utf8') === content) unlinkSync(path);
  else throw new Error('it holds something else');
}

function removePlaceholder(path: string): string[] {
  try {
    removeUnchangedPlaceholder(path);
    return [];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    return [
      `${path} is protected and came to be while the command ran, from outside its sandbox. Look at it before you use it.`,
    ];
  }
}

/** Moves an entry that could not be prevented to a new name: no content is lost, and it has no effect. */
export async function moveAside(path: string, why = 'is protected'): Promise<string[]> {
  if (!lstatSync(path, { throwIfNoEntry: false })) return []; // the common case: cheaper than waiting for a thread
  const aside = `${path}.set-aside-${randomId()}`;
  await rename(path, aside);
  return [`${path} ${why} and was created while the command ran. It was renamed to ${aside}; look at it there.`];
}

export async function restoreLink(path: string, target: string): Promise<string[]> {
  const now = await readlink(path).catch(() => undefined);
  if (now === target) return [];
  const findings = await moveAside(path);
  await symlink(target, path);
  return [`${path} is protected and was changed while the command ran. It leads to ${target} again.`, ...findings];
}

export async function orExplain(path: string, undo: () => Promise<string[]>): Promise<string[]> {
  try {
    return await undo();
  } catch (error) {
    const why = messageOf(error);
    return [
      `${path} is protected, was changed while the command ran, and could not be put right: ${clause(why)}. Look at it now.`,
    ];
  }
}
