import type { SessionWorktree, WorktreeEnd, WorktreeOutcome } from '../contract/worktree.js';
import { dataFolderOf, realPathSync } from '../platform/files/paths.js';
import { checkFinishOptions, checkWorktreeOptions } from './check-options.js';

const SET_UP_MS = 600_000; // an installation without a cache

/** Which git worktree to open. */
export interface WorktreeOptions {
  /** The project, in a git repository with a commit. Default: the process's working directory. */
  root?: string;
  /** Where Helve keeps its own files, with the worktree among them. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** One that was kept under this name is opened again. Default: a new one. */
  name?: string;
  /** A command for bash that prepares a new worktree, such as `npm ci`; only with `trust`. */
  setUp?: string;
  /** How long it may take, in milliseconds. Default: 600,000. */
  setUpTimeoutMs?: number;
  /** The set-up command and filters that the repository configures may run. Default: false. */
  trust?: boolean;
  /** The environment of git and of the set-up command. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** A git worktree for the option `worktree` of an agent or engine. */
export interface Worktree extends SessionWorktree {
  /** What was copied into it, and what is missing in it, in sentences. */
  readonly notes: readonly string[];
  /** To be called when nothing works in it any more: removes it if nothing in it is new, else commits, and merges or keeps it. */
  finish(options?: FinishOptions): Promise<WorktreeOutcome>;
}

/** How a worktree ends. */
export interface FinishOptions {
  /** Default: `keep`. */
  end?: WorktreeEnd;
  /** Of the commit of changes that are not committed yet. */
  message?: string;
}

/** Makes a git worktree on a branch of its own, or opens a kept one. Rejects with `WorktreeProblem`; then nothing is left of it. */
export async function openWorktree(options: WorktreeOptions = {}): Promise<Worktree> {
  checkWorktreeOptions(options);
  const { root = process.cwd(), name, setUp, setUpTimeoutMs = SET_UP_MS, trust = false, env = process.env } = options;
  const { openWorktree: open } = await import('../platform/worktrees/open-worktree.js');
  const { record, git, place, notes } = await open({
    project: realPathSync(root),
    dataFolder: options.dataFolder ?? dataFolderOf({ env }),
    name,
    isTrusted: trust,
    env,
    ...(setUp !== undefined && { setUp: { command: setUp, timeoutMs: setUpTimeoutMs } }),
  });
  return {
    ...place,
    notes,
    async finish(given = {}) {
      checkFinishOptions(given);
      const { end = 'keep', message = `Changes of a Helve session in the worktree ${place.name}` } = given;
      const { finishWorktree } = await import('../platform/worktrees/finish-worktree.js');
      return await finishWorktree(record, git, { end, message });
    },
  };
}
