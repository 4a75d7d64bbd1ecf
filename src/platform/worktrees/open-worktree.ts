// Makes a git worktree for a session or a child agent, on a branch of its own, or opens one again that is kept.
import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SessionWorktree, WorktreeEnd } from '../../contract/worktree.js';
import { randomHex } from '../crypto.js';
import { mkdirPrivate } from '../files/mkdir-private.js';
import { isInside } from '../files/paths.js';
import { thisProcess } from '../journal/process-identity.js';
import { messageOf } from '../message-of.js';
import { createGitRepositories, type GitRepository } from '../shell/git-repository.js';
import { judgeRepository } from '../shell/git-settings.js';
import { clause } from '../text/clause.js';
import { counted } from '../text/counted.js';
import { copyIncluded, INCLUDE_FILE } from './copy-included.js';
import { type WorktreeHooks, withHookedFolder } from './hooked-worktree.js';
import { type GitVariables, OwnGit } from './own-git.js';
import { discard, repairWorktree } from './repair-worktrees.js';
import { runSetUp, type SetUp } from './run-set-up.js';
import { ignoredFiles, preparedFiles } from './worktree-changes.js';
import { worktreeNameProblem } from './worktree-name.js';
import { WorktreeProblem } from './worktree-problem.js';
import {
  claimRecord,
  dropRecord,
  exclusively,
  isUsed,
  readRecord,
  recordPath,
  repositoryFolder,
  saveRecord,
  takeRecord,
  type WorktreeRecord,
} from './worktree-record.js';

const HEADS = ['for-each-ref', '--format=%(refname:short)', 'refs/heads'];

export interface WorktreeRequest {
  /** The folder that the session was started in; with symlinks resolved. */
  project: string;
  dataFolder: string;
  /** Default: a name that is free. */
  name?: string | undefined;
  /** Default: as it was asked for before, or by settings. */
  end?: WorktreeEnd | undefined;
  /** It is of a child agent. */
  isOfAgent?: boolean | undefined;
  /** Whether a person trusts the project: only then may git run programs of its configuration. */
  isTrusted: boolean;
  /** The environment of git and of the set-up command. */
  env: GitVariables;
  /** Run in the new worktree, after trust; not in one that is opened again. */
  setUp?: SetUp | undefined;
  /** Make the worktree instead of git and the set-up command. */
  hooks?: WorktreeHooks | undefined;
  signal?: AbortSignal | undefined;
}

/** A worktree that this process uses. */
export interface OpenedWorktree {
  record: WorktreeRecord;
  git: OwnGit;
  place: SessionWorktree;
  /** Whether it was there before. */
  isReopened: boolean;
  /** What a person should know: what was copied, and what is not in it. */
  notes: string[];
}

/** Throws `WorktreeProblem`; then nothing is left of a worktree that was not there before. */
export async function openWorktree(request: WorktreeRequest): Promise<OpenedWorktree> {
  const { name = `session-${randomHex(3)}` } = request;
  const problem = worktreeNameProblem(name);
  if (problem !== undefined) throw new WorktreeProblem(problem);
  const { git, repository } = await repositoryOf(request);
  const folder = join(repositoryFolder(realpathSync(ensured(request.dataFolder)), repository.commonFolder), name);
  const kept = readRecord(recordPath({ folder }));
  if (kept) return await reopen(kept, request, git);
  if (existsSync(recordPath({ folder })) || existsSync(folder)) {
    throw new WorktreeProblem(
      `${folder} is in the way of the new worktree, and Helve has no valid record of it. Choose another name, or look at it and move it away.`,
    );
  }
  return await create({ ...request, name }, { git, repository, folder });
}

function ensured(dataFolder: string): string {
  mkdirPrivate(dataFolder);
  return dataFolder;
}

async function repositoryOf(request: WorktreeRequest): Promise<{ git: OwnGit; repository: GitRepository }> {
  const { project, env, isTrusted } = request;
  const found = await createGitRepositories(env).lookUp(project);
  if (found.kind === 'none') {
    throw new WorktreeProblem(
      `${project} is not in a git repository, so there can be no worktree of it. Run "git init" and commit, or leave the worktree out.`,
    );
  }
  if (found.kind === 'failed') {
    throw new WorktreeProblem(`No worktree can be made of ${project}: ${found.why}.`);
  }
  const { repository } = found;
  const { why } = judgeRepository(repository);
  if (why !== undefined && !isTrusted) {
    throw new WorktreeProblem(
      `No worktree was made: ${why}, and this folder is not trusted. Look at it, and trust the folder (helve in a terminal asks, --trust does it for one run).`,
    );
  }
  return { git: new OwnGit(env, { fetchesLfs: isTrusted }), repository };
}

async function reopen(kept: WorktreeRecord, request: WorktreeRequest, git: OwnGit): Promise<OpenedWorktree> {
  const { name, folder, branch } = kept;
  if (await isUsed(kept)) throw inUse(kept);
  const notes = await repairWorktree(kept, git);
  const record = readRecord(recordPath(kept));
  if (!record) return await openWorktree(request); // it was never ready, and is cleared away now
  if (!existsSync(join(folder, '.git'))) {
    throw new WorktreeProblem(
      `The folder of the worktree ${name} is not there any more (${folder}). Its branch ${branch} may still be: "git log ${branch}" shows it. "helve worktree remove ${name}" clears the name.`,
    );
  }
  const root = rootIn(record, request.project);
  if (root === undefined) {
    throw new WorktreeProblem(
      `The worktree ${name} belongs to ${record.project}. Go there to use it, or choose another name.`,
    );
  }
  const owned = await takeRecord({ ...record, end: request.end });
  if (!owned) throw inUse(readRecord(recordPath(record)) ?? record); // another process was faster
  return { record: owned, git, place: await placeOf(owned, root, git), isReopened: true, notes };
}

const inUse = ({ name, owner }: WorktreeRecord): WorktreeProblem =>
  new WorktreeProblem(
    `The worktree ${name} is in use by process ${owner?.pid}. Choose another name, or end that session first.`,
  );

/** The folder of the worktree that corresponds to the project; undefined if it is another working tree's. */
function rootIn({ top, folder }: WorktreeRecord, project: string): string | undefined {
  if (!isInside(top, project)) return undefined;
  const root = join(folder, relative(top, project));
  return existsSync(root) ? root : folder;
}

interface NewWorktree {
  git: OwnGit;
  repository: GitRepository;
  folder: string;
}

async function create(
  request: WorktreeRequest & { name: string },
  { git, repository, folder }: NewWorktree,
): Promise<OpenedWorktree> {
  const { project, name, isOfAgent, end, hooks } = request;
  const { workTree: top, commonFolder } = repository;
  const branch = `worktree-${name}`;
  const base = await git.ask(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (base === undefined) {
    throw new WorktreeProblem(
      `The repository ${top} has no commit yet, and a worktree starts from one. Commit something, or leave the worktree out.`,
    );
  }
  if (!hooks && (await git.run(top, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0) {
    throw new WorktreeProblem(
      `The branch ${branch} exists already, so no worktree was made. Choose another name, or if the branch is not needed: git -C ${top} branch -d ${branch}`,
    );
  }
  const record: WorktreeRecord = {
    version: 1,
    ...{ name, state: 'creating', project, top, commonFolder, folder, branch, base },
    at: new Date().toISOString(),
    owner: await thisProcess(),
    ...(end && { end }),
    ...(isOfAgent && { isOfAgent }),
    ...(hooks && { slot: folder }),
    copied: [],
    prepared: [],
    ignored: [],
  };
  if (!(await claimRecord(record))) {
    throw new WorktreeProblem(`The worktree ${name} is being made by another process. Choose another name.`);
  }
  try {
    if (!hooks) return await fill(record, request, git);
    const branches = new Set((await git.must(top, HEADS)).split('\n'));
    const place = await hooks.create(name, request.signal);
    const named = await withHookedFolder(record, place, {
      git,
      branches,
      dataFolder: realpathSync(request.dataFolder),
    });
    const prepared = await preparedFiles(git, named.folder);
    return await ready({ ...named, prepared }, { git, root: rootIn(named, project) ?? named.folder });
  } catch (error) {
    // What a hook has made is left for a person to look at.
    if (hooks) await dropRecord(record);
    else await discard(record, git).catch(() => {}); // the record stays, and the next start tries again
    if (error instanceof WorktreeProblem) throw error;
    throw new WorktreeProblem(
      `The worktree ${name} could not be made${hooks ? '' : ', and nothing is left of it'}: ${clause(messageOf(error))}.`,
      {
        cause: error,
      },
    );
  }
}

async function fill(record: WorktreeRecord, request: WorktreeRequest, git: OwnGit): Promise<OpenedWorktree> {
  const { top, folder, branch, base } = record;
  const { signal, setUp, isTrusted, project } = request;
  signal?.throwIfAborted();
  const add = ['worktree', 'add', '--quiet', '--no-track', '-b', branch, folder, base];
  await exclusively(record, () => git.must(top, add));
  signal?.throwIfAborted();
  const { copied, bytes, notes } = await copyIncluded(git, record);
  if (copied.length > 0) {
    notes.unshift(`${INCLUDE_FILE}: ${counted(copied.length, 'file')} copied (${bytes} bytes).`);
  }
  const root = rootIn(record, project) ?? folder;
  if (setUp && isTrusted) {
    const { BASH_ENV: _, ENV: __, ...env } = request.env;
    await runSetUp(setUp, { folder: root, env, signal });
  } else if (setUp) {
    notes.push('The set-up command ("worktree.setup") was not run, because this folder is not trusted.');
  }
  const prepared = setUp && isTrusted ? await preparedFiles(git, folder) : [];
  const opened = await ready({ ...record, copied, prepared }, { git, root });
  return { ...opened, notes: [...notes, ...opened.notes] };
}

async function ready(made: WorktreeRecord, { git, root }: { git: OwnGit; root: string }): Promise<OpenedWorktree> {
  const record: WorktreeRecord = { ...made, state: 'ready', ignored: await ignoredFiles(git, made.folder) };
  await saveRecord(record);
  const place = await placeOf(record, root, git);
  return { record, git, place, isReopened: false, notes: await missingParts(git, record) };
}

async function placeOf(record: WorktreeRecord, root: string, git: OwnGit): Promise<SessionWorktree> {
  const { name, branch, project, folder, top, commonFolder } = record;
  const gitFolder = await git.must(folder, ['rev-parse', '--absolute-git-dir']);
  const shared = ['objects', 'refs', 'logs'].map((part) => join(commonFolder, part));
  return {
    ...{ name, branch, project, root, folder, top },
    gitWrites: [...shared, gitFolder].filter((path) => existsSync(path)),
    gitKeeps: [
      join(folder, '.git'),
      ...['commondir', 'gitdir', 'config.worktree'].map((part) => join(gitFolder, part)),
    ],
  };
}

/** What the project has and a fresh checkout has not. */
async function missingParts(git: OwnGit, { top, folder }: WorktreeRecord): Promise<string[]> {
  const notes: string[] = [];
  const status = (await git.ask(top, ['status', '--porcelain', '-z', '--no-renames'])) ?? '';
  const changed = status.split('\0').filter((line) => line !== '').length;
  if (changed > 0) {
    notes.push(
      `${counted(changed, 'uncommitted change')} of the project ${changed === 1 ? 'is' : 'are'} not in the worktree: it starts from the last commit.`,
    );
  }
  if (existsSync(join(folder, '.gitmodules'))) {
    notes.push('Submodules are empty in the worktree. A set-up command can run "git submodule update --init".');
  }
  return notes;
}
