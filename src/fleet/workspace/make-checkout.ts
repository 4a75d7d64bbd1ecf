// A repository of a session: its own branches, index and configuration, and the objects of the mirror. What a session does
// to its repository reaches neither the mirror nor other sessions.
import { chmodSync, lutimesSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { withoutSecrets } from './repository-address.js';
import type { RepositoryGit } from './repository-git.js';
import { scanWorkspace } from './scan-workspace.js';
import { pathIn } from './tree-files.js';
import { WorkspaceProblem } from './workspace-problem.js';

export interface Checkout {
  git: RepositoryGit;
  mirror: string;
  url: string;
  commit: string;
  branch: string;
}

/** The same files, modes and times on every worker. Rejects with `WorkspaceProblem`. */
export async function makeCheckout(folder: string, { git, mirror, url, commit, branch }: Checkout): Promise<void> {
  mkdirPrivate(folder);
  const run = (...args: string[]): Promise<string> => git.local(folder, args);
  try {
    await run('init', '--quiet', '--template=', `--initial-branch=${branch}`);
    writeFileSync(join(folder, '.git/objects/info/alternates'), `${join(mirror, 'objects')}\n`);
    await run('config', 'remote.origin.url', url);
    await run('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    await run('update-ref', `refs/heads/${branch}`, commit);
    await run('reset', '--quiet', '--hard');
  } catch (error) {
    throw new WorkspaceProblem(
      `The commit ${commit.slice(0, 12)} of ${withoutSecrets(url)} could not be checked out: ${clause(messageOf(error))}. If git names a path in it, such as one like .git, it is refused on purpose; otherwise look at the disk of the worker.`,
      { cause: error },
    );
  }
  const ofMirror = [`--git-dir=${mirror}`, 'show', '--no-patch', '--format=%ct', commit]; // reads no file of the checkout
  const seconds = Number(await git.local(mirror, ofMirror));
  for (const [path, { kind, mode }] of await scanWorkspace(folder)) {
    if (path === '.git' || path.startsWith('.git/')) continue;
    const at = pathIn(folder, path);
    if (kind === 'link') lutimesSync(at, seconds, seconds);
    else {
      chmodSync(at, kind === 'folder' || (mode & 0o100) !== 0 ? 0o755 : 0o644); // whatever the umask of the worker is
      if (kind === 'file') utimesSync(at, seconds, seconds);
    }
  }
  await run('update-index', '-q', '--refresh').catch(() => {}); // only saves the session time
}
