// The worktree of a session at the command line: made or opened before the session, and finished after it.
import { realpathSync } from 'node:fs';
import { findSession, projectOf } from '../../agent/store/list-sessions.js';
import { withoutSecrets } from '../../compose/visible-environment.js';
import { hooksBeforeSession, worktreeHooks } from '../../compose/worktree-hooks.js';
import { setUpOf } from '../../compose/worktree-source.js';
import type { SessionWorktree, WorktreeEnd, WorktreeOutcome } from '../../contract/worktree.js';
import { secretVariables } from '../../models/catalogue/catalogue.js';
import { dataFolderOf, isInside, realPathSync } from '../../platform/files/paths.js';
import { counted } from '../../platform/text/counted.js';
import { shownLine } from '../../platform/text/shown-line.js';
import { visible } from '../../platform/text/visible.js';
import { finishWorktree, release } from '../../platform/worktrees/finish-worktree.js';
import { openWorktree } from '../../platform/worktrees/open-worktree.js';
import { changesIn } from '../../platform/worktrees/worktree-changes.js';
import {
  findRecords,
  hasWorktrees,
  type WorktreeRecord,
  worktreesFolder,
} from '../../platform/worktrees/worktree-record.js';
import type { CliEngineOptions } from '../engine-options.js';
import { readCatalogue } from '../read-catalogue.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';

/** Which worktree a run is for. */
export interface WantedWorktree {
  /** The folder whose settings hold. */
  project: string;
  /** Default: a new one with a name of its own. */
  name?: string | undefined;
  /** Default: as it was asked for before, or by settings. */
  end?: WorktreeEnd | undefined;
}

export interface WorktreeFlags {
  /** The name that `--worktree` gives, or an empty text. */
  worktree: string | undefined;
  resume: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The worktree that the flags ask for, that a resumed session worked in, or that the working directory is in. */
export async function wantedWorktree(
  { worktree, resume }: WorktreeFlags,
  env: Environment,
): Promise<WantedWorktree | undefined> {
  const cwd = realpathSync(process.cwd());
  const dataFolder = realPathSync(dataFolderOf({ env }));
  const around = recordAround(cwd, dataFolder);
  if (worktree !== undefined) {
    if (around) {
      throw new UsageProblem(
        `This folder is the worktree ${around.name} already. Leave --worktree out to work in it, or go to ${around.project} first.`,
      );
    }
    return { project: cwd, ...(worktree !== '' && { name: worktree }) };
  }
  if (resume !== undefined && hasWorktrees(dataFolder)) {
    const id = await findSession(dataFolder, resume, { root: cwd });
    const root = projectOf(dataFolder, id);
    if (root !== undefined && (isInside(worktreesFolder(dataFolder), root) || recordAround(root, dataFolder)))
      return ofSession(id, root, { cwd, dataFolder });
  }
  return around && { project: around.project, name: around.name };
}

const recordAround = (path: string, dataFolder: string): WorktreeRecord | undefined =>
  hasWorktrees(dataFolder) ? findRecords(dataFolder).records.find(({ folder }) => isInside(folder, path)) : undefined;

/**
 * The worktree that the root of a session is; undefined if it is not one of ours. Throws `UsageProblem` if it was removed.
 */
export function worktreeAt(id: string, root: string, dataFolder: string): WantedWorktree | undefined {
  const record = recordAround(root, dataFolder);
  if (!record && !isInside(worktreesFolder(dataFolder), root)) return undefined; // also of a hook's that was removed
  if (!record) throw removed(id, root);
  return { project: record.project, name: record.name };
}

const removed = (id: string, root: string): UsageProblem =>
  new UsageProblem(
    `The session ${id} worked in the git worktree ${visible(root)}, which was removed. Its branch may still be there: git branch --list "worktree-*". To read the conversation: helve sessions show ${id}`,
  );

function ofSession(id: string, root: string, { cwd, dataFolder }: { cwd: string; dataFolder: string }): WantedWorktree {
  const record = recordAround(root, dataFolder);
  if (!record) throw removed(id, root);
  if (cwd !== record.project && !isInside(record.folder, cwd)) {
    throw new UsageProblem(
      `The session ${id} belongs to a worktree of ${visible(record.project)} and uses its settings and rules. Go there to resume it: cd ${visible(record.project)}`,
    );
  }
  return { project: record.project, name: record.name };
}

export interface RunWorktree {
  place: SessionWorktree;
  /** Whether it was there before. */
  isReopened: boolean;
  /** How it ends, if that was asked for. */
  end: WorktreeEnd | undefined;
  /** Merges, keeps or removes it. Returns sentences for the person. */
  finish(end?: WorktreeEnd): Promise<string[]>;
  /** Leaves it as it is, for other processes to use. */
  leave(): Promise<void>;
  /** What would be lost with it; undefined if nothing would. */
  work(): Promise<{ files: readonly string[]; holds: readonly string[] } | undefined>;
}

/** Makes or opens the worktree. Says, on standard error by default, what the person should know of it. */
export async function openRunWorktree(
  { project, name, end: asked }: WantedWorktree,
  { env, settings, plugins }: Pick<CliEngineOptions, 'env' | 'settings' | 'plugins'>,
  say: (sentences: readonly string[]) => Promise<void> | void = tell,
): Promise<RunWorktree> {
  const setUp = setUpOf(settings.current);
  // Neither the set-up command nor a filter gets the keys of models.
  const visibleEnv = withoutSecrets(env, secretVariables(await readCatalogue(env)));
  const hooks = worktreeHooks({
    hooks: hooksBeforeSession(settings.current, { root: project, env: visibleEnv, ...(plugins && { plugins }) }),
    tell: (sentence) => void say([sentence]),
  });
  const opened = await openWorktree({
    ...{ project, name, env: visibleEnv, setUp, end: asked, hooks },
    dataFolder: dataFolderOf({ env }),
    isTrusted: settings.current.trust.state === 'trusted',
  });
  const { record, git, place, notes, isReopened } = opened;
  const how = isReopened ? 'kept from before' : `new, from commit ${record.base.slice(0, 10)}`;
  await say([`working in the git worktree ${place.name} (${how}): ${place.root}, branch ${place.branch}`, ...notes]);
  return {
    place,
    isReopened,
    end: record.end,
    leave: () => release(record),
    async work() {
      const { hasWork, files, holds } = await changesIn(git, record);
      return hasWork ? { files, holds } : undefined;
    },
    async finish(end = record.end ?? settings.current.worktree.end?.value ?? 'keep') {
      try {
        const message = `Changes of a Helve session in the worktree ${place.name}`;
        return describeOutcome(place, await finishWorktree(record, git, { end, message, hooks }));
      } catch (error) {
        await release(record).catch(() => {});
        const why = error instanceof Error ? error.message : String(error);
        return [`the worktree ${place.name} stays as it is, since it could not be finished: ${why}`];
      }
    },
  };
}

export async function tell(sentences: readonly string[]): Promise<void> {
  for (const sentence of sentences) await writeLine(process.stderr, `helve: ${shownLine(sentence)}`);
}

/** What became of it, and the commands to go on with. */
export function describeOutcome(
  place: SessionWorktree,
  { outcome, files, holds, whyNotMerged }: WorktreeOutcome,
): string[] {
  const { name, branch, top, folder } = place;
  const held = holds.length > 0 ? [`not in a commit of ${name}: ${holds.join('; ')}`] : [];
  if (outcome === 'removed') return [`the worktree ${name} was removed with its branch: nothing in it was new`];
  const changed = counted(files.length, 'changed file');
  if (outcome === 'merged') {
    const rest = holds.length > 0 ? `; the worktree stays: ${folder}` : ' and removed';
    return [`the branch ${branch} (${changed}) was merged into ${top}${rest}`, ...held];
  }
  return [
    ...(whyNotMerged === undefined ? [] : [`${branch} was not merged: ${whyNotMerged}`]),
    `the worktree ${name} is kept with ${changed}, on the branch ${branch}: ${folder}`,
    ...held,
    `to merge it: helve worktree merge ${name} (or git merge ${branch}); to drop it: helve worktree remove ${name} --force; to go on: helve --worktree ${name}`,
  ];
}
