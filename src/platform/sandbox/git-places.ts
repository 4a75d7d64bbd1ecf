// What git needs to see of a repository that reaches beyond the folder it is used in: the working tree around a subfolder,
// the repository behind a work tree or a submodule, borrowed objects, and whether other work trees are still there.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MAX_PLACES = 100; // a repository with more work trees shows those as gone
const MAX_BYTES = 64 * 1024;

/** The files and folders, for git in this folder; none where it is in no repository. */
export function gitPlaces(folder: string): string[] {
  const top = topOf(folder);
  if (top === undefined) return [];
  const dotGit = join(top, '.git');
  const link = lineOf(dotGit, /^gitdir: (.+)$/m);
  const gitFolder = link === undefined ? dotGit : resolve(top, link);
  const common = lineOf(join(gitFolder, 'commondir'), /^(.+)$/m);
  const shared = common === undefined ? gitFolder : resolve(gitFolder, common);
  const places = [top, gitFolder, shared, ...borrowedObjects(shared), ...otherTrees(shared)];
  return [...new Set(places)].slice(0, MAX_PLACES);
}

function topOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Object stores that others are borrowed from may borrow in turn. */
function borrowedObjects(gitFolder: string): string[] {
  const found = new Set<string>();
  const queue = [join(gitFolder, 'objects')];
  // A list that grows while it is walked is walked to its new end.
  for (const objects of queue) {
    for (const line of textOf(join(objects, 'info/alternates')).split('\n')) {
      const path = line === '' || line.startsWith('#') ? undefined : resolve(objects, line);
      if (path === undefined || found.has(path) || found.size >= MAX_PLACES) continue;
      found.add(path);
      queue.push(path);
    }
  }
  return [...found];
}

/** The `.git` files of further work trees, by which git tells whether they still exist. */
function otherTrees(gitFolder: string): string[] {
  return namesIn(join(gitFolder, 'worktrees')).flatMap(
    (name) => lineOf(join(gitFolder, 'worktrees', name, 'gitdir'), /^(.+)$/m) ?? [],
  );
}

const lineOf = (file: string, pattern: RegExp): string | undefined => pattern.exec(textOf(file))?.[1]?.trim();

function textOf(file: string): string {
  try {
    const stats = lstatSync(file);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8') : '';
  } catch {
    return ''; // not there, or not readable
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nearly always: there are none
  }
}
