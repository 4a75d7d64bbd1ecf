import { lstatSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isDotGit, type Repository } from './find-repositories.js';

/** What git takes programs and further configuration from, below the folder of a repository. */
export const REPOSITORY_PARTS = ['config', 'config.worktree', 'commondir', 'hooks'] as const;

/**
 * What must stay as it is of a repository, so that git starts nothing there that a command has put in place: the parts
 * that exist, the link that leads to it, and files of the project that its configuration names as programs or further
 * configuration.
 */
export function repositoryPaths(repository: Repository): string[] {
  const { gitFolder, link } = repository;
  const parts = REPOSITORY_PARTS.map((name) => join(gitFolder, name)).filter(exists);
  return [...(link === undefined ? [] : [link]), ...parts, ...namedByConfig(repository)];
}

/** The parts that do not exist. Placeholders for them would show in repositories that tests read, so they are only watched. */
export function missingParts({ gitFolder }: Repository): string[] {
  return exists(gitFolder) ? REPOSITORY_PARTS.map((name) => join(gitFolder, name)).filter((path) => !exists(path)) : [];
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** `core.hooksPath`, `core.fsmonitor` and `include.path`, as far as they name something relative or absolute. */
function namedByConfig({ gitFolder, link }: Repository): string[] {
  const workTree = link === undefined ? (isDotGit(gitFolder) ? dirname(gitFolder) : gitFolder) : dirname(link);
  return ['config', 'config.worktree'].flatMap((name) => {
    const text = textOf(join(gitFolder, name));
    // Rather too many than too few: the section is not looked at.
    const entries = text.matchAll(/(?:^|[\n\]])[ \t]*(path|hookspath|fsmonitor)[ \t]*=[ \t]*("?)([^\n"#;]+)\2/gi);
    return [...entries].flatMap(([, key = '', , value = '']) => {
      const path = value.trim();
      if (path === '' || path.startsWith('~') || /^(?:true|false|yes|no|on|off|[01])$/i.test(path)) return [];
      const isInclude = key.toLowerCase() === 'path';
      if (!isInclude && key.toLowerCase() === 'fsmonitor' && !path.includes('/')) return []; // found on PATH
      const full = isAbsolute(path) ? path : resolve(isInclude ? gitFolder : workTree, path);
      return key.toLowerCase() === 'hookspath' || exists(full) ? [full] : [];
    });
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
