import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MAX_FOLDERS = 500; // names of submodules are few, and not deep

/**
 * What git takes hooks and configuration from for the submodules and the further work trees of a project. Their
 * repositories lie inside that of the project, and somebody's prompt asks git about them with every `cd`.
 */
export function repositoryPaths(root: string): string[] {
  const found = subfolders(join(root, '.git/worktrees')).flatMap((tree) =>
    ['commondir', 'config.worktree'].map((name) => join(tree, name)),
  );
  const queue = subfolders(join(root, '.git/modules'));
  // A list that grows while it is walked is walked to its new end. A submodule's name may have slashes in it.
  for (const [index, folder] of queue.entries()) {
    if (index >= MAX_FOLDERS) break;
    const config = textOf(join(folder, 'config'));
    if (config === undefined) {
      queue.push(...subfolders(folder));
      continue;
    }
    found.push(...['config', 'config.worktree', 'commondir', 'hooks'].map((name) => join(folder, name)));
    const [, tree] = /^\s*worktree\s*=\s*(\S.*?)\s*$/m.exec(config) ?? [];
    if (tree !== undefined) found.push(join(resolve(folder, tree), '.git')); // a file that leads here
    queue.push(...subfolders(join(folder, 'modules')));
  }
  return found;
}

function subfolders(folder: string): string[] {
  let entries: Dirent[] = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // nearly always: there is none
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
