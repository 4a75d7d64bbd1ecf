// A worktree that a hook has made, with another name or in another place than Helve's. Merging it, the sandbox and the
// rules depend on git, so it must be a git worktree of the same repository.
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isInside } from '../files/paths.js';
import type { OwnGit } from './own-git.js';
import { WorktreeProblem } from './worktree-problem.js';
import type { WorktreeRecord } from './worktree-record.js';

/** Scripts that make and remove worktrees instead of Helve. */
export interface WorktreeHooks {
  /** Returns the path that the script has named. Throws `WorktreeProblem` if it has made none. */
  create(name: string, signal: AbortSignal | undefined): Promise<string>;
  /** Called before it is removed. Never rejects. */
  remove(folder: string): Promise<void>;
}

interface BeforeHook {
  git: OwnGit;
  /** The branches that existed before the hook ran: a session must not commit on one of them, nor remove it. */
  branches: ReadonlySet<string>;
  /** With symlinks resolved. */
  dataFolder: string;
}

/** The record with the folder that the hook has named. Throws `WorktreeProblem` if no session can work there. */
export async function withHookedFolder(
  record: WorktreeRecord,
  named: string,
  { git, branches, dataFolder }: BeforeHook,
): Promise<WorktreeRecord> {
  const { top, commonFolder } = record;
  const refuse = (why: string): never => {
    throw new WorktreeProblem(
      `The WorktreeCreate hook named ${named}, but ${why}. Its last line must be the absolute path of a new git worktree of ${top}, on a new branch. It was left as it is.`,
    );
  };
  if (!isAbsolute(named)) return refuse('that is not an absolute path');
  const folder = realFolder(named) ?? refuse('there is no folder of that name');
  if (isInside(folder, top)) return refuse('that is the project, or a folder around it');
  if (isInside(dataFolder, folder)) return refuse('that is in the data folder of Helve');
  const ask = async (...args: string[]): Promise<string | undefined> => await git.ask(folder, args);
  if ((await ask('rev-parse', '--show-toplevel')) !== folder) return refuse('that is not the top of a git worktree');
  if ((await ask('rev-parse', '--path-format=absolute', '--git-common-dir')) !== commonFolder) {
    return refuse('that belongs to another repository');
  }
  const branch = (await ask('symbolic-ref', '--quiet', '--short', 'HEAD')) ?? refuse('it is on no branch');
  if (branches.has(branch)) return refuse(`its branch ${branch} existed before`);
  const base = (await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')) ?? refuse('it has no commit');
  return { ...record, folder, branch, base };
}

function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}
