// What a session has done to its repository, for the person who has sent the prompts: from the last snapshot, whether the
// session runs or has ended. Everything is made in a folder of its own, with configuration that is Helve's.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../platform/message-of.js';
import { startProcess } from '../../platform/shell/start-process.js';
import { clause } from '../../platform/text/clause.js';
import { copyWorkspace, type FleetWorkspacesOptions, type WantedRepository } from './fleet-workspaces.js';
import type { RepositoryGit } from './repository-git.js';
import { WorkspaceProblem } from './workspace-problem.js';

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Helve',
  GIT_AUTHOR_EMAIL: 'helve@localhost',
  GIT_COMMITTER_NAME: 'Helve',
  GIT_COMMITTER_EMAIL: 'helve@localhost',
};

export interface WorkspaceCopy {
  /** All of its files. */
  root: string;
  /** That the session started from. */
  base: string;
  /** With the commits of the session, and one more with what it left uncommitted, but for what its repository ignores. */
  head: string;
  git: RepositoryGit;
}

/** In the given folder, which must be empty and private. Rejects with `WorkspaceProblem`. */
export async function openResult(
  sessionId: string,
  repository: WantedRepository,
  options: Pick<FleetWorkspacesOptions, 'folder' | 'store' | 'env'>,
): Promise<WorkspaceCopy> {
  const { root, commit: base, git } = await copyWorkspace(sessionId, repository, options);
  const run = (...args: string[]): Promise<string> => git.local(root, args, AUTHOR);
  try {
    const parent = await run('rev-parse', '--verify', '--quiet', 'HEAD^{commit}').catch(() => base);
    await run('add', '--all');
    const tree = await run('write-tree');
    const isNew = tree !== (await run('rev-parse', `${parent}^{tree}`));
    const message = `Uncommitted changes of the session ${sessionId}`;
    const head = isNew ? await run('commit-tree', '-p', parent, '-m', message, tree) : parent;
    await run('update-ref', 'refs/helve/result', head);
    return { root, base, head, git };
  } catch (error) {
    throw new WorkspaceProblem(
      `The repository of the session could not be read: ${clause(messageOf(error))}. Its files are in an --archive.`,
      { cause: error },
    );
  }
}

/** All changes since the commit that the session started from. */
export async function patchOf({ root, base, head, git }: WorkspaceCopy): Promise<Buffer> {
  const patch = await git.local(root, ['diff', '--binary', '--full-index', '--no-ext-diff', base, head]);
  return Buffer.from(patch === '' ? '' : `${patch}\n`, 'latin1');
}

/** Adds the commits to the repository at the folder, as a new branch. Returns how many are new. */
export async function branchFrom(
  { root, base, head, git }: WorkspaceCopy,
  folder: string,
  branch: string,
): Promise<number> {
  const allowed = { GIT_ALLOW_PROTOCOL: 'file' };
  if (!(await git.local(folder, ['rev-parse', '--git-dir']).catch(() => undefined))) {
    throw new WorkspaceProblem(`${folder} is not in a git repository. Go to a clone of the repository, and try again.`);
  }
  await git.local(folder, ['check-ref-format', '--branch', branch]).catch(() => {
    throw new WorkspaceProblem(`"${branch}" can't be the name of a branch.`);
  });
  const isThere = await git.local(folder, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]).then(
    () => true,
    () => false,
  );
  if (isThere) {
    throw new WorkspaceProblem(`The branch ${branch} exists already, and was left as it is. Choose another name.`);
  }
  const refs = [`file://${root}`, `refs/helve/result:refs/heads/${branch}`];
  await git.local(folder, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', ...refs], allowed);
  return Number(await git.local(root, ['rev-list', '--count', `${base}..${head}`]));
}

/** All files of the workspace, but not its repository, as .tar.gz. */
export async function archiveTo(path: string, { root }: WorkspaceCopy): Promise<void> {
  const args = ['-C', root, '--exclude=./.git', '-czf', '-', '.'];
  const child = startProcess('tar', args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => {
    errors = `${errors}${text}`.slice(0, 500);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (!child.stdout) throw new Error('tar has no output');
  await Promise.all([pipeline(child.stdout, createWriteStream(path, { flags: 'wx', mode: 0o600 })), ended]);
  const code = await ended;
  if (code !== 0)
    throw new WorkspaceProblem(`The archive ${path} is not complete: tar failed: ${clause(errors.trim())}.`);
}
