import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The current branch, or the abbreviated commit; undefined outside of a repository. */
export function gitBranch(folder: string): string | undefined {
  try {
    const git = gitFolder(folder);
    const head = git === undefined ? '' : readFileSync(join(git, 'HEAD'), 'utf8').trim();
    return (
      /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 8) : undefined)
    );
  } catch {
    return undefined; // unreadable, or half written: the status line omits it
  }
}

function gitFolder(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, '.git');
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return place;
    // In a worktree or a submodule, a file points to the git folder.
    if (stats?.isFile()) return resolve(folder, /^gitdir: (.+)$/m.exec(readFileSync(place, 'utf8'))?.[1] ?? '.git');
    if (dirname(folder) === folder) return undefined;
  }
}
