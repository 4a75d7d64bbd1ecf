import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { textIn } from '../files/lenient-reads.js';
import { isDotGit, type Repository } from './find-repositories.js';

/** The entries of a repository that git takes programs and further configuration from. */
const REPOSITORY_PARTS = ['config', 'config.worktree', 'commondir', 'hooks'] as const;

/**
 * The paths of a repository that must stay unchanged so that git starts no program that a command has planted: the
 * existing parts, the link to the repository, and files of the project that its configuration names as programs or
 * includes.
 */
export function repositoryPaths(repository: Repository): string[] {
  const { gitFolder, link } = repository;
  const parts = REPOSITORY_PARTS.map((name) => join(gitFolder, name)).filter(exists);
  return [...(link === undefined ? [] : [link]), ...parts, ...namedByConfig(repository)];
}

/** The missing parts. Placeholders for them would show up in repositories that tests read, so they are only watched. */
export function missingParts({ gitFolder }: Repository): string[] {
  return exists(gitFolder) ? REPOSITORY_PARTS.map((name) => join(gitFolder, name)).filter((path) => !exists(path)) : [];
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** `core.hooksPath`, `core.fsmonitor` and `include.path`, if their value is a path. */
function namedByConfig({ gitFolder, link }: Repository): string[] {
  const workTree = link === undefined ? (isDotGit(gitFolder) ? dirname(gitFolder) : gitFolder) : dirname(link);
  return ['config', 'config.worktree'].flatMap((name) => {
    const text = textIn(join(gitFolder, name));
    // The section is ignored, which may match too many keys but never too few.
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
