// The git worktree of a child agent: made before its conversation begins, and merged, kept or removed when it has ended.
import { ToolFailure } from '../../contract/failure.js';
import type { Decide, DecisionRequest } from '../../contract/permission.js';
import type { SessionWorktree, WorktreeEnd, WorktreeOutcome } from '../../contract/worktree.js';
import { namesInProject } from '../../permissions/worktree-paths.js';
import { isInside, shortPath } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { counted } from '../../platform/text/counted.js';
import type { WorktreeHooks } from '../../platform/worktrees/hooked-worktree.js';
import type { Session } from '../session.js';

const MAX_FILES = 20; // names in the report

/** What worktrees of child agents are made by. */
export interface WorktreeSource {
  isTrusted(): boolean;
  /** Those that make worktrees; undefined if there are none. */
  hooks(): WorktreeHooks | undefined;
  setUp(): { command: string; timeoutMs: number } | undefined;
  /** What settings say about the end of one with changes. */
  end(): WorktreeEnd;
  /** Its files are judged as those of the project until the returned function is called. */
  add(place: SessionWorktree): () => void;
}

export interface ChildWorktree {
  place: SessionWorktree;
  /** What the agent should know about it. */
  notes: readonly string[];
  /** To be called once nothing works in it. */
  finish(): Promise<WorktreeOutcome>;
}

export interface ChildWorktreeRequest {
  parent: Session;
  agentId: string;
  /** What the agent is to do, for the message of its commit. */
  description: string;
  source: WorktreeSource;
  end: WorktreeEnd | undefined;
  signal: AbortSignal;
}

/** Opens that of an agent that is resumed, or makes one. Throws `ToolFailure` if it can't; there is no other place to fall back to. */
export async function childWorktree(request: ChildWorktreeRequest): Promise<ChildWorktree> {
  const { parent, agentId, source, signal } = request;
  const hooks = source.hooks();
  const { openWorktree } = await import('../../platform/worktrees/open-worktree.js');
  const opened = await openWorktree({
    project: parent.root,
    dataFolder: parent.dataFolder,
    name: worktreeNameOf(agentId),
    isOfAgent: true,
    isTrusted: source.isTrusted(),
    env: parent.env,
    setUp: source.setUp(),
    hooks,
    signal,
  }).catch((error: unknown) => {
    throw new ToolFailure(`The agent was not started: ${messageOf(error)}`, {
      advice: 'Without isolation it would work in the project itself.',
      kind: 'check_refused',
      cause: error,
    });
  });
  const { record, git, notes } = opened;
  // Notes and settings are those of the project, also for the agent of an agent.
  const place = { ...opened.place, project: parent.worktree?.project ?? opened.place.project };
  const remove = source.add(place);
  return {
    place,
    notes,
    async finish() {
      const { finishWorktree } = await import('../../platform/worktrees/finish-worktree.js');
      const message = `${request.description}\n\nBy the child agent ${agentId} of the Helve session ${parent.id}.`;
      const outcome = await finishWorktree(record, git, { end: request.end ?? source.end(), message, hooks });
      remove();
      return outcome;
    },
  };
}

export const worktreeNameOf = (agentId: string): string => `agent-${agentId}`;

/** For the system prompt of the agent. */
export const worktreeRules = ({ root, branch, top }: SessionWorktree, notes: readonly string[]): string =>
  [
    `You work in a git worktree of your own, ${root}, on the branch ${branch}. Change files only there: ${top} is left as it is, also where the task names paths in it; the same file is at the same place in your worktree. What you leave uncommitted is committed on your branch at the end. Do not switch or delete branches, and do not use git stash, which all worktrees share.`,
    ...notes,
  ].join('\n');

/** What an agent in a worktree must leave as it is. */
export interface Outside {
  /** The project, and where the worktrees of other agents are. */
  folders: readonly string[];
  /** The worktrees of agents at work: those that were made from its own are its own as well. */
  worktrees: readonly SessionWorktree[];
}

/** Denies changes of the project and of other agents' worktrees, whatever the rules allow. */
export const withinWorktree =
  (decide: Decide, place: SessionWorktree, outside: () => Outside): Decide =>
  (request) => {
    const changed = changedOutside(request, place, outside());
    if (changed === undefined) return decide(request);
    const here = isInside(place.top, changed) ? `${place.folder}${changed.slice(place.top.length)}` : undefined;
    const instead = here === undefined ? '' : `; the same file in its worktree is ${here}`;
    const because = `this agent works in the worktree ${place.folder}, and ${changed} is outside of it${instead}`;
    const about = `write ${shortPath(place.root, changed)}`;
    return {
      behavior: 'deny',
      reason: because,
      trail: [{ about, behavior: 'deny', because, basis: 'check', decided: true }],
    };
  };

function changedOutside(
  { effects }: DecisionRequest,
  { folder }: SessionWorktree,
  { folders, worktrees }: Outside,
): string | undefined {
  const isOwn = (name: string): boolean =>
    isInside(folder, name) || namesInProject(name, worktrees).some((other) => isInside(folder, other));
  for (const effect of effects) {
    if (effect.kind !== 'file' || effect.access !== 'write' || effect.unresolved !== undefined) continue;
    const changed = [effect.path, effect.real].find(
      (name) => folders.some((other) => isInside(other, name)) && !isOwn(name),
    );
    if (changed !== undefined) return changed;
  }
  return undefined;
}

/** For the parent, in the report. */
export function worktreeNote({ branch, folder, top }: SessionWorktree, outcome: WorktreeOutcome): string {
  if (outcome.outcome === 'removed') return 'It changed no files, so its worktree and its branch are gone.';
  const { files, holds, whyNotMerged } = outcome;
  const others = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} others` : '';
  const changed = `${counted(files.length, 'changed file')}${files.length > 0 ? `: ${files.slice(0, MAX_FILES).join(', ')}${others}` : ''}`;
  const held = holds.length > 0 ? ` Not in a commit: ${holds.join('; ')}.` : '';
  if (outcome.outcome === 'merged') return `Its branch ${branch} was merged into ${top}; ${changed}.${held}`;
  const why = whyNotMerged === undefined ? '' : ` It was not merged: ${whyNotMerged}.`;
  return `Its work is on the branch ${branch}, in the worktree ${folder}; ${changed}.${why}${held} To take it over: git merge ${branch}. Once the branch is merged or not needed: helve worktree remove ${branch.replace(/^worktree-/, '')}`;
}
