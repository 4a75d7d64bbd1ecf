import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { randomId } from '../crypto.js';
import { messageOf } from '../message-of.js';
import { visible } from '../text/visible.js';
import { createRepositoryFinder, keyOf, type Repository } from './find-repositories.js';
import { moveAside } from './placeholders.js';
import { isPlainGitConfig } from './plain-git-config.js';
import { contains, realOf } from './plan-access.js';
import { missingParts, repositoryPaths } from './repository-paths.js';

/**
 * Ensures that no sandboxed command leaves a git repository that would start a program when git is used in the
 * project.
 */
export interface RepositoryGuard {
  /** Before a command: the paths that it must not change, and the parts that could not be searched. */
  look(folders: readonly string[]): Promise<{ readOnly: string[]; notes: string[] }>;
  /** A sandboxed command begins. `command` is any object that identifies it; pass the same one to `ended`. */
  started(command: object): void;
  /**
   * All its processes have ended: moves aside everything that would start a program. Returns messages for the person.
   */
  ended(command: object): Promise<string[]>;
}

/**
 * One instance for all commands of a session. Repositories that existed before are read-only for commands. A
 * repository that a command has created can be changed and removed by later commands, and is checked after each of
 * them.
 */
export function createRepositoryGuard(): RepositoryGuard {
  const find = createRepositoryFinder();
  /** By key: repositories that no command has created, with their missing parts. */
  const own = new Map<string, readonly string[]>();
  const made = new Set<string>();
  const running = new Set<object>();
  let folders: readonly string[] = [];
  const examine = async (): Promise<string[]> => {
    const { repositories, notes } = await find(folders);
    const findings = notes.map((note) => `${note} Look before you use git there.`);
    for (const one of repositories) {
      const key = keyOf(one);
      if (one.undecodable) {
        if (!own.has(key)) findings.push(...(await moveFolderAside(one.undecodable)));
        continue;
      }
      const planted = own.get(key)?.filter((path) => !isHarmless(path, one)) ?? dangersOf(one, repositories, folders);
      for (const path of planted) findings.push(...(await aside(path)));
      if (own.has(key)) continue;
      if (planted.length === 0 && !made.has(key)) {
        findings.push(
          `The command made a git repository, ${key}. It was left in place: nothing in it starts programs.`,
        );
      }
      made.add(key);
    }
    return findings;
  };
  return {
    async look(now) {
      folders = now;
      const { repositories, notes } = await find(now);
      const keys = new Set(repositories.map(keyOf));
      for (const key of [...own.keys()].filter((one) => !keys.has(one))) own.delete(key);
      for (const key of [...made].filter((one) => !keys.has(one))) made.delete(key);
      for (const one of repositories.filter((other) => !made.has(keyOf(other)))) {
        // A repository that appears while a command runs may be that command's.
        if (running.size > 0 && !own.has(keyOf(one))) made.add(keyOf(one));
        else own.set(keyOf(one), missingParts(one));
      }
      const nameable = repositories.filter(({ undecodable }) => undecodable === undefined);
      const readOnly = nameable.filter((one) => own.has(keyOf(one))).flatMap(repositoryPaths);
      return { readOnly: [...new Set(readOnly)], notes };
    },
    started(command) {
      running.add(command);
    },
    async ended(command) {
      if (!running.has(command)) return [];
      try {
        return await examine();
      } finally {
        running.delete(command); // not earlier: until here a new repository counts as created by a command
      }
    },
  };
}

/** The parts of a command's repository that could start a program. */
function dangersOf(one: Repository, all: readonly Repository[], folders: readonly string[]): string[] {
  const { gitFolder, link } = one;
  if (link !== undefined) {
    const isKnown = all.some((other) => other.link === undefined && other.gitFolder === gitFolder);
    const isInside = folders.some((folder) => contains(realOf(folder) ?? folder, gitFolder));
    return isKnown && isInside ? [] : [link];
  }
  return ['config', 'config.worktree', 'commondir', 'hooks']
    .map((name) => join(gitFolder, name))
    .filter((path) => !isHarmless(path, one));
}

/** Also succeeds if nothing is there. */
function isHarmless(path: string, { gitFolder, commonFolder }: Repository): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  try {
    if (path === join(gitFolder, 'hooks')) {
      return stats.isDirectory() && readdirSync(path).every((name) => name.endsWith('.sample'));
    }
    if (!stats.isFile()) return false;
    const text = readFileSync(path, 'utf8');
    if (path !== join(gitFolder, 'commondir')) return isPlainGitConfig(text);
    return commonFolder !== undefined && resolve(gitFolder, text.replace(/(?<![\r\n])[\r\n]+$/, '')) === commonFolder;
  } catch {
    return false; // unreadable, or being replaced right now
  }
}

/** The folder as a whole: its content can't be named individually. */
async function moveFolderAside(folder: Buffer): Promise<string[]> {
  const shown = visible(folder.toString('latin1'));
  const to = `${dirname(folder.toString('latin1'))}/set-aside-${randomId()}`;
  try {
    await rename(folder, Buffer.from(to, 'latin1'));
    return [
      `A folder with a git repository and a name that is not UTF-8 was made while the command ran (${shown}). It was renamed to ${visible(to)}.`,
    ];
  } catch (error) {
    return [
      `${shown} has a git repository in it that was made while the command ran, and could not be renamed: ${messageOf(error)}. Remove it before you use git.`,
    ];
  }
}

async function aside(path: string): Promise<string[]> {
  try {
    return await moveAside(path, 'would make git start a program');
  } catch (error) {
    return [
      `${path} would make git start a program, was made while the command ran, and could not be renamed: ${messageOf(error)}. Remove it before you use git there.`,
    ];
  }
}
