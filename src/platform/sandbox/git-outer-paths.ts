// The paths outside the current folder that git needs to read: the working tree around a subfolder, the repository
// behind a linked work tree or a submodule, alternate object stores, and the `.git` files of other work trees.
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { namesIn } from '../files/lenient-reads.js';

const MAX_PATHS = 100; // in a repository with more worktrees, git considers the others deleted
const MAX_BYTES = 64 * 1024;

/** The files and folders that git needs in this folder; empty outside a repository. */
export function gitOuterPaths(folder: string): string[] {
  const top = topOf(folder);
  if (top === undefined) return [];
  const dotGit = join(top, '.git');
  const link = lineOf(dotGit, /^gitdir: (.+)$/m);
  const gitFolder = link === undefined ? dotGit : resolve(top, link);
  const common = lineOf(join(gitFolder, 'commondir'), /^(.+)$/m);
  const shared = common === undefined ? gitFolder : resolve(gitFolder, common);
  const places = [top, gitFolder, shared, ...borrowedObjects(shared), ...otherTrees(shared)];
  return [...new Set(places)].slice(0, MAX_PATHS);
}

function topOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** An alternate object store may have alternates itself. */
function borrowedObjects(gitFolder: string): string[] {
  const found = new Set<string>();
  const queue = [join(gitFolder, 'objects')];
  // The list grows while it is iterated; the loop reaches the new items.
  for (const objects of queue) {
    for (const line of textOf(join(objects, 'info/alternates')).split('\n')) {
      const path = line === '' || line.startsWith('#') ? undefined : resolve(objects, line);
      if (path === undefined || found.has(path) || found.size >= MAX_PATHS) continue;
      found.add(path);
      queue.push(path);
    }
  }
  return [...found];
}

/** The `.git` files of other work trees, by which git checks that they still exist. */
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
    return ''; // missing or unreadable
  }
}
